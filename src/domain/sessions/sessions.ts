/**
 * Sessions: their rows, and how they start and end. A session is one device on which somebody is signed in.
 *
 * Invariant: a session that ended is refused by the very next request with it, on every node; nobody caches one.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type Purge, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { addressOf, networkOf } from '../../platform/http/address.ts'
import { Id, Nullable, newId, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import { setSessionCookie, wantsSessionCookie } from '../access/authentication.ts'
import type { Actor, Caller } from '../access/authorization.ts'
import { newToken } from '../access/tokens.ts'
import { DeviceToken, rememberDevice, setDeviceCookie } from '../credentials/known-devices.ts'
import { selectUser, User } from '../people/users.ts'
import { recordEvent } from '../record/record.ts'
import { deviceOf, deviceTypes } from './device.ts'
import { expiry, isLive } from './lifetime.ts'

export type Device = Static<typeof Device>
export const Device = Type.Object(
  {
    id: Id('dev'),
    name: Type.String({ maxLength: 130, examples: ['Chrome on macOS'] }),
    browser: Nullable(Type.String({ maxLength: 60, examples: ['Chrome'] })),
    os: Nullable(Type.String({ maxLength: 60, examples: ['macOS'] })),
    type: OneOf(deviceTypes),
    ip: Nullable(Type.String({ maxLength: 45, examples: ['203.0.113.7'] })),
    current: Type.Boolean({ description: 'Whether this is the session of the request.' }),
    createdAt: Timestamp,
    lastActiveAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: 'Device', description: 'A session: a device on which somebody is signed in.' },
)

/** The answer of whatever starts a session. */
export const SignedIn = Type.Object(
  {
    user: ref(User),
    session: Type.Object({
      token: Type.Optional(
        Type.String({
          maxLength: 80,
          description: 'Absent when the session is a cookie.',
          examples: ['ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.…'],
        }),
      ),
      deviceToken: Type.Optional({
        ...DeviceToken,
        description:
          'Identifies this device at later sign-ins. Store it on the device, keep it after the session ends, and send it when the same user signs in there again. Absent when the session is a cookie: the device then has a cookie too.',
      }),
      device: ref(Device),
    }),
  },
  { $id: 'SignedIn', description: 'The user and the new session.' },
)

/** Columns of a `Device`, of `sessions s` and `tenants t`. */
function deviceColumns(current: Statement | string): Statement {
  return statement`s.id, s.name, s.browser, s.os, s.type, s.ip, s.id = ${current} as current, s.created_at, s.last_active_at,
    ${expiry} as expires_at`
}

/** A session that was just started, with its token still in hand. */
export interface Started {
  readonly user: User
  readonly session: { readonly token: string; readonly deviceToken: string; readonly device: Device }
}

/**
 * Starts a session, and ends the least active ones past MAX_SESSIONS. The user's row must be locked, so that parallel sign-ins
 * cannot pass the limit together.
 */
