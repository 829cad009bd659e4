/** Export: writes what an import reads. What is imported again elsewhere is what was exported, but for its ids. */
import { lstat, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { randomBytes } from '../../platform/cryptography.ts'
import { type Database, type Statement, statement } from '../../platform/database/database.ts'
import { patiently } from './batches.ts'
import { TransferError, writeRecords } from './files.ts'
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

export interface ExportOptions {
  readonly progress: Progress
  /** Whether the hashes of passwords are written, too. */
  readonly withHashes: boolean
  /** Ends the export: then there is no file. */
  readonly signal: AbortSignal
}

/**
 * Each file is written under another name, and gets its own when all are whole: half of them would look like all.
 *
 * @throws TransferError where there is such a file already, or why `signal` was aborted
 */
export async function exportFiles(
  database: Database,
  tenant: string,
  files: Files,
  options: ExportOptions,
): Promise<void> {
  const parts = order.flatMap((kind) => {
    const path = files[kind]
    return path === undefined ? [] : [{ kind, path, part: `${path}.${randomBytes(4).toString('hex')}.part` }]
  })
  for (const { path } of parts) await checkNew(path)
  try {
    for (const each of parts) await exportFile(database, tenant, each, options)
    for (const { path, part } of parts) {
      await checkNew(path) // as it took a while
      await rename(part, path)
    }
  } finally {
    for (const { part } of parts) await rm(part, { force: true })
  }
}

interface Part {
  readonly kind: Kind
  readonly path: string
  readonly part: string
}

async function exportFile(
  database: Database,
  tenant: string,
  part: Part,
  { progress, withHashes, signal }: ExportOptions,
): Promise<void> {
  progress.begin(part.kind)
  const columns = columnsOf(part.kind).all.filter((column) => withHashes || column !== 'passwordHash')
  const told = (done: number) => progress.advance(0, done)
  const records = readAll(database, tenant, part.kind, told, signal)
  await writeRecords(part, columns, records, signal)
  progress.end()
}

/** @throws TransferError */
async function checkNew(path: string): Promise<void> {
  const isThere = await lstat(path).then(
    () => true,
    () => false, // or it cannot be asked: then it cannot be made, which is told
  )
  if (isThere) throw new TransferError(`${basename(path)}: there is such a file already.`)
}

/** @param onDone told how many were read so far */
async function* readAll(
  database: Database,
  tenant: string,
  kind: Kind,
  onDone: (done: number) => void,
  signal: AbortSignal,
) {
  let [after, done] = ['', 0]
  for (;;) {
    const [rows = []] = await patiently(() => database.flight(tenant, [selections[kind](tenant, after)]), signal)
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
