/** Committing: how what was sent is written, although a person may have changed the webhook while it was sent. */
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { queueRun } from '../webhooks/schedule.ts'
import { countSetAside, type SentItem, writeDeliveries } from './deliveries.ts'
import { type Locked, lockWebhook, mostSetAside } from './health.ts'
import type { Target } from './reading.ts'
import type { Sender } from './sending.ts'

/**
 * Locks the webhook, and writes what was sent. If somebody has changed it meanwhile, this is kept in the log, and another run is queued. An
 * event that failed and is after the place is not set aside: it comes again from the feed.
 *
 * @param write gets how many events are set aside, if the last one has failed; it writes all that was sent
 * @returns undefined if the run is over
 */
export function commitSent<T>(
  { database }: Pick<Sender, 'database'>,
  { tenant, id, moves, status, place }: Target,
  sent: readonly SentItem[],
  write: (sql: Sql, locked: Locked, setAside: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  return database.inTenant(tenant, async (sql) => {
    const added = sent.filter(({ isNext, outcome }) => isNext && outcome.error !== null).length
    const hasFailed = (sent.at(-1)?.outcome.error ?? null) !== null
    const [[locked], counted] = await pipeline([
      lockWebhook(sql, id),
      hasFailed && countSetAside(sql, id, mostSetAside),
    ])
    if (!locked) return undefined
    if (locked.moves !== moves || locked.status !== status || locked.place !== place) {
      const kept = sent.filter(({ event, outcome }) => outcome.error === null || event.sequence <= locked.place)
      await pipeline([writeDeliveries(sql, id, kept), locked.status !== 'disabled' && queueRun(sql, id, locked.isLate)])
      return undefined
    }
    return write(sql, locked, counted ? (counted[0]?.count ?? 0) + added : 0)
  })
}
