/** The log of a webhook: a row for each event that was sent, or that is to be sent again. */
import { join, pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Event } from '../events/events.ts'
import { noteDropped } from '../record/missed-events.ts'
import type { DeliveryStatus } from '../webhooks/webhooks.ts'
import { delayAfter } from './backoff.ts'
import type { Outcome } from './sending.ts'

/** An event to be sent. */
export interface Item {
  readonly event: Event
  /** How many attempts it had. */
  readonly attempts: number
  /** Whether it comes from the feed, after the place of the webhook; otherwise it was set aside. */
  readonly isNext: boolean
}

/** An event that was sent, and what became of it. */
export interface SentItem extends Item {
  readonly outcome: Outcome
}

/**
 * Which row of the log an attempt replaces that has no success: that is handed over, or has failed. A success replaces every row.
 *
 * - An event that was set aside: a row with the attempts that the run has read. Otherwise a person has it sent again since, and it gets all
 *   its attempts.
 * - An event of the feed: every row, if nobody has changed the webhook since the run has read it: no other run has then sent the event.
 *   Otherwise a row whose attempt began before. The time alone does not decide, because the clocks of processes differ.
 *
 * @param unchanged the events, if nobody has changed the webhook; none otherwise
 */
export function isFormer(unchanged: readonly Item[]): Statement {
  const next = unchanged.filter(({ isNext }) => isNext).map(({ event }) => event.sequence)
  return statement`(webhook_deliveries.attempts = excluded.attempts - 1
    or (excluded.attempts = 1 and webhook_deliveries.attempted_at <= excluded.attempted_at)
    or webhook_deliveries.sequence = any(${next}::bigint[]))`
}

/** The same of a failure that comes after the attempt was handed over: its own row, which has no outcome yet. */
const isHandedOver = statement`(webhook_deliveries.attempts = excluded.attempts and webhook_deliveries.response_status is null
  and webhook_deliveries.error is null and webhook_deliveries.attempted_at <= excluded.attempted_at)`

/**
 * Writes what became of events, in place of what became of them before.
 *
 * @param wereHandedOver whether their attempts were
 * @param isUnchanged    whether nobody has changed the webhook since they were read
 */
export function writeDeliveries(
  sql: Sql,
  webhookId: string,
  sent: readonly SentItem[],
  { wereHandedOver, isUnchanged }: { readonly wereHandedOver: boolean; readonly isUnchanged: boolean },
): Sent<unknown> | false {
  if (sent.length === 0) return false
  const inOrder = sent.toSorted((one, other) => one.event.sequence - other.event.sequence)
  const rows = inOrder.map(({ event, attempts, outcome }) => {
    const { at, status, error, milliseconds, retryAfter } = outcome
    const delay = error === null ? undefined : delayAfter(attempts + 1, retryAfter)
    return statement`(${sql.tenant}, ${webhookId}, ${event.sequence}, ${event.id}, ${event.type}, ${statusOf(error, delay)},
      ${attempts + 1}, ${at}, ${status}, ${error}, ${milliseconds},
      statement_timestamp() + make_interval(secs => ${delay ?? null}::float8))`
  })
  return sql`
    insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, response_status,
      error, milliseconds, next_at)
    values ${join(rows)}
    on conflict (tenant_id, webhook_id, sequence) do update set status = excluded.status, attempts = excluded.attempts,
      attempted_at = excluded.attempted_at, response_status = excluded.response_status, error = excluded.error,
      milliseconds = excluded.milliseconds, next_at = excluded.next_at
    where excluded.status = 'delivered' or ${wereHandedOver ? isHandedOver : isFormer(isUnchanged ? sent : [])}`
}

function statusOf(error: string | null, delay: number | undefined): DeliveryStatus {
  if (error === null) return 'delivered'
  return delay === undefined ? 'failed' : 'retrying'
}

/** Notes a failed trial of an event that was set aside: neither its attempts nor the time of the next one change. */
export function noteTrial(sql: Sql, webhookId: string, { event, outcome }: SentItem): Sent<unknown> {
  return sql`
    update webhook_deliveries
    set attempted_at = ${outcome.at}, response_status = ${outcome.status}, error = ${outcome.error}, milliseconds = ${outcome.milliseconds}
    where tenant_id = ${sql.tenant} and webhook_id = ${webhookId} and sequence = ${event.sequence}`
}

/** Removes events that were set aside and are gone. Those that age has removed are missed. */
export function dropDeliveries(
  sql: Sql,
  webhookId: string,
  { gone, missedThrough }: { readonly gone: readonly number[]; readonly missedThrough: number | null },
): Sent<unknown> | false {
  if (gone.length === 0) return false
  return pipeline([
    sql`
      delete from webhook_deliveries
      where tenant_id = ${sql.tenant} and webhook_id = ${webhookId} and sequence = any(${gone}::bigint[])`,
    missedThrough !== null && noteDropped(sql, new Map([[webhookId, missedThrough]])),
  ])
}

/** Selects events that were set aside; those after the place will be read from the feed. */
function selectSetAside(tenant: string, webhookId: string, place: number): Statement {
  return statement`
    from webhook_deliveries d
    where d.tenant_id = ${tenant} and d.webhook_id = ${webhookId} and d.next_at is not null and d.sequence <= ${place}`
}

/** Selects `sequence` and `attempts` of events that were set aside and are due, oldest first. */
export function selectDueDeliveries(tenant: string, webhookId: string, place: number, limit: number): Statement {
  return statement`
    select d.sequence, d.attempts ${selectSetAside(tenant, webhookId, place)} and d.next_at <= statement_timestamp()
    order by d.next_at, d.sequence
    limit ${limit}`
}

/** The same of those that were tried longest ago, due or not. */
export function selectLongestUntried(tenant: string, webhookId: string, place: number, limit: number): Statement {
  return statement`
    select d.sequence, d.attempts ${selectSetAside(tenant, webhookId, place)}
    order by d.attempted_at, d.sequence
    limit ${limit}`
}

/** Counts the events that are set aside. @param limit up to which */
export function countSetAside(sql: Sql, webhookId: string, limit: number): Sent<{ count: number }[]> {
  return sql`
    select count(*) from (
      select from webhook_deliveries d
      where d.tenant_id = ${sql.tenant} and d.webhook_id = ${webhookId} and d.next_at is not null
      limit ${limit}) aside`
}

/** Reads in how many seconds the next event that was set aside is due; null if there is none. */
export function readNextDue(sql: Sql, webhookId: string, place: number): Sent<{ seconds: number | null }[]> {
  return sql`
    select extract(epoch from (
      select d.next_at ${selectSetAside(sql.tenant, webhookId, place)}
      order by d.next_at
      limit 1) - statement_timestamp())::float8 as seconds`
}
