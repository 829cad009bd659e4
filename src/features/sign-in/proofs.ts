/**
 * Proofs: looks at the proof of a step, but for those of providers (provider.ts).
 *
 * A wrong one, an unknown account and one that is locked against guesses are answered alike.
 */

import { isMailCode } from '../../domain/access/mail-codes.ts'
import type { Tenant } from '../../domain/access/tenancy.ts'
import { accountTurn } from '../../domain/access/turns.ts'
import { spendTotp } from '../../domain/credentials/factors.ts'
import { countTry, forgiveTries, type Guessed, type Try } from '../../domain/credentials/guessing.ts'
import { findKnownDevice, type Sender } from '../../domain/credentials/known-devices.ts'
import type { AssertionCredential } from '../../domain/credentials/passkey-credentials.ts'
import { checkPasskey, type PasskeyProof, spendPasskey } from '../../domain/credentials/passkey-proof.ts'
import { verifyTry } from '../../domain/credentials/passwords.ts'
import { spendRecoveryCode } from '../../domain/credentials/recovery-codes.ts'
import { tellOfChange } from '../../domain/mail/sign-in.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { type AttemptRow, countProof, type Method, unmailed } from '../../domain/sessions/attempts.ts'
import { type Completed, completeConfirmation, completeSignIn } from '../../domain/sessions/completion.ts'
import type { Person } from '../../domain/sessions/policy.ts'
import { fingerprintOf, type Proof } from '../../domain/sessions/proof.ts'
import { actorOf } from '../../domain/sessions/sessions.ts'
import { findPerson, lockPerson } from '../../domain/sessions/ways-in.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { Problem } from '../../platform/http/problems.ts'
import { purposeOf } from './passkey.ts'
import { endPlanted, lockReachOf } from './planted.ts'
import { noteRefusedSignIn, noteWrongSecond, recordCopiedPasskey, recordRefusedProof } from './refused-sign-ins.ts'

/** One of these. */
interface SentProof {
  readonly password?: string
  readonly totp?: string
  readonly recoveryCode?: string
  readonly mailCode?: string
  readonly credential?: AssertionCredential
}

/** A step of a sign-in, as a request sends it. */
interface SentStep {
  readonly tenant: Pick<Tenant, 'id'>
  readonly attempt: AttemptRow
  readonly sent: SentProof
  readonly deviceToken: string | undefined
  /** The hash of the token of the request's session. */
  readonly sessionToken: Buffer | undefined
}

/** A proof that was counted and looked at. */
interface Looked {
  /** How many proofs may follow if this one is wrong: others may have been counted meanwhile. */
  readonly triesLeft: number
  /** Undefined if the proof is wrong. */
  readonly right: Checked | undefined
  /** The try of which the owner is told if it was wrong. A passkey is not guessed. */
  readonly guess?: { readonly at: 'password' | 'mail' | 'second'; readonly tried: Try }
  /** Whether the log has the refusal already. */
  readonly isRecorded?: boolean
}

/** What is known of a proof before its transaction. */
interface Checked {
  readonly method: Method
  readonly tried: Try | undefined
  readonly basis: Proof['basis']
  readonly passkey?: PasskeyProof
}

/**
 * Looks at a proof, and completes the sign-in if it is right.
 *
 * @throws Problem wrong_proof, attempt_spent, too_many_attempts, overloaded, and those of domain/sessions/completion.ts
 */
export async function prove(context: RequestContext, step: SentStep): Promise<Completed> {
  const { database } = context
  const { tenant, attempt, sent } = step
  const person = await database.inTenant(tenant.id, (sql) => findPerson(sql, attempt.userId, attempt.details.email))
  const looked = await check(context, step, person)
  if (!person || !looked.right) throw await refusalOf(context, step, looked)

  const { method, tried, basis, passkey } = looked.right
  const completed = await database.inTenant(tenant.id, async (sql) => {
    sql.claimTurn(accountTurn(person.id))
    // A mailed code takes an unverified account from its maker (domain/sessions/proof.ts).
    const isTakenOver = method === 'mail_code' && !person.emailVerified
    if (isTakenOver) await lockReachOf(sql, person.id)
    const locked = await lockPerson(sql, person.id)
    const known = tried ? tried.known : await findKnownDevice(sql, person.email, senderOf(step))
    if (passkey && !(await spendPasskey(sql, passkey))) return undefined
    if (!(await spendCode(sql, context, person, sent))) return undefined
    if (tried) await forgiveTries(sql, tried)
    if (isTakenOver && locked?.emailVerified === false)
      await endPlanted(sql, { type: 'system', requestId: context.requestId }, person.id)
    const proof = {
      methods: [...attempt.proven, method],
      basis: { ...attempt.details.basis, ...basis },
      isBothFactors: passkey?.isVerified === true,
      attemptId: attempt.id,
    }
    const done = await complete(sql, context, step, { userId: person.id, proof, known })
    if (!done) throw new ApiProblem('attempt_spent')
    return done
  })
  if (!completed) throw await refusalOf(context, step, looked)
  return completed
}

