/**
 * Refused sign-ins: one entry for an account, kind of proof, network and hour. Those of an address are written by the queue: the request
 * enqueues known and unknown addresses alike, so that its time tells nothing; the worker looks the address up. Those of an account that the
 * request knows are written at once.
 */
import type { Tenant } from '../../domain/access/tenancy.ts'
import { spendChallenge } from '../../domain/credentials/challenges.ts'
import { claimNotice, type Try, turnOfTries } from '../../domain/credentials/guessing.ts'
import type { CopiedPasskey } from '../../domain/credentials/passkey-proof.ts'
import { limits } from '../../domain/limits/limits.ts'
import { mailKey, queueMail } from '../../domain/mail/queue.ts'
import { record } from '../../domain/record/record.ts'
import type { AttemptRow } from '../../domain/sessions/attempts.ts'
import { deviceOf } from '../../domain/sessions/device.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Database, Sql } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { addJob, type SealedJob } from '../../platform/jobs/queue.ts'

declare module '../../platform/jobs/queue.ts' {
  interface Tasks {
    record_refused_sign_in: SealedJob
  }
}

/** What the job carries, sealed: the queue has no address and no IP in clear. */
interface Refused {
  readonly email: string
  readonly ip: string
  readonly device: string
  readonly requestId: string
  readonly onceKey: string
  /** What was wrong. */
  readonly at: 'password' | 'mail'
  /** Unknown devices may not get in any more. */
  readonly mayBeOff: boolean
}

/** The mail that tells of it. */
const switchedOff = { password: 'password_switched_off', mail: 'mail_codes_switched_off' } as const

export async function noteRefusedSignIn(
  { keyring, database, ip, userAgent, requestId }: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  email: string,
  { account, network, isOff, isLast }: Try,
  at: Refused['at'] = 'password',
): Promise<void> {
  const hour = String(Math.floor(Date.now() / 3_600_000))
  const onceKey = keyring
    .hmac('once', account.toString('base64'), network.toString('base64'), hour)
    .toString('base64url')
  const refused: Refused = {
    email,
    ip,
    device: deviceOf(userAgent).name,
    requestId,
    onceKey,
    at,
    mayBeOff: isOff || isLast,
  }
  const sealed = keyring.seal('job', JSON.stringify(refused), tenant.id)
  await database.inTenant(tenant.id, (sql) =>
    addJob(
      sql,
      'record_refused_sign_in',
      { tenantId: sql.tenant, sealed },
      // Not replaced by an earlier attempt that took longer.
      `${refused.mayBeOff ? 'switched_off' : 'refused'}:${onceKey}`,
    ),
  )
}

/**
 * The task: writes the entry, if the address is somebody's and the hour's entry is not there yet; and records and mails once that
 * unknown devices do not get in any more.
 */
export async function recordRefusedSignIn(
  { database, keyring }: { readonly database: Database; readonly keyring: Keyring },
  { tenantId, sealed }: SealedJob,
): Promise<void> {
  const text = keyring.open('job', sealed, tenantId)
  if (text === undefined) return // sealed under a secret that was since taken away
  const { email, ip, device, requestId, onceKey, at = 'password', mayBeOff } = JSON.parse(text) as Refused // sealed by us
  await database.inTenant(tenantId, async (sql) => {
    const [user] = await sql<{ id: string; name: string | null; emailVerified: boolean }>`
      select id, name, email_verified from users where tenant_id = ${sql.tenant} and email = ${email} for key share`
    if (!user) return
    const target = { type: 'user', userId: user.id, name: user.name } as const
    await record(sql, { type: 'anonymous', requestId }, 'session.refused', {
      target,
      origin: { ip, device },
      onceKey: Buffer.from(onceKey, 'base64url'),
    })
    if (!mayBeOff || !(await claimNotice(sql, keyring, email, at))) return
    const kind = switchedOff[at]
    await record(sql, { type: 'system', requestId }, 'password.switched_off', {
      target,
      ...(at === 'mail' && { details: { reason: 'mail_code' } }),
    })
    if (!user.emailVerified) return // a mail to it may be a mail to somebody else
    const warned = keyring.seal('job', email, sql.tenant)
    await queueMail(sql, { kind, userId: user.id, sealed: warned }, mailKey(user.id, kind))
  })
}

/**
 * Records a refused proof of somebody who is known by an earlier step, or by the passkey.
 *
 * @param reason what was refused: a proof of the second step, or a passkey of the first
 */
