/**
 * Ways in: what an account can be signed in to with, and that one of them remains.
 *
 * Invariant: a verified account keeps a way in. One is taken away only under the lock of the person's row.
 */
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Caller } from '../access/actors.ts'
import { secondMethodsOf } from '../access/second-factor.ts'
import { isCurrent } from '../permissions/held.ts'
import { ApiProblem } from '../problems.ts'
import { type Person, selectPerson, waysInOf } from './policy.ts'
import { recheckCaller, type Seen } from './recheck.ts'

/** Finds the account of an attempt: the one that it names, else the one with its address. */
export async function findPerson(sql: Sql, userId: string | null, email: string): Promise<Person | undefined> {
  const id = userId ?? statement`(select id from users where tenant_id = ${sql.tenant} and email = ${email})`
  const [person] = await sql<Person>`${selectPerson(sql.tenant, id)}`
  return person
}

/** Locks a person's account, and reads what it has. */
export async function lockPerson(sql: Sql, userId: string): Promise<Person | undefined> {
  const [, [person]] = await pipeline([
    sql`select from users where tenant_id = ${sql.tenant} and id = ${userId} for no key update`,
    sql<Person>`${selectPerson(sql.tenant, userId)}`,
  ])
  return person
}

/**
 * Locks the caller's own account.
 *
 * @throws Problem unauthenticated if the account was suspended or deleted, or the session has ended, while the account was waited for
 */
export async function lockOwn(sql: Sql, caller: Seen): Promise<Person> {
  const [person] = await pipeline([lockPerson(sql, caller.userId), recheckCaller(sql, caller)])
  if (person?.status !== 'active') throw new ApiProblem('unauthenticated')
  return person
}

/**
 * Checks, after something was taken away, that it was not the last way in. Somebody who had none, as after their provider was disabled,
 * loses none.
 *
 * @throws Problem last_way_in
 */
export async function keepWayIn(sql: Sql, before: Person): Promise<void> {
  if (waysInOf(before) === 0) return
  const [person] = await sql<Person>`${selectPerson(sql.tenant, before.id)}`
  if (person?.emailVerified && waysInOf(person) === 0) throw new ApiProblem('last_way_in')
}

/**
 * Checks that the session may change the person's factors, or remove their password: if the person has a factor, only a session of two may.
 * A stolen password alone never becomes two factors beside the owner's own, and a stolen session never rids itself of the password.
 *
 * @throws Problem second_factor_required
 */
export function checkFactorChange(person: Person, { assurance }: Pick<Caller, 'assurance'>): void {
  if (person.hasFactor && assurance < 2)
    throw new ApiProblem('second_factor_required', { by: 'tenant', methods: secondMethodsOf(person) })
}

/** The organizations that require a second factor of a person. */
export function selectRequiring(tenant: string, user: Statement | string): Statement {
  return statement`
    select o.id
    from memberships m
    join organizations o on o.tenant_id = ${tenant} and o.id = m.organization_id
    where m.tenant_id = ${tenant} and m.user_id = ${user} and o.second_factor = 'required' and ${isCurrent}
    order by o.id
    limit 1000`
}

/** Which policies require a second factor of a person: `tenant`, and the ids of the organizations that do. */
export function requirementsOf(
  { isRequiredByTenant }: Pick<Person, 'isRequiredByTenant'>,
  organizations: readonly { readonly id: string }[],
): string[] {
  return [...(isRequiredByTenant ? ['tenant'] : []), ...organizations.map(({ id }) => id)]
}

/**
 * Checks that somebody who requires a second factor of others has proven two.
 *
 * @param by whose policy it becomes
 * @throws Problem second_factor_required
 */
export async function checkTwoFactors(
  sql: Sql,
  { userId, assurance }: Pick<Caller, 'userId' | 'assurance'>,
  by: 'tenant' | 'organization',
): Promise<void> {
  if (assurance === 2) return
  const [person] = await sql<Person>`${selectPerson(sql.tenant, userId)}`
  throw new ApiProblem('second_factor_required', { by, methods: person ? secondMethodsOf(person) : [] })
}
