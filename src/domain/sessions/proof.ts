/** Proof: what a person has proven in the steps of a sign-in, and the check that it still holds when the sign-in is completed. */
import { sha256 } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { Actor } from '../access/actors.ts'
import { lockProvider } from '../credentials/identities.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import { type Basis, type Method, spendAttempt } from './attempts.ts'
import { assuranceOf, type Person } from './policy.ts'
import { resetUnverified } from './unverified.ts'
import { lockPerson } from './ways-in.ts'

/** What a person has proven. */
export interface Proof {
  /** All steps of this sign-in, the last one last. */
  readonly methods: readonly Method[]
  /** What the steps rest on. It must be unchanged. */
  readonly basis: Basis
  /** Whether the last step is a passkey that verified its user, which is both factors. */
  readonly isBothFactors?: boolean
  /** The attempt that led here, if there was one. */
  readonly attemptId?: string
}

/** What a proof is for. */
export interface ProofUse {
  /** Whether it signs in. Else it confirms a session, or is that of a new account. */
  readonly signsIn?: boolean
  /** The provider of the identity that is linked. */
  readonly linkedProvider?: string | undefined
}

/** A proof that holds, and the person who gave it. Their row is locked. */
export interface CheckedProof {
  readonly person: Person
  readonly methods: readonly Method[]
  readonly basis: Basis
  readonly assurance: 1 | 2
  /** The identity that was used. */
  readonly identityId: string | null
  /** Its provider. */
  readonly providerId: string | null
}

/**
 * Checks a proof under the lock of the person's row, and ends the attempt that led here.
 *
 * @returns undefined if what was proven has changed, the provider is disabled, or the tenant no longer has mailed codes
 * @throws Problem user_suspended, attempt_spent
 */
export async function checkProof(
  sql: Sql,
  context: RequestContext,
  userId: string,
  { methods, basis, isBothFactors = false, attemptId }: Proof,
  { signsIn = false, linkedProvider }: ProofUse = {},
): Promise<CheckedProof | undefined> {
  let person = await lockPerson(sql, userId)
  if (!person) return undefined
  if (person.status !== 'active') throw new ApiProblem('user_suspended')
  const providerId = linkedProvider ?? (await providerOf(sql, person, basis))
  if (providerId !== null && !(await lockProvider(sql, providerId))) return undefined
  if (!(await isUnchanged(sql, person, basis))) return undefined
  // Linking and confirming take a mailed code whatever the tenant's setting.
  const isMailCode = basis.mailbox !== undefined && signsIn && linkedProvider === undefined
  if (isMailCode && !person.mailCodes) return undefined
  if (attemptId !== undefined) await spendAttempt(sql, attemptId)
  // Somebody who proves the mailbox from outside gets an unverified account without what its maker gave it.
  if (basis.mailbox !== undefined && !person.emailVerified) {
    const actor = { type: 'system', requestId: context.requestId } as const
    await recordReset(sql, actor, person, await resetUnverified(sql, context, actor, person))
    person = (await lockPerson(sql, userId)) ?? person
  }
  const assurance = assuranceOf({ methods, isBothFactors })
  return { person, methods, basis, assurance, identityId: basis.identityId ?? null, providerId }
}

/** The provider of the identity that was proven, if one was. */
async function providerOf(sql: Sql, { id: userId }: Person, { identityId }: Basis): Promise<string | null> {
  if (identityId === undefined) return null
  const [identity] = await sql<{ providerId: string }>`
    select provider_id from identities where tenant_id = ${sql.tenant} and id = ${identityId} and user_id = ${userId}`
  return identity?.providerId ?? null
}

/** Whether what an earlier step has proven is still there. */
async function isUnchanged(sql: Sql, person: Person, basis: Basis): Promise<boolean> {
  const { passwordHash, factorId, identityId, mailbox } = basis
  if (mailbox !== undefined && mailbox !== person.email) return false // it proves another address
  if (passwordHash !== undefined) {
    if (person.passwordHash === null || fingerprintOf(person.passwordHash) !== passwordHash) return false
  }
  if (factorId !== undefined) {
    const factors = await sql`
      select from factors where tenant_id = ${sql.tenant} and id = ${factorId} and user_id = ${person.id}`
    if (factors.length === 0) return false
  }
  if (identityId === undefined) return true
  const identities = await sql`
    select from identities where tenant_id = ${sql.tenant} and id = ${identityId} and user_id = ${person.id}`
  return identities.length > 0
}

async function recordReset(
  sql: Sql,
  actor: Actor,
  { id, name, email, passwordHash }: Person,
  endedSessions: number,
): Promise<void> {
  const target = { type: 'user', userId: id, name } as const
  if (passwordHash !== null) await record(sql, actor, 'password.removed', { target, details: { endedSessions } })
  await record(sql, actor, 'email.verified', { target, details: { email } })
}

/** The fingerprint of a password's hash, by which a later step knows it again. */
export function fingerprintOf(passwordHash: string): string {
  return sha256(passwordHash).toString('hex')
}
