/**
 * Deleting a tenant for good, with everything in it.
 *
 * 1. The first transaction sets `tenants.deleted_at`. From then on no request finds the tenant: sessions, links and hosts of it have ended.
 * 2. Its jobs and rows are deleted in batches, each in a transaction that ends well within a statement's time: a tenant may be large.
 *    The last transaction deletes the row of the tenant.
 * 3. If the process is killed in between, the command continues when it is run again, and so does retention.
 */
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { type Database, pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { ConstraintError } from '../../platform/database/errors.ts'
import { removeQueuedJobs } from '../../platform/jobs/queue.ts'
import { TenantError } from './tenants.ts'

/** @throws TenantError */
export async function deleteTenant(database: Database, slug: string): Promise<void> {
  if (slug === 'default') throw new TenantError('The tenant "default" cannot be deleted.')
  const [tenant] = await database.acrossTenants(
    (sql) => sql<{ id: string }>`select id from tenants where slug = ${slug}`,
  )
  if (!tenant) throw new TenantError(`There is no tenant "${slug}".`)
  await database.inTenant(tenant.id, hide)
  await erase(database, tenant.id)
}

/**
 * Continues deletions that were interrupted, until its time is over; the next run goes on.
 *
 * @throws AggregateError of what failed, after it has tried every tenant
 */
export async function finishDeletions(database: Database): Promise<void> {
  const end = performance.now() + timeout
  const tenants = await database.acrossTenants(
    (sql) => sql<{ id: string }>`select id from tenants where deleted_at is not null order by id`,
  )
  const errors: unknown[] = []
  for (const { id } of tenants) await erase(database, id, end).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} deletions of tenants failed.`)
}

/** From its commit on nobody finds the tenant. */
async function hide(sql: Sql): Promise<void> {
  await lockTenant(sql)
  await sql`
    update tenants set deleted_at = least(deleted_at, now()), allowed_origins = '{}', remote_pictures = false
    where id = ${sql.tenant}`
  await sql`delete from tenant_domains where tenant_id = ${sql.tenant}`
}

/** @param end by `performance.now()`: later than that no batch begins */
async function erase(database: Database, id: string, end = Number.POSITIVE_INFINITY): Promise<void> {
  for (let isGone = false, round = 1; !isGone; round++) {
    try {
      for (const eraseBatch of batches) {
        for (let isMore = true; isMore; ) {
          if (performance.now() >= end) return
          isMore = await database.inTenant(id, eraseBatch)
        }
      }
      isGone = await database.inTenant(id, eraseRest)
    } catch (error) {
      // A request that was under way added a row to a table that was empty by then. None begins any more.
      if (round === 3 || !(error instanceof ConstraintError && error.kind === 'foreign_key')) throw error
    }
  }
}

/**
 * The lock waits for requests that are under way, and none begins.
 *
 * @returns whether the tenant is gone; else there is another batch
 */
async function eraseRest(sql: Sql): Promise<boolean> {
  await lockTenant(sql, 'update')
  for (const eraseBatch of batches) if (await eraseBatch(sql)) return false
  await sql`delete from tenants where id = ${sql.tenant}`
  return true
}

/** How many rows a statement deletes at most, unless the table says otherwise. */
const batch = 1_000
/** How long retention may take for it, in milliseconds. */
const timeout = 120_000

/**
 * The tables, each before those that its rows refer to, so that a batch never deletes more by foreign keys; with their keys. Deliveries
 * and words may be millions, of narrow rows to which nothing refers, so more of them go at once. Entries refer to nobody, and go after users: a change
 * that writes one has locked its user, organization or tenant, and deleting those waits for it.
 */
export const tables = [
  [statement`outbox`, statement`written_at, id`],
  [statement`feed`, statement`sequence`],
  [statement`audit_details`, statement`entry_id, user_id`],
  [statement`subjects`, statement`user_id, organization_id`],
  [statement`mails`, statement`id`],
  [statement`mailed_tokens`, statement`user_id, purpose, slot`],
  [statement`idempotency_names`, statement`name, user_id, digest`],
  [statement`idempotency_keys`, statement`user_id, digest`],
  [statement`invitation_words`, statement`organization_id, word, invitation_id`, 10_000],
  [statement`invitations`, statement`id`],
  [statement`links`, statement`id`],
  [statement`api_key_secrets`, statement`token_hash`],
  [statement`api_keys`, statement`id`],
  [statement`webhook_deliveries`, statement`webhook_id, sequence`, 10_000],
  [statement`webhook_secrets`, statement`webhook_id, id`],
  [statement`webhooks`, statement`id`],
  [statement`exclusions`, statement`organization_id, user_id`],
  [statement`role_grants`, statement`membership_id, role_id`],
  [statement`memberships`, statement`id`],
  [statement`roles`, statement`id`],
  [statement`permissions`, statement`key`],
  [statement`pictures`, statement`id`],
  [statement`external_organizations`, statement`external_id`],
  [statement`organization_words`, statement`word, organization_id`, 10_000],
  [statement`organizations`, statement`id`],
  [statement`attempts`, statement`id`],
  [statement`grants`, statement`id`],
  [statement`application_secrets`, statement`secret_hash`],
  [statement`applications`, statement`id`],
  [statement`sessions`, statement`id`],
  [statement`known_devices`, statement`user_id, token_hash`],
  [statement`former_addresses`, statement`user_id, email`],
  [statement`external_users`, statement`external_id`],
  [statement`recovery_codes`, statement`user_id, code_hash`],
  [statement`factors`, statement`id`],
  [statement`identities`, statement`id`],
  [statement`user_words`, statement`word, user_id`, 10_000],
  [statement`users`, statement`id`],
  [statement`audit_entries`, statement`id`],
  [statement`providers`, statement`id`],
  [statement`signing_keys`, statement`id`],
  [statement`password_attempts`, statement`account, source`],
  [statement`spent_challenges`, statement`hash`],
] as const

const [outbox, ...others] = tables

const eraseJobs = async (sql: Sql) => (await removeQueuedJobs(sql, batch)) === batch

/**
 * Each deletes a batch of one kind, and returns whether there may be more. What was in the outbox may be in the queue by then. Both come
 * again at the end: like entries, jobs refer to nobody, and a change under way may have added one.
 */
const batches: readonly ((sql: Sql) => Promise<boolean>)[] = [
  eraserOf(outbox),
  eraseJobs,
  ...others.map(eraserOf),
  eraserOf(outbox),
  eraseJobs,
]

/** The lock of the tenant keeps two processes from choosing the same rows. */
function eraserOf([table, key, most = batch]: readonly [Statement, Statement, number?]): (
  sql: Sql,
) => Promise<boolean> {
  return async (sql) => {
    const [, erased] = await pipeline([
      lockTenant(sql),
      sql`
        delete from ${table}
        where tenant_id = ${sql.tenant} and (${key}) in (
          select ${key} from ${table} where tenant_id = ${sql.tenant} limit ${most})
        returning tenant_id`,
    ])
    return erased.length === most
  }
}
