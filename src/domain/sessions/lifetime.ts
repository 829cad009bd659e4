/**
 * Lifetime: until when a session lives, and how long it is fresh, by the database's clock and its tenant's settings.
 *
 * A session expires 14 days after its last use, and 30 days after it began, unless the tenant has other times.
 *
 * Invariant: a session that has expired stays expired. Longer lifetimes apply only to those that live (`sessionsOver`), and uses are noted
 * only for those (uses.ts).
 */
import { type Statement, statement } from '../../platform/database/database.ts'
import { freshness } from '../access/credential-kinds.ts'

/** Longer than a transaction takes. */
const margin = statement`interval '15 seconds'`

/** When one of `sessions s` expires, by the times of `tenants t`. */
export const expiry = statement`case
  when s.created_at <= t.sessions_created_after or s.last_active_at <= t.sessions_active_after then '-infinity'
  else least(
    (s.created_at at time zone 'UTC' + make_interval(secs => t.session_absolute_seconds)) at time zone 'UTC',
    (s.last_active_at at time zone 'UTC' + make_interval(secs => t.session_idle_seconds)) at time zone 'UTC')
end`

/**
 * Which sessions are over once `tenants` get other lifetimes: assignments for the `update` that sets these. Sessions that have a few
 * seconds left are among them, since the update is committed later than `now()`.
 */
export function sessionsOver(absoluteSeconds: number, idleSeconds: number): Statement {
  const before = (seconds: Statement, next: number) => statement`
    ((now() + ${margin}) at time zone 'UTC' - make_interval(secs => case when ${seconds} < ${next} then ${seconds} end)) at time zone 'UTC'`
  return statement`
    sessions_created_after = greatest(sessions_created_after, ${before(statement`session_absolute_seconds`, absoluteSeconds)}),
    sessions_active_after = greatest(sessions_active_after, ${before(statement`session_idle_seconds`, idleSeconds)})`
}

/** Which of `sessions s` live, by the times of `tenants t`. */
export const isSessionLive = statement`s.ended_at is null and ${expiry} > now()`

/** Which of `sessions s` live, and still do when a transaction that has begun now is committed. */
export const isSessionLiveAtCommit = statement`s.ended_at is null and ${expiry} > now() + ${margin}`

/** When the user of one of `sessions s` signed in, or confirmed it last. */
export const authenticatedAt = statement`coalesce(s.authenticated_at, s.created_at)`

/** Which of `sessions s` are fresh. */
export const isSessionFresh = statement`${authenticatedAt} > now() - make_interval(secs => ${freshness})`
