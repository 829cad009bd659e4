/**
 * Completion of a sign-in: every way of signing in ends here, and nothing else makes a session.
 *
 * There are three ways: signing in, confirming a session, and a new account. Each goes through these steps:
 *
 * 1. `checkProof` (proof.ts) locks the person's row, checks what was proven, and ends the attempt that led here.
 * 2. The policy (policy.ts) decides whether a second factor is asked. If so, the result is the next attempt. A new account has no factor.
 * 3. A session starts, or the confirmed session gets a new token.
 */
import { type Sql, statement } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { newId } from '../../platform/http/schemas.ts'
import { secondMethodsOf } from '../access/second-factor.ts'
import { newToken } from '../access/tokens.ts'
import { rememberDevice } from '../credentials/known-devices.ts'
import { queueMail } from '../mail/queue.ts'
import { selectUser, type User } from '../people/users.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import { type Attempt, type AttemptDetails, beginAttempt, type IdentityToLink, type NewAttempt } from './attempts.ts'
import { deviceOf } from './device.ts'
import { endSessions } from './endings.ts'
import { isSessionLive } from './lifetime.ts'
import { linkIdentity } from './linking.ts'
import { isSecondFactorAsked } from './policy.ts'
import { type CheckedProof, checkProof, type Proof } from './proof.ts'
import { actorOf, type Device, deviceColumns } from './sessions.ts'

/** The device on which somebody signs in. */
export interface SignInDevice {
  /**
   * What identified the device to the account (`findKnownDevice`) when the proof was looked at; the next step counts its tries by it.
   * Undefined: a stranger.
   */
  readonly known: string | undefined
  /** As the device sent it. */
  readonly deviceToken: string | undefined
}

/** Who signs in, what they have proven, and on which device. */
export interface SigningIn {
  readonly userId: string
  readonly proof: Proof
  readonly device: SignInDevice
  /** The unknown identity with which they came from a provider. It is linked once the account is proven. */
  readonly link?: IdentityToLink | undefined
}

/** The session that is confirmed. */
export interface ConfirmedSession {
  readonly id: string
  /** Of the token that the request has, which is replaced: of parallel confirmations with one token, the first wins. */
  readonly tokenHash: Buffer | undefined
  /** The assurance that is wanted of it. */
  readonly wantedAssurance: 1 | 2
}

/** Who confirms which session, and what they have proven. */
export interface Confirming {
  readonly userId: string
  readonly proof: Proof
  readonly session: ConfirmedSession
}

/** A session that was just started or confirmed, with its token still in hand. */
export interface Started {
  readonly user: User
  readonly session: {
    readonly token: string
    /** Absent for a session that was confirmed: its device has one. */
    readonly deviceToken?: string
    readonly device: Device
  }
}

/** A session, or the attempt with the step that is missing. cookies.ts delivers it after the commit. */
export type Completed = Started | { readonly attempt: Attempt }

/** What the next attempt of a sign-in is for. */
const signingIn = { purpose: 'sign_in', wantedAssurance: 1, sessionId: null } as const

/**
 * Signs a person in, and links the identity with which they came, if there is one.
 *
 * @returns undefined if what was proven has changed in the meantime
 * @throws Problem user_suspended, attempt_spent; if an identity is linked, also email_not_verified, identity_taken, limit_reached
 */
export async function completeSignIn(
  sql: Sql,
  context: RequestContext,
  { userId, proof, device, link }: SigningIn,
): Promise<Completed | undefined> {
  const checked = await checkProof(sql, context, userId, proof, { signsIn: true, linkedProvider: link?.provider.id })
  if (!checked) return undefined
  if (checked.assurance === 1 && isSecondFactorAsked(checked.person))
    return askSecondFactor(sql, context, checked, signingIn, { ...device, link })
  const identityId = link ? await linkIdentity(sql, context, checked.person, link) : checked.identityId
  const { started, isNewDevice } = await startSession(sql, context, { ...checked, identityId }, device.deviceToken)
  if (isNewDevice) await tellOfDevice(sql, context, started)
  return started
}

/**
 * Confirms that the person of a session is there: the session gets a new token.
 *
 * @returns undefined if what was proven has changed in the meantime
 * @throws Problem user_suspended, no_factor, attempt_spent, or unauthenticated if there is no attempt and the session has ended
 */
export async function completeConfirmation(
  sql: Sql,
  context: RequestContext,
  { userId, proof, session }: Confirming,
): Promise<Completed | undefined> {
  const checked = await checkProof(sql, context, userId, proof)
  if (!checked) return undefined
  const { person, assurance } = checked
  // The session's assurance may have risen since the attempt began.
  const wantedAssurance = (await assuranceOfSession(sql, session.id)) === 2 ? 2 : session.wantedAssurance
  if (assurance === 1 && (wantedAssurance === 2 || isSecondFactorAsked(person))) {
    if (!person.hasFactor) throw new ApiProblem('no_factor')
    return askSecondFactor(sql, context, checked, { purpose: 'confirm', wantedAssurance, sessionId: session.id })
  }
  const renewed = await renewSession(sql, context, checked, session)
  if (!renewed) throw new ApiProblem(proof.attemptId === undefined ? 'unauthenticated' : 'attempt_spent')
  return renewed
}

/** Signs in somebody whose account was made in the same transaction. It has no factor, and its owner needs no mail about the device. */
export async function completeNewAccount(
  sql: Sql,
  context: RequestContext,
  userId: string,
  proof: Proof,
  deviceToken: string | undefined,
): Promise<Started> {
  const checked = await checkProof(sql, context, userId, proof)
  if (!checked) throw new Error('An account that was just made has changed.')
  return (await startSession(sql, context, checked, deviceToken)).started
}