/** Counts the try, and looks at what needs no transaction. */
async function check(context: RequestContext, step: SentStep, person: Person | undefined): Promise<Looked> {
  const { tenant, attempt, sent } = step
  const { details, id, generation } = attempt
  const email = person?.email ?? details.email
  const count = async (what: Guessed) => {
    const tried = await countTry(context, tenant, email, senderOf(step), what)
    return { tried, triesLeft: await countTried(context, step) }
  }
  if (sent.password !== undefined) {
    const { tried, triesLeft } = await count('password')
    const hash = tried.isOff ? null : (person?.passwordHash ?? null)
    const { matches } = await verifyTry(context, tenant, tried, sent.password, hash)
    const guess = { at: 'password', tried } as const
    if (!matches || hash === null) return { triesLeft, right: undefined, guess }
    return { triesLeft, right: { method: 'password', tried, basis: { passwordHash: fingerprintOf(hash) } }, guess }
  }
  if (sent.totp !== undefined || sent.recoveryCode !== undefined) {
    const { tried, triesLeft } = await count('second')
    const method = sent.totp === undefined ? 'recovery_code' : 'totp'
    return { triesLeft, right: tried.isOff ? undefined : { method, tried, basis: {} }, guess: { at: 'second', tried } }
  }
  if (sent.mailCode !== undefined) {
    const { tried, triesLeft } = await count('mail')
    // Tries without a mail would be without the limit of mails, and without the owner’s notice.
    const isRight =
      generation > unmailed &&
      isMailCode(context.keyring, sent.mailCode, { tenant: tenant.id, attemptId: id, generation })
    const guess = { at: 'mail', tried } as const
    if (!isRight || tried.isOff) return { triesLeft, right: undefined, guess }
    return { triesLeft, right: { method: 'mail_code', tried, basis: { mailbox: details.email } } }
  }
  if (!sent.credential) throw new Error('A body without a proof was let pass.')
  const triesLeft = await countTried(context, step)
  const expected = { purpose: purposeOf(attempt), userId: attempt.userId, attempt: id }
  const passkey = await checkPasskey(context, tenant.id, sent.credential, expected)
  if (passkey === 'spent') throw new ApiProblem('attempt_spent')
  if (typeof passkey === 'string' || 'refusedOf' in passkey) return { triesLeft, right: undefined }
  if ('copiedOf' in passkey) {
    await recordCopiedPasskey(context, tenant, passkey)
    return { triesLeft, right: undefined, isRecorded: true }
  }
  return { triesLeft, right: { method: 'passkey', tried: undefined, basis: { factorId: passkey.factorId }, passkey } }
}

/** What the attempt began with, or its session. */
function senderOf({ attempt: { sessionId, details }, deviceToken }: SentStep): Sender {
  return sessionId === null ? { deviceToken, known: details.known } : { sessionId }
}

async function countTried({ database }: RequestContext, { tenant, attempt }: SentStep): Promise<number> {
  return database.inTenant(tenant.id, (sql) => countProof(sql, attempt.id))
}

/** Uses up the code that was sent, if it is one that is used up. @returns whether it was right */
async function spendCode(sql: Sql, context: RequestContext, person: Person, sent: SentProof): Promise<boolean> {
  if (sent.totp !== undefined) return (await spendTotp(sql, context.keyring, person.id, sent.totp)) !== undefined
  if (sent.recoveryCode === undefined) return true
  if (!(await spendRecoveryCode(sql, person.id, sent.recoveryCode))) return false
  const actor = actorOf(context, person.id, person.name)
  await record(sql, actor, 'recovery_code.used', { target: actor })
  await tellOfChange(sql, context, person, 'recovery_code_used', actor)
  return true
}

/** Whose step it is, and what they have proven with it. */
interface Proven {
  readonly userId: string
  readonly proof: Proof
  /** What identifies the device. */
  readonly known: string | undefined
}

/** Completes what the attempt is for. Only an attempt to confirm has a session here: linking to an account of a session has its own route. */
function complete(
  sql: Sql,
  context: RequestContext,
  { attempt: { sessionId, wantedAssurance, details }, deviceToken, sessionToken }: SentStep,
  { userId, proof, known }: Proven,
): Promise<Completed | undefined> {
  if (sessionId !== null) {
    const session = { id: sessionId, tokenHash: sessionToken, wantedAssurance }
    return completeConfirmation(sql, context, { userId, proof, session })
  }
  return completeSignIn(sql, context, { userId, proof, device: { known, deviceToken }, link: details.link })
}

/** The refusal of a wrong proof, which the account’s log and mails tell. */
async function refusalOf(
  context: RequestContext,
  { tenant, attempt }: SentStep,
  { triesLeft, guess, isRecorded }: Looked,
): Promise<Problem> {
  const { purpose, next, userId, details } = attempt
  const problem = new ApiProblem('wrong_proof', { triesLeft })
  if (guess?.at === 'second') await noteWrongSecond(context, tenant, attempt, guess.tried)
  if (purpose !== 'sign_in') return problem
  if (guess && guess.at !== 'second') await noteRefusedSignIn(context, tenant, details.email, guess.tried, guess.at)
  else if (userId !== null && !isRecorded)
    await recordRefusedProof(context, tenant, userId, next === 'second_factor' ? next : 'passkey')
  return problem
}
