/**
 * Recheck: whether a request's credential is still what its door saw, after the request has waited for a lock.
 *
 * Invariant: whatever ends a person's sessions because the account was in wrong hands (a reset, an undo, a suspension) holds the lock of the
 * person's row. So a request that holds it and finds its session alive makes its change before that, and the change is taken back. What ends an
 * access token alone (a revocation, an application that is switched off) waits for nobody: a request that finds it alive came before.
 */
import { empty, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Caller, CallingApplication, KeyCaller } from '../access/actors.ts'
import { recheckKey } from '../keys/recheck.ts'
import { ApiProblem } from '../problems.ts'
import { isOpenedUntil } from './grants.ts'
import { isSessionFresh, isSessionLive } from './lifetime.ts'

/** What a door has seen of a session, a key or an access token. */
export type Seen = Pick<Caller, 'userId' | 'sessionId' | 'limits' | 'application' | 'assurance' | 'isFresh'>

/**
 * Checks a credential again, by a statement of its own: one that also waits for a lock would read it as it was before.
 *
 * @throws Problem unauthenticated if it has ended or has proven less than its door saw; those of `recheckKey` for a key
 */
export async function recheckCaller(sql: Sql, seen: Seen): Promise<void> {
  const { userId, sessionId, limits, application, assurance, isFresh } = seen
  if (limits !== null) return recheckKey(sql, limits)
  const live = await sql`
    select from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${sql.tenant} and s.id = ${sessionId} and s.user_id = ${userId} and ${isSessionLive}
      and s.assurance >= ${assurance}::integer
      and (not ${isFresh}::boolean or ${isSessionFresh})
      ${application === null ? empty : andOpenTo(sql.tenant, application)}`
  if (live.length === 0) throw new ApiProblem('unauthenticated')
}

/** Checks the credential behind a change for which no session has to be fresh. @throws as `recheckCaller` */
export function recheckCredential(sql: Sql, caller: Caller | KeyCaller): Promise<void> {
  return caller.type === 'key' ? recheckKey(sql, caller) : recheckCaller(sql, { ...caller, isFresh: false })
}

/** A further condition of one of `sessions s`: that the application still may call by its access token. */
function andOpenTo(tenant: string, { grantId, tokenEnd }: CallingApplication): Statement {
  return statement`and exists (
    select from grants g
    join applications a on a.tenant_id = ${tenant} and a.id = g.application_id
    where g.tenant_id = ${tenant} and g.id = ${grantId} and g.session_id = s.id and ${isOpenedUntil(tokenEnd)})`
}
