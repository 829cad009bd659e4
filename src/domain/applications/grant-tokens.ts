/**
 * Tokens of a grant: what an application sends to us. They are stored nowhere: each is an HMAC under GUILDHALL_SECRET of its grant and a
 * number, and is judged with the grant whenever it comes.
 *
 * - With an access token it calls for the person. The number is its end.
 * - A refresh token is exchanged for new tokens, while the session of the grant lives. The number is its generation: each use makes the next
 *   one. So a successor can be made again, and is the same text.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { accessTokenPattern, refreshTokenPattern, suffixOf, tenantOf } from '../access/tokens.ts'

/** How long an access token lives, in seconds. */
export const accessTokenLifetime = 3_600

/** What a token opens. */
interface GrantToken {
  readonly tenant: string
  readonly grantId: string
}

export interface AccessToken extends GrantToken {
  /** In seconds since 1970. */
  readonly end: number
}

export interface RefreshToken extends GrantToken {
  readonly generation: number
}

const kinds = {
  access: { prefix: 'ght', form: new RegExp(accessTokenPattern) },
  refresh: { prefix: 'ghf', form: new RegExp(refreshTokenPattern) },
} as const

export function makeAccessToken(keyring: Keyring, { tenant, grantId, end }: AccessToken): string {
  return make(keyring, 'access', tenant, grantId, end)
}

export function makeRefreshToken(keyring: Keyring, { tenant, grantId, generation }: RefreshToken): string {
  return make(keyring, 'refresh', tenant, grantId, generation)
}

/** @returns what the token opens, also if its end has come; undefined for a text that is no token of ours */
export function openAccessToken(keyring: Keyring, token: string): AccessToken | undefined {
  const opened = open(keyring, 'access', token)
  return opened && { tenant: opened.tenant, grantId: opened.grantId, end: opened.number }
}

/** @returns what the token opens, also if it was replaced; undefined for a text that is no token of ours */
export function openRefreshToken(keyring: Keyring, token: string): RefreshToken | undefined {
  const opened = open(keyring, 'refresh', token)
  return opened && { tenant: opened.tenant, grantId: opened.grantId, generation: opened.number }
}

function make(keyring: Keyring, kind: keyof typeof kinds, tenant: string, grantId: string, number: number): string {
  const mac = keyring.hmac(kind, tenant, grantId, String(number))
  const grant = grantId.slice(grantId.indexOf('_') + 1)
  return `${kinds[kind].prefix}_${suffixOf(tenant)}.${grant}.${number}.${mac.toString('base64url')}`
}

function open(
  keyring: Keyring,
  kind: keyof typeof kinds,
  token: string,
): (GrantToken & { readonly number: number }) | undefined {
  if (!kinds[kind].form.test(token)) return undefined
  const [, grant = '', number = '', mac = ''] = token.split('.')
  const [tenant, grantId] = [tenantOf(token), `gra_${grant}`]
  if (!keyring.verifies(Buffer.from(mac, 'base64url'), kind, tenant, grantId, number)) return undefined
  return { tenant, grantId, number: Number(number) }
}
