/**
 * Delivery: one run of a webhook. It sends what was set aside and is due again, and then what comes next in the feed.
 *
 * A run consists of slices: some events are read, sent, and written to the log in the transaction that moves the place. So a process that is
 * killed repeats one slice at most, under the same ids. While a slice sends, the run has no connection to the database.
 *
 * Invariants: nothing is sent to a webhook by two runs at once, since a webhook is always in the same queue. Where they meet all the same, as
 * after its lane or the place was changed meanwhile, the later one moves no place. An event before the place was delivered, or it is set aside.
 */
import { webhookAttempt } from '../../platform/channels.ts'
import { pipeline } from '../../platform/database/database.ts'
import { queueRun, type WebhookJob } from '../webhooks/schedule.ts'
import { commitSent } from './committing.ts'
import { dropDeliveries, type Item, readNextDue, type SentItem, writeDeliveries } from './deliveries.ts'
import { disable, isFailing, judge, keep, mostSetAside, startFailing } from './health.ts'
import { readTarget, readWork, type Target, type Work } from './reading.ts'
import { maySign, type Sender, send } from './sending.ts'
import { tryFailing } from './trials.ts'

/** How many events a run sends at once. */
export const atOnce = 4
/** How many events a run, and a slice of it, sends at most. */
const most = { run: 100, slice: 25 }
/** In milliseconds: for how long a run begins slices, and a slice begins attempts. */
const lasting = { run: 10_000, slice: 1_000 }

/** How a slice has ended. */
interface Slice {
  readonly count: number
  /** Whether there is more to send now. */
  readonly hasMore: boolean
  /** In how many seconds the next event that was set aside is due, if that may have changed. */
  readonly nextDue: number | null
  readonly isLate: boolean
}

/**
 * Runs a webhook.
 *
 * @param isLate in which lane: whether that of failing and slow ones
 */
export async function runWebhook(sender: Sender, job: WebhookJob, isLate: boolean): Promise<void> {
  const end = performance.now() + lasting.run
  let remaining = most.run
  let nextDue: number | null = null
  for (;;) {
    const target = await readTarget(sender, job)
    if (!target?.isSending) return
    if (target.isLate !== isLate) return queueAgain(sender, target, target.isLate, true, null)
    if (target.status === 'failing') return tryFailing(sender, target)
    const slice = await sendSlice(sender, target, remaining)
    if (!slice) return
    remaining -= slice.count
    nextDue = slice.nextDue ?? nextDue
    if (!slice.hasMore || slice.isLate !== isLate || remaining <= 0 || performance.now() > end)
      return queueAgain(sender, target, slice.isLate, slice.hasMore, nextDue)
  }
}

/** Has a run go on, behind others. */
async function queueAgain(
  { database }: Sender,
  { tenant, id }: Target,
  isLate: boolean,
  hasMore: boolean,
  nextDue: number | null,
): Promise<void> {
  const isLater = nextDue !== null && nextDue > 0
  if (!hasMore && !isLater) return
  await database.inTenant(tenant, (sql) =>
    pipeline([hasMore && queueRun(sql, id, isLate), isLater && queueRun(sql, id, isLate, nextDue)]),
  )
}

/** @returns undefined if the run is over */
async function sendSlice(sender: Sender, target: Target, remaining: number): Promise<Slice | undefined> {
  const work = await readWork(sender, target, Math.min(most.slice, remaining))
  const addressee = { ...target, ownHosts: work.ownHosts }
  if (work.items.length > 0 && !maySign(sender.keyring, addressee)) {
    sender.log.warn({ webhook: target.id }, 'no secret of the webhook opens, so nothing is sent')
    return undefined
  }
  const begun = performance.now()
  const { sent, started } = await sendAll(work.items, {
    mayBegin: (soFar) => performance.now() - begun < lasting.slice && !isFailing(judge(target.failures, soFar)),
    sendOne: async (item) => {
      const outcome = await send(sender, addressee, item.event)
      webhookAttempt.publish({ outcome: outcome.error ?? 'delivered', seconds: delayOf(target, item, outcome.at) })
      return outcome
    },
  })
  return write(sender, target, work, sent, started)
}

interface Manner {
  /** Asked before each attempt, with what has ended. */
  readonly mayBegin: (sent: readonly SentItem[]) => boolean
  readonly sendOne: (item: Item) => Promise<SentItem['outcome']>
}

/** Sends events in their order, several at once. @returns those that were sent, as they ended, and how many that are */
async function sendAll(
  items: readonly Item[],
  { mayBegin, sendOne }: Manner,
): Promise<{ sent: SentItem[]; started: number }> {
  const sent: SentItem[] = []
  let started = 0
  const work = async (): Promise<void> => {
    for (let item = items[started]; item && mayBegin(sent); item = items[started]) {
      started++
      sent.push({ ...item, outcome: await sendOne(item) })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { sent, started }
}

/** From an event until its first attempt, in seconds; undefined if it has waited for something else than us. */
function delayOf({ sendsSince }: Target, { event, isNext }: Item, at: string): number | undefined {
  if (!isNext || Date.parse(event.timestamp) < Date.parse(sendsSince)) return undefined
  return Math.max(0, (Date.parse(at) - Date.parse(event.timestamp)) / 1_000)
}

/** Writes what a slice has sent, and moves the place. @returns undefined if the run is over */
function write(
  sender: Sender,
  target: Target,
  work: Work,
  sent: readonly SentItem[],
  started: number,
): Promise<Slice | undefined> {
  const { id } = target
  const isDone = started === work.items.length
  const last = work.items.slice(0, started).findLast(({ isNext }) => isNext)
  const place = isDone ? work.next : (last?.event.sequence ?? target.place)
  const verdict = judge(target.failures, sent)
  return commitSent(sender, target, sent, async (sql, locked, setAside) => {
    const written = writeDeliveries(sql, id, sent)
    const dropped = dropDeliveries(sql, id, work)
    if (verdict.isGone) {
      await pipeline([written, dropped])
      await disable(sql, sender, target, place, 'gone')
      return undefined
    }
    if (isFailing(verdict) || setAside >= mostSetAside) {
      await pipeline([written, dropped, startFailing(sql, target, locked, place, verdict)])
      return undefined
    }
    const [, , [kept], [due]] = await pipeline([
      written,
      dropped,
      keep(sql, target, place, verdict),
      readNextDue(sql, id, place),
    ])
    const seconds = due?.seconds ?? null
    const isTouched = sent.some(({ isNext, outcome }) => !isNext || outcome.error !== null)
    return {
      count: sent.length,
      hasMore: !isDone || work.hasMore || (seconds !== null && seconds <= 0),
      nextDue: isTouched ? seconds : null,
      isLate: kept?.isLate ?? false,
    }
  })
}