export async function startSession(
  sql: Sql,
  request: FastifyRequest,
  userId: string,
  name: string | null,
): Promise<Started> {
  const id = newId('dev')
  const { token, hash } = newToken('ghs', sql.tenant)
  const device = deviceOf(request.headers['user-agent'])
  const actor = actorOf(request, userId, name)
  const ip = addressOf(request)
  const known = await rememberDevice(sql, request, userId)
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
      offset ${request.server.config.maxSessions - 1})
    returning id`
  for (const { id: deviceId } of ended) {
    await recordEvent(sql, { type: 'system', requestId: request.id }, 'session.revoked', {
      target: { type: 'user', userId, name },
      details: { deviceId },
    })
  }
  await recordEvent(sql, actor, 'session.started', { target: actor, details: { deviceId: id } })
  const [started] = await sql<Device>`
    select ${deviceColumns(id)}
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${sql.tenant} and s.id = ${id}`
  const [user] = await sql<User>`${selectUser} where tenant_id = ${sql.tenant} and id = ${userId}`
  if (!started || !user) throw new Error('A session that was just written cannot be read.')
  return { user, session: { token, deviceToken: known.token, device: started } }
}

/** Who a request comes from once it is known whose it is, though it carried no session. */
export function actorOf(
  request: FastifyRequest,
  userId: string,
  name: string | null,
): Extract<Actor, { type: 'user' }> {
  return {
    type: 'user',
    userId,
    name,
    ip: addressOf(request),
    device: deviceOf(request.headers['user-agent']).name,
    requestId: request.id,
  }
}

/** Gives the token to the caller: in the body, or, where it asked so, in a cookie instead of the one it held. */
export async function handOver(request: FastifyRequest, reply: FastifyReply, started: Started) {
  if (!wantsSessionCookie(request)) return started
  if (request.credential?.by === 'cookie') await endOwnSession(request)
  setSessionCookie(request, reply, started.session.token)
  setDeviceCookie(request, reply, started.session.deviceToken)
  return { user: started.user, session: { device: started.session.device } }
}

/** Ends the session of the request's credential, if there is one that lives. */
export async function endOwnSession(request: FastifyRequest): Promise<void> {
  const { credential } = request
  if (!credential) return
  await request.asAnyone({ id: credential.tenant }, async (sql) => {
    const [ended] = await sql<{ id: string; userId: string; name: string | null }>`
      update sessions s set ended_at = now()
      from users u
      where s.tenant_id = ${sql.tenant} and s.token_hash = ${credential.hash} and s.ended_at is null
        and u.tenant_id = ${sql.tenant} and u.id = s.user_id
      returning s.id, s.user_id, u.name`
    if (!ended) return
    const actor = actorOf(request, ended.userId, ended.name)
    await recordEvent(sql, actor, 'session.signed_out', { target: actor, details: { deviceId: ended.id } })
  })
}

/**
 * Ends a session of the user's, and tells the audit log.
 *
 * @param user whose it is: the caller, or whom an admin names
 * @returns the device as it was, or undefined when the user has no such live session
 */
export async function endSession(
  sql: Sql,
  caller: Caller,
  deviceId: string,
  { userId, name }: Pick<Caller, 'userId' | 'name'> = caller,
): Promise<Device | undefined> {
  const [device] = await sql<Device>`
    select ${deviceColumns(caller.sessionId)}
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${sql.tenant} and s.user_id = ${userId} and s.id = ${deviceId} and ${isLive}
    for no key update of s`
  if (!device) return undefined
  await sql`update sessions set ended_at = now() where tenant_id = ${sql.tenant} and id = ${deviceId}`
  await recordEvent(sql, caller, 'session.revoked', {
    target: { type: 'user', userId, name },
    details: { deviceId, device: device.name },
  })
  return device
}

/** Ends every session of the caller but the one that asks. @returns how many lived */
export function endOtherSessions(sql: Sql, { userId, sessionId }: Caller): Promise<number> {
  return endAllSessions(sql, userId, sessionId)
}

/** Ends every session of a user, or every one but one. @returns how many lived */
export async function endAllSessions(sql: Sql, userId: string, except: string | null = null): Promise<number> {
  const [ended] = await sql<{ count: number }>`
    with ended as (
      update sessions s set ended_at = now()
      from tenants t
      where s.tenant_id = ${sql.tenant} and s.user_id = ${userId} and s.id is distinct from ${except}
        and s.ended_at is null and t.id = s.tenant_id
      returning ${expiry} > now() as lived)
    select count(*) filter (where lived) from ended`
  return ended?.count ?? 0
}

export const Devices = Type.Object(
  { data: Type.Array(ref(Device), { maxItems: 1000 }), nextCursor: Type.Null() },
  { description: 'The whole list.' },
)

export const Ended = Type.Object(
  { endedSessions: Type.Integer({ minimum: 0, maximum: 1_000_000, format: 'int32' }) },
  { description: 'The number of sessions that were ended.' },
)

export function selectDevices(tenant: string, user: Statement | string, session: Statement): Statement {
  return statement`
    select ${deviceColumns(session)}
    from sessions s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${tenant} and s.user_id = ${user} and ${isLive}
    order by s.last_active_at desc, s.id desc`
}

/** Deletes sessions that ended or expired 30 days ago, and were not used since. */
export const purgeSessions: Purge = (sql, batch) => sql`
  with over as (
    select s.id
    from sessions s
    join tenants t on t.id = ${sql.tenant}
    where s.tenant_id = ${sql.tenant} and s.last_active_at < now() - interval '30 days'
      and (s.ended_at < now() - interval '30 days' or ${expiry} < now())
    limit ${batch}
    for update of s skip locked)
  delete from sessions s
  using over
  where s.tenant_id = ${sql.tenant} and s.id = over.id
  returning s.id`
