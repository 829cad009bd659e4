/**
 * Handing over: how attempts go on when their run has ended.
 *
 * Their events are set aside for a minute, and the place moves on. What became of them is written when they have ended. If the process is
 * killed before, the minute ends, and they are sent again under the same ids. Until one of both, no run sends anything by the webhook.
 */
import { join, pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { queueRun } from '../webhooks/schedule.ts'
import { type Item, isFormer } from './deliveries.ts'

/** In seconds: how long an attempt may go on without its run. It ends in 15. */
export const lease = 60

/** An attempt without an answer. */
export interface UnderWay {
  readonly item: Item
  /** When it began: as a date, and by the clock of `performance.now()`. */
  readonly at: string
  readonly begun: number
}

/**
 * Whether attempts of `webhooks w` go on without their run. No other row of the log has neither a status nor an error. The end of the lease
 * may be later than the lease is long, if PostgreSQL's clock was set back meanwhile.
 */
export const isUnderWay = (tenant: string): Statement => statement`exists (
  select from webhook_deliveries d
  where d.tenant_id = ${tenant} and d.webhook_id = w.id and d.next_at > statement_timestamp()
    and d.next_at <= statement_timestamp() + make_interval(secs => ${2 * lease})
    and d.response_status is null and d.error is null)`

/**
 * Sets events aside whose attempts go on, one at least, and queues the run that sends them again if nobody writes what became of them. One
 * that a person has sent again meanwhile stays due. Nobody has changed the webhook since they were read.
 *
 * @param isLate whether the webhook is failing or slow
 */
export function handOver(sql: Sql, webhookId: string, attempts: readonly UnderWay[], isLate: boolean): Sent<unknown> {
  const inOrder = attempts.toSorted((one, other) => one.item.event.sequence - other.item.event.sequence)
  const rows = inOrder.map(
    ({ item: { event, attempts: before }, at, begun }) => statement`
      (${sql.tenant}, ${webhookId}, ${event.sequence}, ${event.id}, ${event.type}, 'retrying', ${before + 1}, ${at},
        ${Math.round(performance.now() - begun)}, statement_timestamp() + make_interval(secs => ${lease}))`,
  )
  return pipeline([
    sql`
      insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds,
        next_at)
      values ${join(rows)}
      on conflict (tenant_id, webhook_id, sequence) do update set status = excluded.status, attempts = excluded.attempts,
        attempted_at = excluded.attempted_at, response_status = null, error = null, milliseconds = excluded.milliseconds,
        next_at = excluded.next_at
      where ${isFormer(inOrder.map(({ item }) => item))}`,
    queueRun(sql, webhookId, isLate, lease + 1), // when they are due
  ])
}
