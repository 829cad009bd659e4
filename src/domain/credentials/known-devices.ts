/**
 * Known devices: where an account was signed in before. A random token identifies a device and outlives its sessions. A browser stores it
 * in a cookie; other callers get it with a session, and send it when they sign in again. A network is never known: many people share one.
 */
import { Type } from 'typebox'
import { randomSecret, sha256 } from '../../platform/cryptography.ts'
import { type Purge, pipeline, type Sql } from '../../platform/database/database.ts'
import { deviceTokenPattern, isDeviceToken } from '../access/tokens.ts'
import { caps } from '../limits/caps.ts'

/** A device token, as callers without cookies send and get it. */
export const DeviceToken = Type.String({
  pattern: deviceTokenPattern,
  minLength: 43,
  maxLength: 43,
  examples: [`${'x'.repeat(42)}0`],
})

/** The same, when somebody makes an account. */
export const DeviceTokenOfNewUser = {
  ...DeviceToken,
  description:
    'The token of an earlier session on this device, of any user. The new account knows the device by it. Without one, a new token is made. Browsers that use the session cookie have a cookie for this.',
}

/** How a caller may be known to an account. */
export interface Sender {
  /** Of a caller who is signed in. */
  readonly sessionId?: string
  /** As the caller sent it. */
  readonly deviceToken?: string | undefined
  /** Of a half-done sign-in: what identified the device when it began. */
  readonly known?: string | undefined
}

/**
 * Finds what identifies the caller to the account: the token of a known device or, for a signed-in caller, the device of the session.
 *
 * @returns undefined for a stranger
 */
export async function findKnownDevice(
  sql: Sql,
  email: string,
  { sessionId, deviceToken, known: before }: Sender,
): Promise<string | undefined> {
  if (sessionId !== undefined) {
    const [session] = await sql<{ deviceHash: Buffer | null }>`
      select device_hash from sessions where tenant_id = ${sql.tenant} and id = ${sessionId}`
    return session?.deviceHash?.toString('hex') ?? sessionId
  }
  const sent = isDeviceToken(deviceToken) ? sha256(deviceToken) : null
  const hash = before === undefined ? sent : Buffer.from(before, 'hex') // it may have been forgotten since
  const known = await sql`
    select from users u
    join known_devices d on d.tenant_id = ${sql.tenant} and d.user_id = u.id and d.token_hash = ${hash}
    where u.tenant_id = ${sql.tenant} and u.email = ${email}`
  return known.length > 0 ? hash?.toString('hex') : undefined
}

/** A device that an account knows from now on. */
export interface RememberedDevice {
  readonly token: string
  /** What is kept of the token. */
  readonly hash: Buffer
  /** Whether the account did not know it. */
  readonly isNew: boolean
}

/**
 * Makes a device known to an account. The person must be locked: whatever forgets devices locks them, too, so `isNew` is certain.
 *
 * @param sent the token that the device has sent, if any
 */
export async function rememberDevice(sql: Sql, userId: string, sent: string | undefined): Promise<RememberedDevice> {
  const token = isDeviceToken(sent) ? sent : randomSecret('device')
  const hash = sha256(token)
  const [known] = await pipeline([
    sql`select from known_devices where tenant_id = ${sql.tenant} and user_id = ${userId} and token_hash = ${hash}`,
    sql`
      insert into known_devices (tenant_id, user_id, token_hash)
      values (${sql.tenant}, ${userId}, ${hash})
      on conflict (tenant_id, user_id, token_hash) do update set last_used_at = excluded.last_used_at`,
    sql`
      delete from known_devices
      where tenant_id = ${sql.tenant} and user_id = ${userId} and token_hash in (
        select token_hash from known_devices
        where tenant_id = ${sql.tenant} and user_id = ${userId}
        order by last_used_at desc, token_hash
        offset ${caps.knownDevices.most})`,
  ])
  return { token, hash, isNew: known.length === 0 }
}

/**
 * Forgets the devices of an account: somebody else may have used it on them.
 *
 * @param except the session whose device stays known
 */
export async function forgetDevices(sql: Sql, userId: string, except: string | null = null): Promise<void> {
  await sql`
    delete from known_devices
    where tenant_id = ${sql.tenant} and user_id = ${userId} and token_hash is distinct from (
      select device_hash from sessions where tenant_id = ${sql.tenant} and id = ${except})`
}

/**
 * Forgets the devices of an account of which only the mailbox is proven. If it has a factor, those stay on which a session has proven two:
 * somebody who has only the mailbox must not make the owner's device unknown, and then lock unknown ones out. Ended sessions are kept for 30
 * days. The person must be locked.
 */
export async function forgetDevicesByMail(sql: Sql, userId: string): Promise<void> {
  await sql`
    delete from known_devices
    where tenant_id = ${sql.tenant} and user_id = ${userId} and (
      token_hash not in (
        select device_hash from sessions
        where tenant_id = ${sql.tenant} and user_id = ${userId} and assurance = 2 and device_hash is not null)
      or not exists (select from factors where tenant_id = ${sql.tenant} and user_id = ${userId}))`
}

/** Deletes devices that were not used for 400 days. */
export const purgeDevices: Purge = (sql, batch) => sql`
  with over as (
    select user_id, token_hash from known_devices
    where tenant_id = ${sql.tenant} and last_used_at < now() - interval '400 days'
    limit ${batch}
    for update skip locked)
  delete from known_devices d
  using over
  where d.tenant_id = ${sql.tenant} and d.user_id = over.user_id and d.token_hash = over.token_hash
  returning d.user_id`

/** Forgets some devices of an account. @param hashes those of their tokens */
export async function forgetDevicesByHash(sql: Sql, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await sql`
    delete from known_devices
    where tenant_id = ${sql.tenant} and user_id = ${userId} and token_hash = any(${hashes})`
}
