/**
 * Export: writes the files that an import reads. An import into another installation restores everything in them except the ids.
 *
 * Invariant: no file has a secret but the password hashes that somebody asks for.
 */
import { lstat, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { organizationFields } from '../../domain/organizations/fields.ts'
import { userFields } from '../../domain/people/fields.ts'
import { isCurrent, isHeld } from '../../domain/permissions/held.ts'
import { randomBytes } from '../../platform/cryptography.ts'
import { type Database, type Row, type Statement, statement } from '../../platform/database/database.ts'
import { fieldColumns } from '../../platform/database/fields.ts'
import { retryWhileUnavailable } from './batches.ts'
import { TransferError, toTransferError, writeRecords } from './files.ts'
import type { Files } from './import.ts'
import type { Progress } from './progress.ts'
import { columnsOf, type Kind } from './rows.ts'

/**
 * The number of rows that one statement reads. On a slow disk each row may be on another page, and the statement must not time out.
 * The statements contain it as a literal: for a parameter, PostgreSQL's generic plan assumes a tenth of the table and starts workers.
 */
const batch = 250

/** In this order each file is complete: the users and organizations that one names follow in a later one, unless deleted meanwhile. */
const order = ['applications', 'webhooks', 'identities', 'memberships', 'organizations', 'users'] as const

export interface ExportOptions {
  readonly progress: Progress
  /** Whether password hashes are written. */
  readonly withHashes: boolean
  /** Aborts the export: then no file is written. */
  readonly signal: AbortSignal
}

/**
 * Exports a tenant. Each file is written under a temporary name, and renamed when all are complete, so that a part never looks like all.
 * A failure leaves none of them.
 *
 * @param tenant its id
 * @param files  the path of each file to write
 * @throws TransferError when a file already exists or cannot be written, or the reason of `signal`
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
  const renamed: string[] = []
  try {
    for (const each of parts) await exportFile(database, tenant, each, options)
    for (const { path } of parts) await checkNew(path) // somebody may have created it meanwhile
    for (const { path, part } of parts) {
      await checkNew(path) // another name of the same file
      await rename(part, path).catch((error: unknown) => {
        throw toTransferError(basename(path), error)
      })
      renamed.push(path)
    }
  } catch (error) {
    for (const path of renamed) await rm(path, { force: true })
    throw error
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
  const leftOut = withHashes ? ['totpSecret'] : ['totpSecret', 'passwordHash']
  const columns = columnsOf(part.kind).all.filter((column) => !leftOut.includes(column))
  const onProgress = (done: number) => progress.advance(0, done)
  const records = readAll(database, tenant, part.kind, onProgress, signal)
  await writeRecords(part, columns, records, signal)
  progress.end()
}

/** @throws TransferError when the file exists */
async function checkNew(path: string): Promise<void> {
  const exists = await lstat(path).then(
    () => true,
    () => false, // other errors appear when it is created
  )
  if (exists) throw new TransferError(`${basename(path)}: the file already exists.`)
}

/** @param onDone called with the number of rows that were read so far */
async function* readAll(
  database: Database,
  tenant: string,
  kind: Kind,
  onDone: (done: number) => void,
  signal: AbortSignal,
) {
  let [after, done] = ['', 0]
  for (;;) {
    const { rows } = await retryWhileUnavailable(
      () => database.read(tenant, { rows: selections[kind](tenant, after) }),
      signal,
    )
    yield* rows.map(withoutOwnUrl)
    done += rows.length
    onDone(done)
    if (rows.length < batch) return
    after = String(rows.at(-1)?.id)
  }
}

/** A picture that was uploaded is in the file itself: another installation does not serve its URL. */
function withoutOwnUrl(row: Row): Row {
  if (row.avatar) return { ...row, avatarUrl: null }
  return row.logo ? { ...row, logoUrl: null } : row
}

/** The picture of a row that its URL names, as base64 on one line. */
function pictureOf(tenant: string, owner: Statement, url: Statement): Statement {
  return statement`(
    select replace(encode(p.content, 'base64'), chr(10), '')
    from pictures p
    where p.tenant_id = ${tenant} and ${owner} and right(${url}, length(p.id)) = p.id)`
}

/**
 * Reads a batch of each kind, ordered by id. Without an external id, our id takes its place. The subquery looks it up by the index: for a
 * join PostgreSQL would scan all external ids of a tenant without statistics, for each row.
 */
const selections: Readonly<Record<Kind, (tenant: string, after: string) => Statement>> = {
  users: (tenant, after) => statement`
    select id, ${externalUser(tenant, statement`u.id`)} as external_id, email, email_verified, ${fieldColumns(userFields)},
      ${pictureOf(tenant, statement`p.user_id = u.id`, statement`u.avatar_url`)} as avatar,
      created_at, password_hash
    from users u
    where tenant_id = ${tenant} and id > ${after}
    order by id
    limit 250`,
  organizations: (tenant, after) => statement`
    select id, ${externalOrganization(tenant, statement`o.id`)} as external_id, ${fieldColumns(organizationFields)},
      ${pictureOf(tenant, statement`p.organization_id = o.id`, statement`o.logo_url`)} as logo, created_at
    from organizations o
    where tenant_id = ${tenant} and id > ${after}
    order by id
    limit 250`,
  memberships: (tenant, after) => statement`
    select id, ${externalOrganization(tenant, statement`m.organization_id`)} as organization,
      ${externalUser(tenant, statement`m.user_id`)} as "user", role, status, expires_at, joined_at,
      case when m.has_grants then (
        select json_agg(json_build_object('role', r.key, 'expiresAt', g.expires_at) order by r.key)
        from role_grants g
        join roles r on r.tenant_id = ${tenant} and r.id = g.role_id
        where g.tenant_id = ${tenant} and g.membership_id = m.id and ${isHeld}) end as grants
    from memberships m
    where tenant_id = ${tenant} and id > ${after} and ${isCurrent}
    order by id
    limit 250`,
  identities: (tenant, after) => statement`
    select id, ${externalUser(tenant, statement`i.user_id`)} as "user",
      (select p.name from providers p where p.tenant_id = ${tenant} and p.id = i.provider_id) as provider, subject, issuer, email,
      created_at
    from identities i
    where tenant_id = ${tenant} and id > ${after}
    order by id
    limit 250`,
  applications: (tenant, after) => statement`
    select id, name, kind, logo_url, start_url, redirect_uris, post_logout_uris, back_channel_logout_uri, scopes,
      require_verified_email, choose_organization, is_home, is_enabled as enabled
    from applications
    where tenant_id = ${tenant} and id > ${after}
    order by id
    limit 250`,
  webhooks: (tenant, after) => statement`
    select id, case when organization_id is not null then ${externalOrganization(tenant, statement`w.organization_id`)} end as organization,
      name, url, types
    from webhooks w
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
