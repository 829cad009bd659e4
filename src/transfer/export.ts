/** Export: writes what an import reads. What is imported again elsewhere is what was exported, but for its ids. */
import { type Database, type Statement, statement } from '../database/database.ts'
import { patiently } from './batches.ts'
import { writeRecords } from './files.ts'
import type { Files } from './import.ts'
import type { Progress } from './progress.ts'
import { columnsOf, type Kind } from './rows.ts'

/**
 * Few enough to be read in a statement's time where each stands elsewhere on a slow disk. It is written out in the statements: a plan for
 * all values would expect a tenth of the table, and start workers for each batch.
 */
const batch = 250

/** In this order whoever is named in a file stands in the next, unless they were deleted meanwhile. */
const order = ['memberships', 'organizations', 'users'] as const

/**
 * @param withHashes whether the hashes of passwords are written, too
 * @throws TransferError where there is such a file already
 */
export async function exportFiles(
  database: Database,
  tenant: string,
  files: Files,
  { progress, withHashes }: { readonly progress: Progress; readonly withHashes: boolean },
): Promise<void> {
  for (const kind of order) {
    const path = files[kind]
    if (path === undefined) continue
    progress.begin(kind)
    const columns = columnsOf(kind).all.filter((column) => withHashes || column !== 'passwordHash')
    await writeRecords(
      path,
      columns,
      readAll(database, tenant, kind, (done) => progress.advance(0, done)),
    )
    progress.end()
  }
}

/** @param onDone told how many were read so far */
async function* readAll(database: Database, tenant: string, kind: Kind, onDone: (done: number) => void) {
  let [after, done] = ['', 0]
  for (;;) {
    const [rows = []] = await patiently(() => database.flight(tenant, [selections[kind](tenant, after)]))
    yield* rows
    done += rows.length
    onDone(done)
    if (rows.length < batch) return
    after = String(rows.at(-1)?.id)
  }
}

/**
 * A batch of each, by id. Who was not imported has the id of here for an external one. That is looked up for each row, and not joined: for
 * a tenant that PostgreSQL has no statistics of yet, it would go through all external ids for each row.
 */
const selections: Readonly<Record<Kind, (tenant: string, after: string) => Statement>> = {
  users: (tenant, after) => statement`
    select id, ${externalUser(tenant, statement`u.id`)} as external_id, email, email_verified, name, avatar_url, locale, time_zone,
      metadata, app_metadata, role, status, created_at, password_hash
    from users u
    where tenant_id = ${tenant} and id > ${after}
    order by id
    limit 250`,
  organizations: (tenant, after) => statement`
    select id, ${externalOrganization(tenant, statement`o.id`)} as external_id, name, slug, logo_url, metadata, created_at
    from organizations o
    where tenant_id = ${tenant} and id > ${after}
    order by id
    limit 250`,
  memberships: (tenant, after) => statement`
    select id, ${externalOrganization(tenant, statement`m.organization_id`)} as organization,
      ${externalUser(tenant, statement`m.user_id`)} as "user", role, joined_at
    from memberships m
    where tenant_id = ${tenant} and id > ${after}
    order by id
    limit 250`,
}

function externalUser(tenant: string, id: Statement): Statement {
  return statement`
    coalesce((select e.external_id from external_users e where e.tenant_id = ${tenant} and e.user_id = ${id}), ${id})`
}

function externalOrganization(tenant: string, id: Statement): Statement {
  return statement`
    coalesce((select e.external_id from external_organizations e where e.tenant_id = ${tenant} and e.organization_id = ${id}), ${id})`
}
