/**
 * Known devices: where an account was signed in before. A browser is known by a cookie that outlives its sessions, other callers by
 * their network.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomSecret, sha256 } from '../../platform/cryptography.ts'
import type { Purge, Sql } from '../../platform/database/database.ts'
import { addressOf, networkOf } from '../../platform/http/address.ts'
import { cookieName, cookieOptions, wantsCookie } from '../access/authentication.ts'

const name = 'guildhall-device'

/** The device cookie of the request's browser: made just now, or come with the request in the form of ours. */
function deviceTokenOf(request: FastifyRequest): string | undefined {
  const token = request.deviceToken ?? request.cookies[cookieName(request, name)]
  return token !== undefined && /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined
}

/**
 * What the account knows the caller by: the cookie of a browser that was signed in before; for callers without cookies, a network
 * with a session in the last 30 days; for who is signed in, if nothing else, the session. Undefined for a stranger.
 */
export async function findKnownDevice(
  sql: Sql,
  request: FastifyRequest,
  email: string,
  sessionId?: string,
): Promise<string | undefined> {
  const isBrowser = sessionId === undefined ? wantsCookie(request) : request.credential?.by === 'cookie'
  const [user] = await sql<{ id: string }>`
    select id from users where tenant_id = ${sql.tenant} and email = ${email}`
  const userId = user?.id ?? null // nobody's account takes as long
  if (isBrowser) {
    const token = deviceTokenOf(request)
    const device = token === undefined ? undefined : sha256(token)
    const known = await sql`
      select from known_devices
      where tenant_id = ${sql.tenant} and user_id = ${userId} and token_hash = ${device ?? null}`
    return known.length > 0 ? device?.toString('hex') : sessionId
  }
  const network = networkOf(addressOf(request))
  const known = await sql`
    select from sessions
    where tenant_id = ${sql.tenant} and user_id = ${userId} and network = ${network}
      and last_active_at > now() - interval '30 days'
    limit 1`
  return known.length > 0 ? network : sessionId
}

/**
 * Makes the browser of a request known, if its session is to be a cookie.
 *
 * @returns the hash of its device cookie, or null for other callers
 */
export async function rememberDevice(sql: Sql, request: FastifyRequest, userId: string): Promise<Buffer | null> {
  if (!wantsCookie(request)) return null
  const token = deviceTokenOf(request) ?? randomSecret('device')
  request.deviceToken = token
  const hash = sha256(token)
  await sql`
    insert into known_devices (tenant_id, user_id, token_hash)
    values (${sql.tenant}, ${userId}, ${hash})
    on conflict (tenant_id, user_id, token_hash) do update set last_used_at = now()`
  return hash
}

/** From now on the account knows nobody: whoever used it before may not have been its owner. */
export async function forgetDevices(sql: Sql, userId: string): Promise<void> {
  await sql`delete from known_devices where tenant_id = ${sql.tenant} and user_id = ${userId}`
  await sql`
    update sessions set network = null
    where tenant_id = ${sql.tenant} and user_id = ${userId} and network is not null`
}

/** Gives the cookie to a browser that has none, and to others for longer. */
export function setDeviceCookie(request: FastifyRequest, reply: FastifyReply): void {
  const token = deviceTokenOf(request)
  if (token !== undefined) reply.setCookie(cookieName(request, name), token, cookieOptions(request))
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The device cookie that this browser has from now on. */
    deviceToken: string | undefined
  }
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
