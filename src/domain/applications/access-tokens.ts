/**
 * Access tokens: what an application sends to us for a person. They are stored nowhere: each is an HMAC under GUILDHALL_SECRET of its grant and
 * its end, and is judged at each request with the grant.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { accessTokenPattern, suffixOf, tenantOf } from '../access/tokens.ts'

/** How long an access token lives, in seconds. */
export const accessTokenLifetime = 3_600

/** What an access token opens, and until when. */
export interface AccessToken {
  readonly tenant: string
  readonly grantId: string
  /** In seconds since 1970. */
  readonly end: number
}

const form = new RegExp(accessTokenPattern)

/** @param end in seconds since 1970 */
export function makeAccessToken(keyring: Keyring, tenant: string, grantId: string, end: number): string {
  const mac = keyring.hmac('access', tenant, grantId, String(end))
  return `ght_${suffixOf(tenant)}.${grantId.slice(grantId.indexOf('_') + 1)}.${end}.${mac.toString('base64url')}`
}

/** @returns what the token opens, also if its end has come; undefined for a text that is no token of ours */
export function openAccessToken(keyring: Keyring, token: string): AccessToken | undefined {
  if (!form.test(token)) return undefined
  const [, grant = '', end = '', mac = ''] = token.split('.')
  const [tenant, grantId] = [tenantOf(token), `gra_${grant}`]
  if (!keyring.verifies(Buffer.from(mac, 'base64url'), 'access', tenant, grantId, end)) return undefined
  return { tenant, grantId, end: Number(end) }
}
