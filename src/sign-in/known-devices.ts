/**
 * Known devices: where an account was signed in before. A browser is known by a cookie that outlives its sessions, other callers by
 * their network.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieName, cookieOptions, wantsCookie } from '../access/authentication.ts'
import { randomSecret, sha256 } from '../cryptography.ts'
import type { Sql } from '../database/database.ts'
import { addressOf, networkOf } from '../http/address.ts'

/** The hash of the device cookie that came with the request, if it is in the form of ours. */
export function knownDeviceOf(request: FastifyRequest): Buffer | undefined {
  const token = request.cookies[cookieName(request, 'guildhall-device')]
  return token !== undefined && /^[A-Za-z0-9_-]{43}$/.test(token) ? sha256(token) : undefined
}

/** Whether the account was signed in from this browser before; for callers without cookies, from this network, in the last 30 days. */
export async function isKnownDevice(sql: Sql, request: FastifyRequest, email: string): Promise<boolean> {
  const account = sql<{ id: string }>`select id from users where tenant_id = ${sql.tenant} and email = ${email}`
  const userId = (await account)[0]?.id ?? null // nobody's account takes as long
  const device = knownDeviceOf(request)
  const known = wantsCookie(request)
    ? await sql`
        select from known_devices
        where tenant_id = ${sql.tenant} and user_id = ${userId} and token_hash = ${device ?? null}`
    : await sql`
        select from sessions
        where tenant_id = ${sql.tenant} and user_id = ${userId} and network = ${networkOf(addressOf(request))}
          and last_active_at > now() - interval '30 days'
        limit 1`
  return known.length > 0
}

/**
 * Makes the browser of a request known, if its session is to be a cookie.
 *
 * @returns the hash of its device cookie, or null for other callers
 */
export async function rememberDevice(sql: Sql, request: FastifyRequest, userId: string): Promise<Buffer | null> {
  if (!wantsCookie(request)) return null
  request.newDevice ??= knownDeviceOf(request) ? undefined : randomSecret()
  const hash = request.newDevice === undefined ? knownDeviceOf(request) : sha256(request.newDevice)
  if (!hash) return null
  await sql`
    insert into known_devices (tenant_id, user_id, token_hash)
    values (${sql.tenant}, ${userId}, ${hash})
    on conflict (tenant_id, user_id, token_hash) do update set last_used_at = now()`
  return hash
}

/** Gives the cookie to a browser that has none. */
export function setDeviceCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (request.newDevice === undefined) return
  reply.setCookie(cookieName(request, 'guildhall-device'), request.newDevice, cookieOptions(request))
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The device cookie that was made for this browser. */
    newDevice: string | undefined
  }
}
