/**
 * Completion of a sign-in: every way of signing in ends here, and nothing else makes a session.
 *
 * In this order, under the lock of the person's row:
 *
 * 1. The account is active, the provider (which is locked) is enabled, and what was proven is unchanged.
 * 2. The attempt that led here ends. It has a row once, so it makes one session at most.
 * 3. An unverified account whose mailbox was proven from outside gets rid of what its maker gave it (strip.ts).
 * 4. The policy decides whether a second factor is asked (policy.ts). If so, the answer is the next attempt.
 * 5. Otherwise a session starts, or the one that is being confirmed gets a new token.
 */
import { sha256 } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { lockProvider } from '../credentials/identities.ts'
import { queueMail } from '../mail/queue.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import { type Attempt, type AttemptRow, type Basis, beginAttempt, type Method, spendAttempt } from './attempts.ts'
import { linkIdentity } from './linking.ts'
import { assuranceOf, isSecondFactorAsked, type Person, secondMethodsOf } from './policy.ts'
import { assuranceOfSession, renewSession, type Started, startSession } from './starting.ts'
import { stripAccount } from './strip.ts'
import { lockPerson } from './ways-in.ts'

/** What a person has shown. */
export interface Proof {
  /** All steps of this sign-in, this one last. */
  readonly methods: readonly Method[]
  /** What the steps rest on. It must be unchanged. */
  readonly basis: Basis
  /** Whether this step is a passkey that verified its user, which is both factors. */
  readonly isBothFactors?: boolean
  /** The account was made in the same transaction. */
  readonly isNewAccount?: boolean
  /** Whether the person has signed in on this device before. */
  readonly isOnKnownDevice: boolean
  /** What identifies the known device. */
  readonly known?: string | undefined
  /** As the device sent it. */
  readonly deviceToken: string | undefined
  /** The attempt that led here. */
  readonly attempt?: AttemptRow
  /** The session that is confirmed without an attempt, and the assurance that is wanted of it. */
  readonly confirms?: { readonly sessionId: string; readonly wantedAssurance: 1 | 2 }
  /** Of the session that is confirmed: the hash of the token that the request has. */
  readonly sessionToken?: Buffer | undefined
}

/** A session, or the attempt with the step that is missing. */
export type Completed = Started | { readonly attempt: Attempt }

/**
 * Completes a sign-in. cookies.ts delivers the session after the commit.
 *
 * @returns undefined when what was proven has changed in the meantime
 * @throws Problem user_suspended, attempt_spent, unauthenticated, no_factor, identity_taken
 */
export async function completeSignIn(
  sql: Sql,
  userId: string,
  proof: Proof,
  context: RequestContext,
): Promise<Completed | undefined> {
  let person = await lockPerson(sql, userId)
  if (!person) return undefined
  if (person.status !== 'active') throw new ApiProblem('user_suspended')
  const { attempt, basis } = proof
  const { link } = attempt?.details ?? {}
  const providerId = link?.provider.id ?? (await providerOf(sql, person, basis))
  if (providerId !== undefined && !(await lockProvider(sql, providerId))) return undefined
  if (!(await isUnchanged(sql, person, basis))) return undefined
  if (attempt) await spendAttempt(sql, attempt.id)
  if (basis.mailbox !== undefined && !person.emailVerified) {
    await recordStripped(sql, context, person, await stripAccount(sql, context, person))
    person = (await lockPerson(sql, userId)) ?? person
  }

  const assurance = assuranceOf(proof)
  const purpose = attempt?.purpose ?? (proof.confirms ? 'confirm' : 'sign_in')
  const sessionId = attempt?.sessionId ?? proof.confirms?.sessionId ?? null
  const wanted =
    purpose === 'confirm' && sessionId && (await assuranceOfSession(sql, sessionId)) === 2
      ? 2 // it may have risen since the attempt began
      : (attempt?.wantedAssurance ?? proof.confirms?.wantedAssurance ?? 1)
  if (assurance === 1 && (wanted === 2 || isSecondFactorAsked(person))) {
    if (!person.hasFactor) throw new ApiProblem('no_factor')
    const { attempt: next } = await beginAttempt(sql, context.keyring, {
      purpose,
      next: 'second_factor',
      methods: secondMethodsOf(person),
      proven: proof.methods,
      wantedAssurance: wanted,
      userId,
      sessionId,
      providerId: attempt?.providerId ?? null,
      details: {
        ...attempt?.details,
        email: person.email,
        basis,
        known: proof.known,
        deviceToken: proof.deviceToken,
      },
    })
    return { attempt: next }
  }

  const linked = link ? await linkIdentity(sql, context, person, link) : undefined
  const session = {
    methods: proof.methods,
    assurance,
    identityId: linked ?? basis.identityId ?? null,
    providerId,
  } as const
  if (purpose === 'confirm' && sessionId) {
    const renewed = await renewSession(sql, person, { id: sessionId, token: proof.sessionToken }, session, context)
    if (!renewed) throw new ApiProblem(attempt ? 'attempt_spent' : 'unauthenticated')
    return renewed
  }
  const started = await startSession(sql, person, { ...session, deviceToken: proof.deviceToken }, context)
  if (!proof.isNewAccount && !proof.isOnKnownDevice) await tellOfDevice(sql, context, started)
  return started
}

/** Completes the sign-in of somebody whose account was made in the same transaction. */
export async function completeNewAccount(
  sql: Sql,
  userId: string,
  proof: Pick<Proof, 'methods' | 'deviceToken'> & { readonly basis?: Basis },
  context: RequestContext,
): Promise<Started> {
  const { basis = {}, ...shown } = proof
  const completed = await completeSignIn(
    sql,
    userId,
    { ...shown, basis, isNewAccount: true, isOnKnownDevice: false },
    context,
  )
  if (!completed || 'attempt' in completed) throw new Error('An account that was just made has no factor.')
  return completed
}

/** The fingerprint of a password's hash, by which a later step knows it again. */
export function fingerprintOf(passwordHash: string): string {
  return sha256(passwordHash).toString('hex')
}

async function recordStripped(
  sql: Sql,
  { requestId }: RequestContext,
  { id, name, email, passwordHash }: Person,
  endedSessions: number,
): Promise<void> {
  const target = { type: 'user', userId: id, name } as const
  const actor = { type: 'system', requestId } as const
  if (passwordHash !== null) await record(sql, actor, 'password.removed', { target, details: { endedSessions } })
  await record(sql, actor, 'email.verified', { target, details: { email } })
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

/** The provider of the identity that was proven, if one was. */
async function providerOf(sql: Sql, { id: userId }: Person, { identityId }: Basis): Promise<string | undefined> {
  if (identityId === undefined) return undefined
  const [identity] = await sql<{ providerId: string }>`
    select provider_id from identities where tenant_id = ${sql.tenant} and id = ${identityId} and user_id = ${userId}`
  return identity?.providerId
}

/** An unverified address gets no mail: a stranger may have made the account with it. */
async function tellOfDevice(sql: Sql, { keyring }: RequestContext, { user, session }: Started): Promise<void> {
  if (!user.emailVerified) return
  const sealed = keyring.seal('job', user.email, sql.tenant)
  await queueMail(sql, { kind: 'new_device', userId: user.id, sessionId: session.device.id, sealed })
}
