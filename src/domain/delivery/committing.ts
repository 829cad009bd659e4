/** Committing: how what was sent is written, although a person may have changed the webhook while it was sent. */
import { pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import type { Event } from '../events/events.ts'
import { queueRun } from '../webhooks/schedule.ts'
import { isTakenAway } from '../webhooks/webhooks.ts'
import { countSetAside, readNextDue, type SentItem, writeDeliveries } from './deliveries.ts'
import type { UnderWay } from './handing-over.ts'
import { type Locked, lockState, mostSetAside } from './health.ts'
import type { Target } from './reading.ts'
import type { Sender } from './sending.ts'

/** What was sent of the events of a slice. */
export interface Sending {
  /** As they ended. */
  readonly sent: readonly SentItem[]
  /** Attempts that have not ended. */
  readonly underWay: readonly UnderWay[]
  /** Whether those that ended were handed over before, so that all of the events are set aside. */
  readonly wereHandedOver: boolean
}

/** Somebody has changed the webhook while attempts are under way, so that they cannot be handed over. Nothing is written. */
export class ChangedError extends Error {}

/**
 * Locks the webhook, and writes what was sent. If somebody has changed it meanwhile, this is kept in the log, and other runs are queued. An
 * event that failed and is after the place is not set aside: it comes again from the feed. Nor is one whose type was taken away.
 *
 * @param write gets how many events are set aside, if the last one has failed; it writes all that was sent
 * @returns undefined if the run is over
 * @throws ChangedError
 */
export function commitSent<T>(
  { database }: Pick<Sender, 'database'>,
  { tenant, id, moves, status, place, types }: Target,
  { sent, underWay, wereHandedOver }: Sending,
  write: (sql: Sql, locked: Locked, setAside: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  return database.inTenant(tenant, async (sql) => {
    const added = sent.filter(({ isNext, outcome }) => isNext && !wereHandedOver && outcome.error !== null).length
    const hasFailed = (sent.at(-1)?.outcome.error ?? null) !== null
    const [[locked], counted] = await pipeline([lockState(sql, id), hasFailed && countSetAside(sql, id, mostSetAside)])
    if (!locked) return undefined
    if (locked.moves !== moves || locked.status !== status || locked.place !== place) {
      if (underWay.length > 0) throw new ChangedError()
      // A person may have had one sent again whose type the webhook did not have.
      const isSetAside = ({ sequence, type }: Event) =>
        sequence <= locked.place && !isTakenAway(types, locked.types, type)
      const kept = sent.filter(({ event, outcome }) => outcome.error === null || isSetAside(event))
      const [, [due]] = await pipeline([
        writeDeliveries(sql, id, kept, { wereHandedOver, isUnchanged: false }),
        readNextDue(sql, id, locked.place),
      ])
      if (locked.status !== 'disabled') await queueRuns(sql, id, locked.isLate, true, due?.seconds ?? null)
      return undefined
    }
    return write(sql, locked, counted ? (counted[0]?.count ?? 0) + added : 0)
  })
}

/**
 * Queues a run if there is more to send, and one for later.
 *
 * @param nextDue in how many seconds an event that was set aside is due; null: there is none
 */
export function queueRuns(
  sql: Sql,
  id: string,
  isLate: boolean,
  hasMore: boolean,
  nextDue: number | null,
): Sent<unknown> {
  return pipeline([
    hasMore && queueRun(sql, id, isLate),
    nextDue !== null && nextDue > 0 && queueRun(sql, id, isLate, nextDue),
  ])
}
