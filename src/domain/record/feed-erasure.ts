/**
 * Feed erasure: what removes events from the feed of a tenant, into which the relay has brought them (platform/jobs/batch.ts). Age does, and
 * the deletion of an organization; that of the tenant has a step of its own.
 *
 * Invariant: of the events that age has removed, `feeds.trimmed` has the greatest sequence, and none of a lesser one is left.
 */
import { type Purge, pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { sequenceAt } from '../../platform/jobs/batch.ts'
import { erasureTurn } from '../access/turns.ts'
import { lockBehind, noteMissed, type RemovedEvent } from './missed-events.ts'

/** In seconds: how long before its entry an event goes. */
const lead = 7_200
/** In seconds: how much later than its entry an event may have got its place, because the relay failed, and still go before the entry. */
const longestDelay = 7 * 86_400

/** The greatest sequence that is past the tenant’s retention, or past that of the audit log less some seconds. */
export function lastExpired(tenant: string, less = lead): Statement {
  return statement`(
    select ${sequenceAt(statement`now() - make_interval(secs => least(event_retention_seconds, audit_retention_seconds - ${less}))`)}
    from tenants
    where id = ${tenant})`
}

/**
 * Deletes the oldest events, past the tenant’s retention, or two hours before that of the audit log: an event goes before its entry does,
 * also if a run of retention fails, so that no reader passes an event that has none. Where the relay was late, the time of the entry counts.
 * It waits for a batch of the relay. Webhooks that had not sent them go on after them.
 */
export const purgeEvents: Purge = async (sql, batch) => {
  const over = await sql<RemovedEvent>`
    with oldest as (
      select f.sequence, f.organization_id, f.action, f.entry_id
      from feed f
      where f.tenant_id = ${sql.tenant} and f.sequence <= ${lastExpired(sql.tenant, lead + longestDelay)}
      order by f.sequence
      limit ${batch})
    select sequence, organization_id, action
    from oldest
    where sequence <= greatest(${lastExpired(sql.tenant)}, (
      select max(o.sequence)
      from oldest o
      join audit_entries e on e.tenant_id = ${sql.tenant} and e.id = o.entry_id
      where e.occurred_at < now() - make_interval(secs => (
        select audit_retention_seconds - ${lead} from tenants where id = ${sql.tenant}))))
    order by sequence`
  const last = over.at(-1)?.sequence
  if (last === undefined) return over
  // In the order of those who move a webhook, or delete an organization with its webhooks and events. It waits for who chooses a place, too.
  await pipeline([sql`select from feeds where tenant_id = ${sql.tenant} for update`, lockBehind(sql, over)])
  const [removed] = await pipeline([
    sql<RemovedEvent>`
      delete from feed where tenant_id = ${sql.tenant} and sequence <= ${last} returning sequence, organization_id, action`,
    sql`update feeds set trimmed = greatest(trimmed, ${last}) where tenant_id = ${sql.tenant}`,
  ])
  if (removed.length > 0) await noteMissed(sql, removed)
  return removed
}

/** How many events a statement deletes at most, so that it ends well within its time. */
const batch = 1_000

/**
 * Deletes the events of an organization from the feed. Each batch begins where the one before ended: PostgreSQL would read again what the
 * transaction itself deleted.
 *
 * @param after the place after which it begins
 * @returns the last place that it has reached
 */
export async function eraseFromFeed(sql: Sql, organizationId: string, after = 0): Promise<number> {
  let last = after
  for (;;) {
    const [reached] = await sql<{ sequence: number }>`
      with over as (
        select sequence from feed
        where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and sequence > ${last}
        order by sequence
        limit ${batch}),
      erased as (
        delete from feed f
        using over
        where f.tenant_id = ${sql.tenant} and f.sequence = over.sequence)
      select sequence from over order by sequence desc limit 1`
    if (!reached) return last
    if (last > after) sql.claimTurn(erasureTurn) // they are more than a batch
    last = reached.sequence
  }
}

/**
 * Deletes the rest of the events of an organization whose row was deleted in the same transaction: those in the outbox, and then those that
 * the relay has brought into the feed since `eraseFromFeed`. The outbox comes first: this waits for a batch of the relay that has some. It is
 * one of the last steps of the transaction, because the relay of the tenant waits for the rows until the commit.
 *
 * @param last the place that `eraseFromFeed` has reached
 */
export async function eraseRestOfEvents(sql: Sql, organizationId: string, last: number): Promise<void> {
  await sql`delete from outbox where tenant_id = ${sql.tenant} and organization_id = ${organizationId}`
  await eraseFromFeed(sql, organizationId, last)
}