/** Begins the next attempt, which takes the second factor. @param remembered what it remembers beside the proof */
async function askSecondFactor(
  sql: Sql,
  { keyring }: RequestContext,
  { person, methods, basis, providerId }: CheckedProof,
  wanted: Pick<NewAttempt, 'purpose' | 'wantedAssurance' | 'sessionId'>,
  remembered: Pick<AttemptDetails, 'known' | 'deviceToken' | 'link'> = {},
): Promise<{ readonly attempt: Attempt }> {
  const { attempt } = await beginAttempt(sql, keyring, {
    ...wanted,
    next: 'second_factor',
    methods: secondMethodsOf(person),
    proven: methods,
    userId: person.id,
    providerId,
    details: { email: person.email, basis, ...remembered },
  })
  return { attempt }
}

/**
 * Starts a session, makes the device known, ends the least active sessions past MAX_SESSIONS, and records all of it.
 *
 * The person's row is locked, so parallel sign-ins cannot pass the limit together.
 *
 * @returns also whether the account did not know the device: it may have been forgotten after the proof was looked at
 */
async function startSession(
  sql: Sql,
  context: RequestContext,
  { person: { id: userId, name }, methods, assurance, identityId, providerId }: CheckedProof,
  deviceToken: string | undefined,
): Promise<{ readonly started: Started; readonly isNewDevice: boolean }> {
  const id = newId('dev')
  const { token, hash } = newToken('ghs', sql.tenant)
  const device = deviceOf(context.userAgent)
  const actor = actorOf(context, userId, name)
  const { ip } = context
  const remembered = await rememberDevice(sql, userId, deviceToken)
  // The network is null once a mail has ended the session (features/sign-in/end-session.ts). The previous release compares it, too.
  await sql`
    insert into sessions (tenant_id, id, user_id, token_hash, name, browser, os, type, ip, network, device_hash, methods,
      assurance, identity_id)
    values (${sql.tenant}, ${id}, ${userId}, ${hash}, ${device.name}, ${device.browser}, ${device.os}, ${device.type}, ${ip},
      ${networkOf(ip)}, ${remembered.hash}, ${methods}, ${assurance}, ${identityId})`
  await sql`update users set last_active_at = now() where tenant_id = ${sql.tenant} and id = ${userId}`
  const surplus = statement`s.id in (
    select s.id
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${sql.tenant} and s.user_id = ${userId} and ${isSessionLive} and s.id <> ${id}
    order by s.last_active_at desc, s.id desc
    offset ${context.config.maxSessions - 1})`
  const ended = await endSessions(sql, surplus)
  for (const { id: deviceId } of ended) {
    await record(sql, { type: 'system', requestId: context.requestId }, 'session.revoked', {
      target: { type: 'user', userId, name },
      details: { deviceId },
    })
  }
  await record(sql, actor, 'session.started', {
    target: actor,
    details: { deviceId: id, methods, assurance, ...(providerId !== null && { providerId }) },
  })
  const { user, device: own } = await readSignedIn(sql, userId, id)
  const started = { user, session: { token, deviceToken: remembered.token, device: own } }
  return { started, isNewDevice: remembered.isNew }
}

/**
 * Gives a session that was confirmed a new token (ASVS 5.0 V7.2.4). It stays the same device, and lives no longer than before. Its assurance
 * never falls.
 *
 * @returns undefined when the session has ended or has another token
 */
async function renewSession(
  sql: Sql,
  context: RequestContext,
  { person: { id: userId, name }, methods, assurance }: CheckedProof,
  { id: sessionId, tokenHash: replaced }: ConfirmedSession,
): Promise<Started | undefined> {
  if (!replaced) return undefined
  const { token, hash } = newToken('ghs', sql.tenant)
  const renewed = await sql`
    update sessions s
    set token_hash = ${hash}, methods = ${methods}, assurance = ${assurance},
      authenticated_at = now(), last_active_at = now()
    from tenants t
    where s.tenant_id = ${sql.tenant} and s.id = ${sessionId} and s.user_id = ${userId} and s.token_hash = ${replaced}
      and s.assurance <= ${assurance} and t.id = s.tenant_id and ${isSessionLive}
    returning s.id`
  if (renewed.length === 0) return undefined
  const actor = actorOf(context, userId, name)
  await record(sql, actor, 'session.confirmed', { target: actor, details: { deviceId: sessionId, methods, assurance } })
  const { user, device } = await readSignedIn(sql, userId, sessionId)
  return { user, session: { token, device } }
}

/** @returns undefined if there is no such session */
async function assuranceOfSession(sql: Sql, id: string): Promise<1 | 2 | undefined> {
  const [session] = await sql<{ assurance: 1 | 2 }>`
    select assurance from sessions where tenant_id = ${sql.tenant} and id = ${id}`
  return session?.assurance
}

async function readSignedIn(
  sql: Sql,
  userId: string,
  sessionId: string,
): Promise<{ readonly user: User; readonly device: Device }> {
  const [device] = await sql<Device>`
    select ${deviceColumns(sql.tenant, sessionId)}
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${sql.tenant} and s.id = ${sessionId}`
  const [user] = await sql<User>`${selectUser(sql.tenant)} where tenant_id = ${sql.tenant} and id = ${userId}`
  if (!device || !user) throw new Error('A session that was just written cannot be read.')
  return { user, device }
}

/** An unverified address gets no mail: a stranger may have made the account with it. */
async function tellOfDevice(sql: Sql, { keyring }: RequestContext, { user, session }: Started): Promise<void> {
  if (!user.emailVerified) return
  const sealed = keyring.seal('job', user.email, sql.tenant)
  await queueMail(sql, { kind: 'new_device', userId: user.id, sessionId: session.device.id, sealed })
}
