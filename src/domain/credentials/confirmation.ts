/**
 * Confirmation: how a signed-in caller proves to be there before something that cannot be taken back, by the password or a fresh session.
 */
import { type Sql, statement } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { type Caller, personOf, sessionIdOf } from '../access/actors.ts'
import type { Doors } from '../access/authorization.ts'
import { freshness } from '../access/credential-kinds.ts'
import { ApiProblem } from '../problems.ts'
import { countTry, forgiveTries, turnOfTries } from './guessing.ts'
import { type Hasher, hasherOf } from './hash-queue.ts'
import { type PasswordContext, verifyTry } from './passwords.ts'

/** A signed-in user who has just proven to be one: by the password, or by a fresh session. */
export interface Confirmed extends PasswordContext {
  readonly allowedEmailDomains: readonly string[]
  readonly tenantId: string
  /** Of the password that was proven; null if a fresh session is the proof. */
  readonly passwordHash: string | null
  /** For whom a new password is hashed. */
  readonly hasher: Hasher
}

/**
 * Has the caller prove who they are before something that cannot be taken back. If the account has a password and the session has
 * proven one factor only, the password is required and counted like a sign-in. Otherwise the session must be fresh: a password never
 * stands for two factors.
 *
 * @param pointer where the password is in the body
 * @param always  whether the password is required of every session, if the account has one
 * @throws Problem invalid_request, wrong_password, too_many_attempts, overloaded, confirmation_required, insufficient_scope
 */
export async function confirmCaller(
  doors: Pick<Doors, 'context' | 'readAsUser'>,
  password: string | undefined,
  pointer: string,
  always = false,
): Promise<Confirmed> {
  const { caller, found } = await readPerson(doors)
  const sessionId = sessionIdOf(caller)
  const tenant = { id: caller.tenantId }
  if (found.passwordHash === null || (caller.assurance === 2 && !always)) {
    checkFresh(caller)
    const hasher = hasherOf(doors.context, tenant.id, found.email, true)
    return { ...found, tenantId: tenant.id, passwordHash: null, hasher }
  }
  if (password === undefined) throw invalidRequest([faultOf(pointer, 'required')])
  const tried = await countTry(doors.context, tenant, found.email, { sessionId })
  const { matches } = await verifyTry(doors.context, tenant, tried, password, found.passwordHash)
  if (!matches) throw new ApiProblem('wrong_password')
  await doors.context.database.inTenant(tenant.id, (sql) => forgiveTries(sql, tried), {
    turn: turnOfTries(tried),
  })
  return { ...found, tenantId: tenant.id, hasher: tried.hasher }
}

/**
 * Reads what a password of the caller is judged by.
 *
 * @throws Problem unauthenticated, insufficient_scope
 */
export async function readPerson(
  doors: Pick<Doors, 'readAsUser'>,
): Promise<{ readonly caller: Caller; readonly found: Omit<Confirmed, 'tenantId' | 'hasher'> }> {
  const { caller, users } = await doors.readAsUser<{ users: Omit<Confirmed, 'tenantId' | 'hasher'> }>(
    ({ tenant, user }) => ({
      users: statement`
        select u.email, u.password_hash, t.name as tenant_name, t.password_minimum, t.allowed_email_domains
        from users u
        join tenants t on t.id = u.tenant_id
        where u.tenant_id = ${tenant} and u.id = ${user}`,
    }),
    { byKey: true },
  )
  const [found] = users
  if (!found) {
    personOf(caller) // a key of the tenant has none, and so no password
    throw new ApiProblem('unauthenticated') // deleted meanwhile
  }
  return { caller, found }
}

/**
 * Checks that the proof of `confirmCaller` still holds, in the transaction of the change.
 *
 * @throws Problem wrong_password, confirmation_required; unauthenticated if the account is gone
 */
export async function checkConfirmed(
  sql: Sql,
  caller: Caller,
  { passwordHash }: Pick<Confirmed, 'passwordHash'>,
): Promise<void> {
  if (passwordHash === null) return checkFresh(caller)
  const [found] = await sql<{ isProven: boolean }>`
    select password_hash is not distinct from ${passwordHash} as is_proven from users
    where tenant_id = ${sql.tenant} and id = ${caller.userId}`
  if (!found) throw new ApiProblem('unauthenticated')
  if (!found.isProven) throw new ApiProblem('wrong_password')
}

/** @throws Problem confirmation_required */
export function checkFresh({ isFresh }: Pick<Caller, 'isFresh'>): void {
  if (!isFresh) throw new ApiProblem('confirmation_required', { maxAge: freshness })
}
