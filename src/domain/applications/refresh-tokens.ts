/**
 * Refresh tokens: what an application exchanges for new tokens, while the session of its grant lives. They are stored nowhere: each is an HMAC
 * under GUILDHALL_SECRET of its grant and its generation. So a successor can be made again, and is the same text.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { refreshTokenPattern, suffixOf, tenantOf } from '../access/tokens.ts'

export interface RefreshToken {
  readonly tenant: string
  readonly grantId: string
  /** Each use makes the next one. */
  readonly generation: number
}

const form = new RegExp(refreshTokenPattern)

export function makeRefreshToken(keyring: Keyring, { tenant, grantId, generation }: RefreshToken): string {
  const mac = keyring.hmac('refresh', tenant, grantId, String(generation))
  return `ghf_${suffixOf(tenant)}.${grantId.slice(grantId.indexOf('_') + 1)}.${generation}.${mac.toString('base64url')}`
}

/** @returns what the token opens; undefined for a text that is no token of ours */
export function openRefreshToken(keyring: Keyring, token: string): RefreshToken | undefined {
  if (!form.test(token)) return undefined
  const [, grant = '', generation = '', mac = ''] = token.split('.')
  const [tenant, grantId] = [tenantOf(token), `gra_${grant}`]
  if (!keyring.verifies(Buffer.from(mac, 'base64url'), 'refresh', tenant, grantId, generation)) return undefined
  return { tenant, grantId, generation: Number(generation) }
}
