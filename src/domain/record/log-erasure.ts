/**
 * Log erasure: the audit log of a deleted organization may be long, and is deleted in batches, each in a transaction of its own.
 *
 * 1. The transaction that deletes the organization deletes a batch. Most logs are no longer than that.
 * 2. If there are more entries, the transaction adds the job `erase_log`. If its process is killed, the queue gives the job to another.
 * 3. Retention deletes what is left if the job was lost, or if a release before migration 0017 deleted the organization.
 *
 * What logs tell of a deleted person is deleted in batches too, but all of it in the transaction that deletes the person.
 *
 * Invariants: nobody can read an entry whose organization is gone (entries.ts). An entry has the id of its organization without a
 * foreign key. To write one, the organization or one of its invitations must be locked: the deletion waits for that lock.
 */
import { randomBytes } from '../../platform/cryptography.ts'
import { type Database, type Purge, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { addJob } from '../../platform/jobs/queue.ts'
import { erasureTurn } from '../access/turns.ts'

declare module '../../platform/jobs/queue.ts' {
  interface Tasks {
    erase_log: LogJob
  }
}

interface LogJob {
  readonly tenantId: string
  readonly organizationId: string
}

/** How many entries a statement deletes at most, so that it ends well within its time. */
const batch = 1_000
/** How long a job may take, in milliseconds: a very long log does not keep other jobs from the worker. */
const timeout = 120_000

/** Deletes the log of an organization whose row was deleted in the same transaction. */
export async function eraseLog(sql: Sql, organizationId: string): Promise<void> {
  if (await eraseBatch(sql, organizationId)) await addLogJob(sql, organizationId)
}

/** The task: deletes the rest of a log. When its time is over, it adds another job. */
export async function eraseLogBatches(database: Database, { tenantId, organizationId }: LogJob): Promise<void> {
  const end = performance.now() + timeout
  let isMore = true
  while (isMore && performance.now() < end)
    isMore = await database.inTenant(tenantId, (sql) => eraseBatch(sql, organizationId))
  if (isMore) await database.inTenant(tenantId, (sql) => addLogJob(sql, organizationId))
}

/**
 * In the order of the index `audit_entries_by_organization_and_action`. Their details go with them.
 *
 * @returns whether there may be more
 */
async function eraseBatch(sql: Sql, organizationId: string): Promise<boolean> {
  const erased = await sql`
    with over as (
      select id from audit_entries
      where tenant_id = ${sql.tenant} and organization_id = ${organizationId}
      order by action desc, occurred_at desc, id desc
      limit ${batch}
      for update)
    delete from audit_entries e
    using over
    where e.tenant_id = ${sql.tenant} and e.id = over.id
    returning e.id`
  return erased.length === batch
}

function addLogJob(sql: Sql, organizationId: string): Promise<unknown> {
  return addJob(sql, 'erase_log', { tenantId: sql.tenant, organizationId }, `erase_log:${organizationId}`)
}

/** In seconds: how long ago an organization was deleted whose log is looked for at most. */
const longestSearch = 7 * 86_400
/** How many deletions are looked at for each entry that may be deleted: most have left none. */
const looksPerEntry = 10

/**
 * Deletes entries of organizations that were deleted in the last days. A tenant may delete very many, so each time some of them are looked
 * at, from a random time on, and after the last one from the first one.
 */
export const purgeLogs: Purge = (sql, batch) => {
  const most = batch * looksPerEntry
  const start = statement`now() - make_interval(secs => ${randomBytes(4).readUInt32BE() % longestSearch})`
  const next = (part: Statement) => statement`(
    select target_id from audit_entries
    where tenant_id = ${sql.tenant} and action = 'organization.deleted' and ${part}
    order by occurred_at, id
    limit ${most})`
  const [after, before] = [
    next(statement`occurred_at >= ${start}`),
    next(statement`occurred_at > now() - make_interval(secs => ${longestSearch}) and occurred_at < ${start}`),
  ]
  return sql`
    with looked as (select target_id from (${after} union all ${before}) ring limit ${most}),
    over as (
      select e.id
      from looked d
      join audit_entries e on e.tenant_id = ${sql.tenant} and e.organization_id = d.target_id
      limit ${batch}
      for update of e skip locked)
    delete from audit_entries e
    using over
    where e.tenant_id = ${sql.tenant} and e.id = over.id
    returning e.id`
}

/**
 * Deletes what the logs tell of a person, in the transaction that deletes the person. Each batch begins where the one before ended:
 * PostgreSQL would read again what the transaction itself deleted.
 */
export async function eraseDetails(sql: Sql, userId: string): Promise<void> {
  let position: Position | undefined = { occurredAt: '-infinity', entryId: '' }
  while (position) {
    const { occurredAt, entryId }: Position = position
    const rows: Position[] = await sql<Position>`
      with over as (
        select occurred_at, entry_id from audit_details
        where tenant_id = ${sql.tenant} and user_id = ${userId} and (occurred_at, entry_id) > (${occurredAt}, ${entryId})
        order by occurred_at, entry_id
        limit ${batch}),
      erased as (
        delete from audit_details d
        using over
        where d.tenant_id = ${sql.tenant} and d.user_id = ${userId} and d.entry_id = over.entry_id)
      select occurred_at, entry_id from over order by occurred_at desc, entry_id desc limit 1`
    if (rows[0] && entryId !== '') sql.claimTurn(erasureTurn) // they are more than a batch
    position = rows[0]
  }
}

/** The position of a row in the index `audit_details_by_user`. */
interface Position {
  readonly occurredAt: string
  readonly entryId: string
}