export async function recordRefusedProof(
  { database, keyring, ip, userAgent, requestId }: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  userId: string,
  reason: 'second_factor' | 'passkey',
): Promise<void> {
  const hour = String(Math.floor(Date.now() / 3_600_000))
  const onceKey = keyring.hmac('once', reason, tenant.id, userId, networkOf(ip), hour)
  await database.inTenant(tenant.id, async (sql) => {
    const user = await findOwner(sql, userId)
    if (!user) return
    await record(sql, { type: 'anonymous', requestId }, 'session.refused', {
      target: { type: 'user', userId, name: user.name },
      origin: { ip, device: deviceOf(userAgent).name },
      details: { reason },
      onceKey,
    })
  })
}

/** From how many wrong codes on the owner of a password that is known is warned. */
const warnedFrom = 5

/**
 * Tells the owner of wrong codes of a second factor that come from unknown devices. They are counted for the account, not for the attempt:
 * each sign-in with the right password begins another attempt.
 */
export async function noteWrongSecond(
  context: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  { purpose, userId, proven }: AttemptRow,
  tried: Try,
): Promise<void> {
  const { isKnown, isOff, isLast, unknownFailures } = tried
  if (isKnown || userId === null) return
  if (isOff || isLast) await noteCodesOff(context, tenant, userId, tried)
  if (purpose === 'sign_in' && proven.includes('password') && unknownFailures >= warnedFrom)
    await warnOfKnownPassword(context, tenant, userId)
}

/** Once a day. */
async function warnOfKnownPassword(context: RequestContext, tenant: Pick<Tenant, 'id'>, userId: string): Promise<void> {
  const { database, keyring, rates } = context
  const once = { policy: 'password-known', rate: limits['password-known'].rateOf(), tenant: tenant.id, whose: userId }
  if (!(await rates.tryCount(context, once))) return
  await database.inTenant(tenant.id, async (sql) => {
    const user = await findOwner(sql, userId)
    if (!user?.emailVerified) return
    const kind = 'password_known'
    const sealed = keyring.seal('job', JSON.stringify({ email: user.email }), sql.tenant)
    await queueMail(sql, { kind, userId, sealed }, mailKey(userId, kind))
  })
}

/**
 * Records and mails once that codes from unknown devices are no longer looked at. A new password ends this, if resets have not ended it too
 * often.
 */
async function noteCodesOff(
  { database, keyring, requestId }: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  userId: string,
  tried: Try,
): Promise<void> {
  await database.inTenant(tenant.id, async (sql) => {
    sql.claimTurn(turnOfTries(tried))
    const user = await findOwner(sql, userId)
    if (!user || !(await claimNotice(sql, keyring, user.email, 'second'))) return
    await record(sql, { type: 'system', requestId }, 'password.switched_off', {
      target: { type: 'user', userId, name: user.name },
      details: { reason: 'second_factor' },
    })
    if (!user.emailVerified) return
    const kind = 'codes_switched_off'
    const sealed = keyring.seal('job', user.email, sql.tenant)
    await queueMail(sql, { kind, userId, sealed }, mailKey(userId, kind))
  })
}

async function findOwner(
  sql: Sql,
  userId: string,
): Promise<{ readonly name: string | null; readonly email: string; readonly emailVerified: boolean } | undefined> {
  const [owner] = await sql<{ name: string | null; email: string; emailVerified: boolean }>`
    select name, email, email_verified from users where tenant_id = ${sql.tenant} and id = ${userId} for key share`
  return owner
}

/**
 * Records that a passkey was refused because it may have been copied.
 *
 * @throws Problem attempt_spent on a replay: one answer makes one entry
 */
export async function recordCopiedPasskey(
  { database, ip, userAgent, requestId }: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  { copiedOf: userId, challenge }: CopiedPasskey,
): Promise<void> {
  await database.inTenant(tenant.id, async (sql) => {
    const [user] = await sql<{ name: string | null }>`
      select name from users where tenant_id = ${sql.tenant} and id = ${userId} for key share`
    if (!user) return
    await spendChallenge(sql, challenge)
    await record(sql, { type: 'anonymous', requestId }, 'session.refused', {
      target: { type: 'user', userId, name: user.name },
      origin: { ip, device: deviceOf(userAgent).name },
      details: { reason: 'passkey_counter' },
    })
  })
}
