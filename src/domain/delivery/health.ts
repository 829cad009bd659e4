/**
 * The health of webhooks: what failures and successes make of one.
 *
 * - Five different events in a row failed, or a thousand are set aside and the last one failed: it is failing.
 * - The first success of a failing one makes it active. If there is none for five days, it is disabled. After a pause they begin again.
 * - An answer 410 disables it at once.
 *
 * Its version stays: nobody has edited it. That it fails and recovers is recorded at most once an hour, so that one that does so all the time
 * fills no log.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { empty, pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { system } from '../access/actors.ts'
import { tellOfWebhook } from '../mail/webhooks.ts'
import type { Action } from '../record/actions.ts'
import { record } from '../record/record.ts'
import { isLate, queueRun, trialAt } from '../webhooks/schedule.ts'
import type { WebhookStatus } from '../webhooks/webhooks.ts'
import { delayOfTrial } from './backoff.ts'
import type { SentItem } from './deliveries.ts'
import type { Target } from './reading.ts'

/** How many different events in a row have to fail, and how many may be set aside. */
const mostFailures = 5
export const mostSetAside = 1_000
/** In milliseconds: an answer that took longer is slow. */
const slowAfter = 3_000
const gone = 410

/** What the events of a slice say of a webhook. */
export interface Verdict {
  /** How many different events in a row have failed. */
  readonly failures: number
  readonly isGone: boolean
  readonly isSlow: boolean
  /** The most seconds that the answers to these failures have asked for. */
  readonly retryAfter: number
}

/**
 * @param before how many had failed in a row before
 * @param sent   in the order in which they ended
 */
export function judge(before: number, sent: readonly SentItem[]): Verdict {
  // An event that was set aside may be one of those that had failed before.
  let streak = { before, again: 0, first: 0, retryAfter: 0 }
  for (const { outcome, isNext } of sent) {
    if (outcome.error === null) streak = { before: 0, again: 0, first: 0, retryAfter: 0 }
    else {
      if (isNext) streak.first++
      else streak.again++
      streak.retryAfter = Math.max(streak.retryAfter, outcome.retryAfter)
    }
  }
  return {
    failures: Math.max(streak.before, streak.again) + streak.first,
    isGone: sent.some(({ outcome }) => outcome.status === gone),
    isSlow: sent.some(({ outcome }) => outcome.milliseconds > slowAfter),
    retryAfter: streak.retryAfter,
  }
}

/** Whether a webhook that is active is to send no more for now. */
export function isFailing({ failures, isGone }: Pick<Verdict, 'failures' | 'isGone'>): boolean {
  return isGone || failures >= mostFailures
}

/** A webhook whose row is locked. */
export interface Locked {
  readonly place: number
  readonly moves: number
  readonly status: WebhookStatus
  readonly types: readonly string[]
  readonly isLate: boolean
  /** When a failing one is tried, in seconds since 1970. */
  readonly trialAt: number | null
  /** Whether it may be recorded that it fails now, and whether that was recorded when it began to fail. */
  readonly mayTell: boolean
  readonly wasTold: boolean
  /** In how many seconds it is disabled, if it goes on failing; null: it is not failing. */
  readonly disabledIn: number | null
}

/** Locks a webhook. */
export function lockState(sql: Sql, id: string): Sent<Locked[]> {
  return sql<Locked>`
    select w.place, w.moves, w.status, w.types, ${isLate} as is_late, ${trialAt} as trial_at,
      coalesce(w.recovered_at <= statement_timestamp() - interval '1 hour', true) as may_tell,
      coalesce(w.recovered_at <= w.failing_since - interval '1 hour', true) as was_told,
      extract(epoch from w.failing_since + interval '5 days' - statement_timestamp())::float8 as disabled_in
    from webhooks w
    where w.tenant_id = ${sql.tenant} and w.id = ${id}
    for no key update`
}

/** Moves the place of a webhook whose status stays. */
export function keep(
  sql: Sql,
  { id }: Target,
  place: number,
  { failures, isSlow }: Pick<Verdict, 'failures' | 'isSlow'>,
): Sent<unknown> {
  return sql`
    update webhooks set place = ${place}, failures = ${failures} ${slowed(isSlow)}
    where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Makes a webhook failing: its place stays, and one event is tried now and then, not before the time that the answers asked for. */
export function startFailing(
  sql: Sql,
  target: Target,
  { mayTell }: Locked,
  place: number,
  { failures, isSlow, retryAfter }: Verdict,
): Sent<unknown> {
  const delay = delayOfTrial(0, retryAfter)
  return pipeline([
    sql`
      update webhooks w set status = 'failing', place = ${place}, failures = ${failures}, failing_since = statement_timestamp(),
        failing_told = false, trials = 0, next_at = statement_timestamp() + make_interval(secs => ${delay}) ${slowed(isSlow)}
      where w.tenant_id = ${sql.tenant} and w.id = ${target.id}`,
    mayTell && tell(sql, target, 'webhook.failing'),
    queueRun(sql, target.id, true, delay),
  ])
}

/**
 * Has a failing webhook tried again: later, or now if a person has asked for it since the trial began.
 *
 * @param retryAfter the seconds that the answer asked for
 */
export function stayFailing(
  sql: Sql,
  { id, trials, trialAt }: Target,
  { disabledIn, trialAt: askedAt }: Locked,
  place: number,
  isSlow: boolean,
  retryAfter: number,
): Sent<unknown> {
  const delay = askedAt === trialAt ? Math.min(delayOfTrial(trials + 1, retryAfter), disabledIn ?? 0) : 0
  return pipeline([
    sql`
      update webhooks w set place = ${place}, trials = trials + 1,
        next_at = statement_timestamp() + make_interval(secs => ${delay}) ${slowed(isSlow)}
      where w.tenant_id = ${sql.tenant} and w.id = ${id}`,
    queueRun(sql, id, true, delay),
  ])
}

/** Makes a failing webhook active, and has it go on. */
export function recover(
  sql: Sql,
  target: Target,
  { wasTold }: Locked,
  place: number,
  isSlow: boolean,
): Promise<unknown> {
  const end = statement`
    failures = 0, failing_since = null, failing_told = false, trials = 0, next_at = null
    ${wasTold ? statement`, recovered_at = statement_timestamp()` : empty}`
  return pipeline([
    sql`
      update webhooks w set status = 'active', place = ${place}, ${end} ${slowed(isSlow)}
      where w.tenant_id = ${sql.tenant} and w.id = ${target.id}`,
    wasTold && tell(sql, target, 'webhook.recovered'),
    queueRun(sql, target.id, isSlow),
  ])
}

/** Disables a webhook that nobody has disabled, and mails its people. */
export async function disable(
  sql: Sql,
  { keyring }: { readonly keyring: Keyring },
  target: Target,
  place: number,
  because: 'failures' | 'gone',
): Promise<void> {
  await pipeline([
    sql`
      update webhooks w set status = 'disabled', disabled_because = ${because}, place = ${place}, failures = 0, failing_since = null,
        failing_told = false, trials = 0, next_at = null
      where w.tenant_id = ${sql.tenant} and w.id = ${target.id}`,
    tell(sql, target, 'webhook.disabled'),
  ])
  await tellOfWebhook(sql, { keyring }, target, { disabledBecause: because })
}

function slowed(isSlow: boolean): Statement {
  return isSlow ? statement`, slow_until = statement_timestamp() + interval '10 minutes'` : empty
}

function tell(sql: Sql, { id, organizationId }: Target, action: Action): Sent<unknown> {
  return record(sql, system, action, {
    target: { type: 'webhook', id },
    organizationId,
  })
}
