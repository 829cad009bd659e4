/**
 * Delivery: one run of a webhook. It sends what was set aside and is due again, and then what comes next in the feed.
 *
 * A run consists of slices: some events are read, sent, and written to the log in the transaction that moves the place. So a process that is
 * killed repeats one slice at most, under the same ids. While a slice sends, the run has no connection to the database. A run of a webhook
 * that was neither failing nor slow hands over the attempts that get no answer soon (handing-over.ts), and ends.
 *
 * Invariants: nothing is sent to a webhook by two runs at once, since a webhook is always in the same queue, and since a run sends nothing
 * while attempts that were handed over go on. Attempts that cannot be handed over keep their run. If two runs meet, for example after the
 * lane, the place or the types were changed, the later one does not move the place. An event before the place was delivered, or it is set aside.
 */
import { webhookAttempt } from '../../platform/channels.ts'
import { pipeline } from '../../platform/database/database.ts'
import { queueRun, type WebhookJob } from '../webhooks/schedule.ts'
import { ChangedError, commitSent, queueRuns, type Sending } from './committing.ts'
import { dropDeliveries, type Item, readNextDue, type SentItem, writeDeliveries } from './deliveries.ts'
import { handOver, lease, type UnderWay } from './handing-over.ts'
import { disable, isFailing, judge, keep, mostSetAside, startFailing } from './health.ts'
import { readTarget, readWork, type Target, type Work } from './reading.ts'
import { maySign, type Sender, send } from './sending.ts'
import { tryFailing } from './trials.ts'

/** How many events a run sends at once. */
export const atOnce = 4
/** How many events a run, and a slice of it, sends at most. */
const most = { run: 100, slice: 25 }
/** In milliseconds: for how long a run begins slices, and a slice begins attempts. So webhooks of one queue take turns. */
const lasting = 1_000
/** In milliseconds: how often a slice looks whether it hands over. */
const glance = 100

/** How a slice has ended. */
interface Slice {
  readonly count: number
  /** Whether there is more to send now. */
  readonly hasMore: boolean
  /** In how many seconds the next event that was set aside is due; null: there is none. */
  readonly nextDue: number | null
  readonly isLate: boolean
}

/**
 * Runs a webhook.
 *
 * @param isLate in which lane: whether that of failing and slow ones
 */
export function runWebhook(sender: Sender, job: WebhookJob, isLate: boolean): Promise<void> {
  return isLate ? runSlices(sender, job, true) : sender.waiting.duringRun(() => runSlices(sender, job, false))
}

async function runSlices(sender: Sender, job: WebhookJob, isLate: boolean): Promise<void> {
  const end = performance.now() + lasting
  let remaining = most.run
  for (;;) {
    const target = await readTarget(sender, job)
    if (!target?.isSending) return
    if (target.isUnderWay) return waitForLease(sender, target)
    if (target.isLate !== isLate) return queueAgain(sender, target, target.isLate, true, null)
    if (target.status === 'failing') return tryFailing(sender, target)
    const slice = await sendSlice(sender, target, remaining)
    if (!slice) return
    remaining -= slice.count
    if (!slice.hasMore || slice.isLate !== isLate || remaining <= 0 || performance.now() > end)
      return queueAgain(sender, target, slice.isLate, slice.hasMore, slice.nextDue)
  }
}

/** Ends a run since attempts were handed over that go on. The job of a trial may have been that for the end of their lease. */
async function waitForLease({ database }: Sender, { tenant, id, status, trialIn }: Target): Promise<void> {
  if (status !== 'failing') return
  await database.inTenant(tenant, (sql) => queueRun(sql, id, true, Math.max(lease + 1, trialIn ?? 0)))
}

/**
 * Has a run go on, behind others, and at the time of what was set aside. That is said after each run: the job for later may be gone, as that
 * of a trial is when the webhook is active by then.
 */
async function queueAgain(
  { database }: Sender,
  { tenant, id }: Target,
  isLate: boolean,
  hasMore: boolean,
  nextDue: number | null,
): Promise<void> {
  if (!hasMore && (nextDue === null || nextDue <= 0)) return
  await database.inTenant(tenant, (sql) => queueRuns(sql, id, isLate, hasMore, nextDue))
}

/** @returns undefined if the run is over */
async function sendSlice(sender: Sender, target: Target, remaining: number): Promise<Slice | undefined> {
  const work = await readWork(sender, target, Math.min(most.slice, remaining))
  const addressee = { ...target, ownHosts: work.ownHosts }
  if (work.items.length > 0 && !maySign(sender.keyring, addressee)) {
    sender.log.warn({ webhook: target.id }, 'no secret of the webhook opens, so nothing is sent')
    return undefined
  }
  const { tenant, isLate } = target
  const begun = performance.now()
  const { sent, started, underWay, rest } = await sendAll(work.items, {
    mayBegin: (soFar) => performance.now() - begun < lasting && !isFailing(judge(target.failures, soFar)),
    leave: (count, waited) => !isLate && sender.waiting.take(tenant, count, waited),
    sendOne: async (item) => {
      const outcome = await send(sender, addressee, item.event)
      webhookAttempt.publish({ outcome: outcome.error ?? 'delivered', seconds: delayOf(target, item, outcome.at) })
      return outcome
    },
  })
  const sending = { sent, underWay, wereHandedOver: false }
  if (underWay.length === 0) return write(sender, target, work, started, sending)
  try {
    await write(sender, target, work, started, sending)
  } catch (error) {
    const late = await rest.finally(() => sender.waiting.giveBack(tenant, underWay.length))
    if (!(error instanceof ChangedError)) throw error
    return write(sender, target, work, started, { ...sending, sent: [...sent, ...late], underWay: [] })
  }
  const left = { ...target, place: placeAfter(target, work, started), failures: judge(target.failures, sent).failures }
  sender.waiting.finish(tenant, underWay.length, rest, (ended) => finish(sender, left, work, ended))
  return undefined
}

