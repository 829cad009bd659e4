/** Creation: how a factor is added, by a code of the app or an answer of the passkey. */
import { type Caller, sessionIdOf } from '../../domain/access/actors.ts'
import { tenantTurn } from '../../domain/access/turns.ts'
import { openChallenge, spendChallenge } from '../../domain/credentials/challenges.ts'
import { type Factor, getFactor, insertTotp, totpName } from '../../domain/credentials/factors.ts'
import { type RegistrationCredential, readClientData } from '../../domain/credentials/passkey-credentials.ts'
import { passkeyName } from '../../domain/credentials/passkey-names.ts'
import { lockPasskeyTenant, type PasskeyTenant, passkeySite } from '../../domain/credentials/passkey-site.ts'
import { verifyRegistration } from '../../domain/credentials/passkey-verification.ts'
import { insertPasskey } from '../../domain/credentials/passkeys.ts'
import { makeRecoveryCodes } from '../../domain/credentials/recovery-codes.ts'
import { findStep, openSetup } from '../../domain/credentials/totp.ts'
import { tellOfChange } from '../../domain/mail/sign-in.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { deviceOf } from '../../domain/sessions/device.ts'
import { isSecondFactorAsked, type Person } from '../../domain/sessions/policy.ts'
import { endOtherSessions, raiseAssurance } from '../../domain/sessions/sessions.ts'
import { checkFactorChange, lockOwn } from '../../domain/sessions/ways-in.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { normalizeName } from '../../platform/http/schemas.ts'

/** What the caller sends to add a factor. */
export interface SentFactor {
  readonly type: 'totp' | 'passkey'
  readonly name?: string
  readonly setup?: string
  readonly code?: string
  readonly credential?: RegistrationCredential
}

export interface Added {
  readonly factor: Factor
  readonly recoveryCodes?: string[]
  readonly endedSessions: number
}

/** @throws Problem invalid_request unless the fields are those of the type */
export function checkFields({ type, setup, code, credential }: SentFactor): void {
  const wanted: Record<string, unknown> = type === 'totp' ? { setup, code } : { credential }
  const unwanted: Record<string, unknown> = type === 'totp' ? { credential } : { setup, code }
  const faults = [
    ...Object.entries(wanted)
      .filter(([, value]) => value === undefined)
      .map(([name]) => faultOf(`/${name}`, 'required')),
    ...Object.entries(unwanted)
      .filter(([, value]) => value !== undefined)
      .map(([name]) => faultOf(`/${name}`, 'not_allowed')),
  ]
  if (faults.length > 0) throw invalidRequest(faults)
}

/** Somebody who has a factor adds another one only with two. An unverified account has only what it was made with. @throws Problem */
export function checkMayAdd(person: Person, caller: Caller): void {
  if (!person.emailVerified) throw new ApiProblem('email_not_verified')
  checkFactorChange(person, caller)
}

/** @throws Problem wrong_proof, attempt_spent, email_not_verified, passkey_taken, limit_reached, second_factor_required */
export async function addFactor(sql: Sql, context: RequestContext, caller: Caller, sent: SentFactor): Promise<Added> {
  if (sent.type === 'passkey') sql.claimTurn(tenantTurn)
  const tenant = sent.type === 'passkey' ? await lockPasskeyTenant(sql) : undefined
  const before = await lockOwn(sql, caller)
  checkMayAdd(before, caller)
  const id = tenant ? await addPasskey(sql, context, tenant, caller, sent) : await addTotp(sql, context, caller, sent)
  const after = await lockOwn(sql, caller)
  const isFirst = !isSecondFactorAsked(before) && isSecondFactorAsked(after)
  // The policy may have begun to name the person after they added a passkey, which then came without codes.
  const needsCodes = isFirst || (isSecondFactorAsked(after) && !after.hasRecoveryCodes)
  const recoveryCodes = needsCodes ? await makeRecoveryCodes(sql, caller.userId) : undefined
  // A second app replaces the first one, which is then removed: its device may be a stolen one.
  const endsOthers = isFirst || (sent.type === 'totp' && before.hasTotp)
  const endedSessions = endsOthers ? await endOtherSessions(sql, caller) : 0
  if (endsOthers) await endAttempts(sql, context, caller.userId, after.email)
  await raiseAssurance(sql, sessionIdOf(caller), sent.type)
  const addedTotp = before.hasTotp ? 'totp_replaced' : 'totp_added'
  await tellOfChange(sql, context, after, sent.type === 'totp' ? addedTotp : 'passkey_added', caller)
  await record(sql, caller, 'factor.added', { target: caller, details: { type: sent.type, endedSessions } })
  if (recoveryCodes) await record(sql, caller, 'recovery_codes.made', { target: caller })
  return { factor: await getFactor(sql, caller.userId, id), ...(recoveryCodes && { recoveryCodes }), endedSessions }
}

async function addTotp(sql: Sql, { keyring }: RequestContext, { userId }: Caller, sent: SentFactor): Promise<string> {
  const { name = totpName, setup = '', code = '' } = sent
  const secret = openSetup(keyring, sql.tenant, userId, setup)
  if (secret === undefined) throw new ApiProblem('attempt_spent')
  const step = await findStep(sql, secret, code)
  if (step === undefined) throw new ApiProblem('wrong_proof')
  // Adding the same seed again would forget which of its steps were used.
  await spendChallenge(sql, secret)
  return insertTotp(sql, keyring, userId, { name: normalizeName(name), secret, step })
}

async function addPasskey(
  sql: Sql,
  { config, keyring, userAgent }: RequestContext,
  tenant: PasskeyTenant,
  { userId, sessionId }: Caller,
  { name, credential }: SentFactor,
): Promise<string> {
  if (!credential) throw new Error('checkFields lets no passkey pass without its credential.')
  const challenge = readClientData(credential)?.challenge ?? ''
  const bound = openChallenge(keyring, sql.tenant, challenge)
  if (!bound) throw new ApiProblem('attempt_spent')
  const isBound = bound.purpose === 'register' && bound.userId === userId && bound.attemptOrSession === sessionId
  const site = passkeySite(config, tenant)
  const made = isBound && site ? await verifyRegistration({ site, challenge }, credential) : undefined
  if (!made) throw new ApiProblem('wrong_proof')
  await spendChallenge(sql, challenge)
  const { aaguid, passkey } = made
  const { transports } = passkey
  const chosen = name ?? passkeyName({ aaguid, transports }, deviceOf(userAgent).name)
  return insertPasskey(sql, userId, normalizeName(chosen), passkey)
}
