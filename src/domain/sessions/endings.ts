/**
 * Endings of sessions: whatever ends one, such as a sign-out or a new password, calls `endSessions`.
 *
 * Invariants: nothing else sets `ended_at` of a session (`tools/statements.ts` checks it). A grant is made under the lock of its session. So
 * the grants of an ended session are ended, and their applications told, or no grant was made. The person of a session is locked before it
 * ends, so that two ends of several sessions of one person wait for each other. The hourly task only shares that lock: beside another end
 * it goes on, without the sessions that are locked.
 */
import {
  type Database,
  pipeline,
  type Sent,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import { system } from '../access/actors.ts'
import { record } from '../record/record.ts'
import { endGrants } from './grants.ts'
import { expiry } from './lifetime.ts'

/** A session that has just ended. */
export interface EndedSession {
  readonly id: string
  readonly userId: string
  readonly userName: string | null
  /** Whether it had not expired. */
  readonly lived: boolean
}

/** Locks the people of `sessions s`, as whatever ends these does first. */
export function lockPeopleOf(sql: Sql, which: Statement): Sent<unknown> {
  return sql`
    select from users
    where tenant_id = ${sql.tenant}
      and id in (select s.user_id from sessions s where s.tenant_id = ${sql.tenant} and ${which})
    order by id
    for no key update`
}

/** Ends sessions of `sessions s` and `tenants t` that have not ended, expired ones too, with all grants of theirs. */
export async function endSessions(sql: Sql, which: Statement): Promise<EndedSession[]> {
  const ended = await sql<EndedSession>`
    update sessions s set ended_at = now()
    from tenants t, users u
    where s.tenant_id = ${sql.tenant} and s.ended_at is null and ${which}
      and t.id = s.tenant_id and u.tenant_id = s.tenant_id and u.id = s.user_id
    returning s.id, s.user_id, u.name as user_name, ${expiry} > s.ended_at as lived`
  // In a statement after the lock: it sees a grant whose maker had the lock before.
  if (ended.length > 0) await endGrants(sql, statement`g.session_id = any(${ended.map(({ id }) => id)})`)
  return ended
}

/** @returns how many of them had not expired */
export function countLived(ended: readonly EndedSession[]): number {
  return ended.filter(({ lived }) => lived).length
}

/** How many sessions are ended at a time. */
const most = 100

/**
 * Ends sessions of a tenant that have expired and have live grants: their applications are to be told. Those without need no end, since an
 * expired session is refused by itself.
 *
 * @returns how many
 */
export async function expireSessions(database: Database, tenant: string): Promise<number> {
  let count = 0
  for (let ended = most; ended === most; count += ended) ended = await database.inTenant(tenant, expireBatch)
  return count
}

async function expireBatch(sql: Sql): Promise<number> {
  // This waits for nobody, so it may lock both in one statement.
  const expired = await sql<{ id: string }>`
    select s.id
    from sessions s
    join tenants t on t.id = s.tenant_id
    join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
    where s.tenant_id = ${sql.tenant} and s.ended_at is null and ${expiry} <= now()
      and s.id in (select session_id from grants where tenant_id = ${sql.tenant} and ended_at is null)
    limit ${most}
    for key share of u skip locked
    for no key update of s skip locked`
  const ended = await endSessions(sql, statement`s.id = any(${expired.map(({ id }) => id)})`)
  await pipeline(
    ended.map(({ id: deviceId, userId, userName: name }) =>
      record(sql, system, 'session.expired', { target: { type: 'user', userId, name }, details: { deviceId } }),
    ),
  )
  return ended.length
}
