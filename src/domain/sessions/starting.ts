/** Starting: the rows of a new session, and of one that is confirmed. Only completion.ts calls these. */
import type { Sql } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { newId } from '../../platform/http/schemas.ts'
import { newToken } from '../access/tokens.ts'
import { rememberDevice } from '../credentials/known-devices.ts'
import { selectUser, type User } from '../people/users.ts'
import { record } from '../record/record.ts'
import type { Method } from './attempts.ts'
import { deviceOf } from './device.ts'
import { isLive } from './lifetime.ts'
import { actorOf, type Device, deviceColumns } from './sessions.ts'

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

/** How somebody has signed in. */
interface Signed {
  readonly methods: readonly Method[]
  readonly assurance: 1 | 2
  /** The identity that was used. */
  readonly identityId: string | null
  /** Its provider. */
  readonly providerId: string | undefined
}

interface Person {
  readonly id: string
  readonly name: string | null
}

/**
 * Starts a session, makes the device known, ends the least active sessions past MAX_SESSIONS, and records all of it.
 *
 * The person's row must be locked, so that parallel sign-ins cannot pass the limit together.
 */
export async function startSession(
  sql: Sql,
  { id: userId, name }: Person,
  { deviceToken, methods, assurance, identityId, providerId }: Signed & { readonly deviceToken: string | undefined },
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
    insert into sessions (tenant_id, id, user_id, token_hash, name, browser, os, type, ip, network, device_hash, methods,
      assurance, identity_id)
    values (${sql.tenant}, ${id}, ${userId}, ${hash}, ${device.name}, ${device.browser}, ${device.os}, ${device.type}, ${ip},
      ${networkOf(ip)}, ${known.hash}, ${methods}, ${assurance}, ${identityId})`
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
  await record(sql, actor, 'session.started', {
    target: actor,
    details: { deviceId: id, methods, assurance, ...(providerId !== undefined && { providerId }) },
  })
  const { user, device: started } = await readSignedIn(sql, userId, id)
  return { user, session: { token, deviceToken: known.token, device: started } }
}

/**
 * Gives a session that was confirmed a new token (ASVS 5.0 V7.2.4). It stays the same device, and lives no longer than before. Its assurance
 * never falls.
 *
 * @param session its id, and the hash of the token that is replaced: of parallel confirmations with one token, the first wins
 * @returns undefined when the session has ended or has another token
 */
export async function renewSession(
  sql: Sql,
  { id: userId, name }: Person,
  { id: sessionId, token: replaced }: { readonly id: string; readonly token: Buffer | undefined },
  { methods, assurance }: Signed,
  context: RequestContext,
): Promise<Started | undefined> {
  if (!replaced) return undefined
  const { token, hash } = newToken('ghs', sql.tenant)
  const renewed = await sql`
    update sessions s
    set token_hash = ${hash}, methods = ${methods}, assurance = ${assurance},
      authenticated_at = now(), last_active_at = now()
    from tenants t
    where s.tenant_id = ${sql.tenant} and s.id = ${sessionId} and s.user_id = ${userId} and s.token_hash = ${replaced}
      and s.assurance <= ${assurance} and t.id = s.tenant_id and ${isLive}
    returning s.id`
  if (renewed.length === 0) return undefined
  const actor = actorOf(context, userId, name)
  await record(sql, actor, 'session.confirmed', { target: actor, details: { deviceId: sessionId, methods, assurance } })
  const { user, device } = await readSignedIn(sql, userId, sessionId)
  return { user, session: { token, device } }
}

/** @returns undefined if there is no such session */
export async function assuranceOfSession(sql: Sql, id: string): Promise<1 | 2 | undefined> {
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
    select ${deviceColumns(sessionId)}
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${sql.tenant} and s.id = ${sessionId}`
  const [user] = await sql<User>`${selectUser} where tenant_id = ${sql.tenant} and id = ${userId}`
  if (!device || !user) throw new Error('A session that was just written cannot be read.')
  return { user, device }
}