/** Writes what became of attempts that were handed over, and has the webhook go on. */
async function finish(sender: Sender, target: Target, { ownHosts }: Work, ended: readonly SentItem[]): Promise<void> {
  const work = { items: ended, next: target.place, hasMore: true, gone: [], missedThrough: null, ownHosts }
  await write(sender, target, work, ended.length, { sent: ended, underWay: [], wereHandedOver: true })
}

interface Manner {
  /** Asked before each attempt, with what has ended. */
  readonly mayBegin: (sent: readonly SentItem[]) => boolean
  /** Has attempts under way taken over, if they may be: how many, and for how many milliseconds the first of them has gone on. */
  readonly leave: (count: number, waited: number) => boolean
  readonly sendOne: (item: Item) => Promise<SentItem['outcome']>
}

/** What was sent of events. */
interface SentSlice extends Omit<Sending, 'wereHandedOver'> {
  /** How many have ended or are under way. */
  readonly started: number
  /** What becomes of those under way. */
  readonly rest: Promise<readonly SentItem[]>
}

/** Sends events in their order, several at once, until all have ended or it leaves some. */
async function sendAll(items: readonly Item[], { mayBegin, leave, sendOne }: Manner): Promise<SentSlice> {
  const [sent, late]: [SentItem[], SentItem[]] = [[], []]
  const underWay = new Set<UnderWay>()
  const left = Promise.withResolvers<UnderWay[]>()
  let started = 0
  let hasLeft = false
  const work = async (): Promise<void> => {
    for (let item = items[started]; item && !hasLeft && mayBegin(sent); item = items[started]) {
      started++
      const attempt = { item, at: new Date().toISOString(), begun: performance.now() }
      underWay.add(attempt)
      const outcome = await sendOne(item)
      underWay.delete(attempt)
      const ended = hasLeft ? late : sent
      ended.push({ ...item, outcome })
    }
  }
  const all = Promise.all(Array.from({ length: atOnce }, work))
  const rest = all.then(() => late)
  rest.catch(() => {}) // if nobody takes it, `all` has thrown, or the run does
  const timer = setInterval(() => {
    const [first] = underWay
    if (!first || !leave(underWay.size, performance.now() - first.begun)) return
    hasLeft = true
    left.resolve([...underWay])
  }, glance)
  try {
    const unended = await Promise.race([all.then(() => []), left.promise])
    return { sent, started, underWay: unended, rest }
  } finally {
    clearInterval(timer)
  }
}

/** From an event until its first attempt, in seconds; undefined if it has waited for something else than us. */
function delayOf({ sendsSince }: Target, { event, isNext }: Item, at: string): number | undefined {
  if (!isNext || Date.parse(event.timestamp) < Date.parse(sendsSince)) return undefined
  return Math.max(0, (Date.parse(at) - Date.parse(event.timestamp)) / 1_000)
}

/** The place of a webhook once events were sent, or were left under way. @param started how many */
function placeAfter(target: Target, { items, next }: Work, started: number): number {
  if (started === items.length) return next
  return items.slice(0, started).findLast(({ isNext }) => isNext)?.event.sequence ?? target.place
}

/**
 * Writes what a slice has sent, and moves the place.
 *
 * @param started how many of its events were sent, or are under way
 * @returns undefined if the run is over
 * @throws ChangedError
 */
function write(
  sender: Sender,
  target: Target,
  work: Work,
  started: number,
  sending: Sending,
): Promise<Slice | undefined> {
  const { id } = target
  const { sent, underWay, wereHandedOver } = sending
  const isDone = started === work.items.length
  const place = placeAfter(target, work, started)
  const verdict = judge(target.failures, sent)
  return commitSent(sender, target, sending, async (sql, locked, setAside) => {
    const written = pipeline([
      writeDeliveries(sql, id, sent, { wereHandedOver, isUnchanged: true }),
      underWay.length > 0 && handOver(sql, id, underWay, locked.isLate),
    ])
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
    const [, , , [due]] = await pipeline([
      written,
      dropped,
      keep(sql, target, place, verdict),
      readNextDue(sql, id, place),
    ])
    const seconds = due?.seconds ?? null
    const isLate = locked.isLate || verdict.isSlow
    if (wereHandedOver) {
      await queueRuns(sql, id, isLate, true, seconds)
      return undefined
    }
    return {
      count: sent.length,
      hasMore: !isDone || work.hasMore || (seconds !== null && seconds <= 0),
      nextDue: seconds,
      isLate,
    }
  })
}
