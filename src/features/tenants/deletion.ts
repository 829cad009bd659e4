/**
 * Deleting a tenant for good, with everything in it.
 *
 * 1. The first transaction sets `tenants.deleted_at`. From then on no request finds the tenant: sessions, links and hosts of it have ended.
 * 2. Its rows are deleted in batches, each in a transaction that ends well within a statement's time: a tenant may be large. The last
 *    transaction deletes the row of the tenant.
 * 3. If the process is killed in between, the command continues when it is run again, and so does retention.
 */
import { type Database, pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { removeJobsOf } from '../../platform/jobs/queue.ts'
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

/** Continues deletions that were interrupted, until its time is over; the next run goes on. */
export async function finishDeletions(database: Database): Promise<void> {
  const end = Date.now() + timeout
  const tenants = await database.acrossTenants(
    (sql) => sql<{ id: string }>`select id from tenants where deleted_at is not null order by id`,
  )
  for (const { id } of tenants) await erase(database, id, end)
}

/** From its commit on nobody finds the tenant. */
async function hide(sql: Sql): Promise<void> {
  await sql`
    update tenants set deleted_at = coalesce(deleted_at, now()), allowed_origins = '{}', remote_pictures = false
    where id = ${sql.tenant}`
  await sql`delete from tenant_domains where tenant_id = ${sql.tenant}`
  await removeJobsOf(sql)
}

/** @param end by the clock: later than that no batch begins */
async function erase(database: Database, id: string, end = Number.POSITIVE_INFINITY): Promise<void> {
  for (const table of emptied) {
    for (let erased = batch; erased === batch; ) {
      if (Date.now() >= end) return
      erased = await database.inTenant(id, (sql) => eraseBatch(sql, table))
    }
  }
  await database.inTenant(id, async (sql) => {
    await sql`select from tenants where id = ${sql.tenant} for update`
    for (const table of emptied) await eraseBatch(sql, table) // what requests that were under way have added
    await sql`delete from password_attempts where tenant_id = ${sql.tenant}`
    await sql`delete from spent_challenges where tenant_id = ${sql.tenant}`
    await removeJobsOf(sql)
    await sql`delete from tenants where id = ${sql.tenant}`
  })
}

const batch = 1_000
/** How long retention may take for it, in milliseconds. */
const timeout = 120_000

/** In this order nothing refers to what is deleted. The other tables refer to these by foreign keys, which delete their rows. */
const emptied = [
  statement`audit_entries`,
  statement`mails`,
  statement`attempts`,
  statement`organizations`,
  statement`users`,
  statement`providers`,
]

/**
 * The lock of the tenant keeps two processes from choosing the same rows.
 *
 * @returns the number of deleted rows: a whole batch, or the rest
 */
async function eraseBatch(sql: Sql, table: Statement): Promise<number> {
  const [, erased] = await pipeline([
    sql`select from tenants where id = ${sql.tenant} for no key update`,
    sql`
      delete from ${table}
      where tenant_id = ${sql.tenant} and id in (
        select id from ${table} where tenant_id = ${sql.tenant} limit ${batch})
      returning id`,
  ])
  return erased.length
}
