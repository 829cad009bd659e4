/**
 * Completion of a sign-in: every way of signing in ends here, and nothing else makes a session.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { newId } from '../../platform/http/schemas.ts'
import { newToken } from '../access/tokens.ts'
import { rememberDevice } from '../credentials/known-devices.ts'
import { queueMail } from '../mail/queue.ts'
import { selectUser, type User } from '../people/users.ts'
import { record } from '../record/record.ts'
import { deviceOf } from './device.ts'
import { isLive } from './lifetime.ts'
import { actorOf, type Device, deviceColumns } from './sessions.ts'

/** A session that was just started, with its token still in hand. */
export interface Started {
  readonly user: User
  readonly session: { readonly token: string; readonly deviceToken: string; readonly device: Device }
}

/** Who signs in. */
interface Person {
  readonly id: string
  readonly name: string | null
}

/** What a person has shown. */
export interface Proof {
  /** The account was made in the same transaction, or its password was right. */
  readonly by: 'new_account' | 'password'
  /** Whether the person has signed in on this device before. */
  readonly isOnKnownDevice: boolean
  /** As the device sent it. */
  readonly deviceToken: string | undefined
}

/**
 * Completes a sign-in: starts a session, makes the device known, ends the least active sessions past MAX_SESSIONS, records all of it, and
 * mails the owner of a verified address about a new device.
 *
 * The person's row must be locked, so that parallel sign-ins cannot pass the limit together. cookies.ts delivers the session after the
 * commit.
 */
export async function completeSignIn(
  sql: Sql,
  person: Person,
  proof: Proof,
  context: RequestContext,
): Promise<Started> {
  const started = await startSession(sql, person, proof, context)
  if (proof.by === 'password' && !proof.isOnKnownDevice) await tellOfDevice(sql, context.keyring, started)
  return started
}

/** An unverified address gets no mail: a stranger may have made the account with it. */
async function tellOfDevice(sql: Sql, keyring: Keyring, { user, session }: Started): Promise<void> {
  if (!user.emailVerified) return
  const sealed = keyring.seal('job', user.email, sql.tenant)
  await queueMail(sql, { kind: 'new_device', userId: user.id, sessionId: session.device.id, sealed })
}

async function startSession(
  sql: Sql,
  { id: userId, name }: Person,
  { deviceToken }: Proof,
  context: RequestContext,
): Promise<Started> {
  const id = newId('dev')
  const { token, hash } = newToken('ghs', sql.tenant)
  const device = deviceOf(context.userAgent)
  const actor = actorOf(context, userId, name)
  const { ip } = context
  const known = await rememberDevice(sql, userId, deviceToken)
  // The network is null once a mail has ended the session (features/sign-in/end-session.ts). The previous release compares it, too.
  await sql`
    insert into sessions (tenant_id, id, user_id, token_hash, name, browser, os, type, ip, network, device_hash)
    values (${sql.tenant}, ${id}, ${userId}, ${hash}, ${device.name}, ${device.browser}, ${device.os}, ${device.type}, ${ip},
      ${networkOf(ip)}, ${known.hash})`
  await sql`update users set last_active_at = now() where tenant_id = ${sql.tenant} and id = ${userId}`
  const ended = await sql<{ id: string }>`
    update sessions set ended_at = now()
    where tenant_id = ${sql.tenant} and id in (
      select s.id
      from sessions s
      join tenants t on t.id = s.tenant_id
      where s.tenant_id = ${sql.tenant} and s.user_id = ${userId} and ${isLive} and s.id <> ${id}
      order by s.last_active_at desc, s.id desc
      offset ${context.config.maxSessions - 1})
    returning id`
  for (const { id: deviceId } of ended) {
    await record(sql, { type: 'system', requestId: context.requestId }, 'session.revoked', {
      target: { type: 'user', userId, name },
      details: { deviceId },
    })
  }
  await record(sql, actor, 'session.started', { target: actor, details: { deviceId: id } })
  const [started] = await sql<Device>`
    select ${deviceColumns(id)}
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${sql.tenant} and s.id = ${id}`
  const [user] = await sql<User>`${selectUser} where tenant_id = ${sql.tenant} and id = ${userId}`
  if (!started || !user) throw new Error('A session that was just written cannot be read.')
  return { user, session: { token, deviceToken: known.token, device: started } }
}
