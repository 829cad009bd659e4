/**
 * Tokens: the secrets that open something, in the form in which they travel.
 *
 * Each text names its tenant, so that it is looked up behind that tenant's wall. Session and set-up tokens are random and kept only
 * as SHA-256. Mailed tokens are not kept at all: they are an HMAC under GUILDHALL_SECRET of what they open, so that nothing that is
 * stored, queued or kept in the mailbox can make one.
 */
import { crc32 } from 'node:zlib'
import { TypeID } from 'typeid-js'
import { type Keyring, randomSecret, sha256 } from '../../platform/cryptography.ts'
import { tenantIdToUuid } from '../../platform/http/schemas.ts'
import { ApiProblem, type ProblemCode } from '../problems.ts'

const id = '[0-7][0-9a-hjkmnp-tv-z]{25}'
const secret = '[A-Za-z0-9_-]{43}'
/** 32 bytes in their one spelling: a decoder would ignore the last two bits. */
const mac = '[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]'

/**
 * How many characters a secret or token may have that is sent to us. Ours are shorter: one of somebody else is unknown, and not malformed
 * (RFC 6749, 5.2; RFC 7009, 2.2).
 */
export const mostOfToken = 16_384

/** A secret as it was handed in: whose tenant it names, and the hash under which it is kept. */
export interface TokenHash {
  readonly tenant: string
  readonly hash: Buffer
  /** The grant that an access token names, and its end, in seconds since 1970; absent for others. */
  readonly grant?: { readonly id: string; readonly end: number }
}

/** `ghs_<tenant>.<secret>`: a session. Secret scanners can match it. */
export const sessionTokenPattern = `^ghs_${id}\\.${secret}$`
/** `ghk_<tenant>.<secret><checksum>`: a key. The checksum tells a typing error, or a text that only looks like a key. */
export const keyTokenPattern = `^ghk_${id}\\.${secret}[A-Za-z0-9_-]{6}$`
/** `ghu_<tenant>.<secret>`: the link that makes a tenant's first admin. */
const setUpToken = new RegExp(`^ghu_${id}\\.${secret}$`)
/** `gha_<tenant>.<secret>`: a half-done sign-in. No door takes it as a credential. */
export const attemptTokenPattern = `^gha_${id}\\.${secret}$`
/** `ghf_<tenant>.<grant>.<generation>.<mac>`: a refresh token. */
export const refreshTokenPattern = `^ghf_${id}\\.${id}\\.(?:0|[1-9]\\d{0,8})\\.${mac}$`
/** `ght_<tenant>.<grant>.<end>.<mac>`: an access token of an application. */
export const accessTokenPattern = `^ght_${id}\\.${id}\\.[1-9]\\d{9}\\.${mac}$`
/** `ghr_<tenant>.<sealed>`: a request of an application on its way through our pages. No door takes it as a credential. */
export const sealedRequestPattern = `^ghr_${id}\\.[A-Za-z0-9_-]+$`
/** `ghm_<tenant>.<row>.<mac>`: a mailed link. */
const mailedToken = new RegExp(`^ghm_${id}\\.${id}\\.${mac}$`)
/** `ghl_<tenant>.<link>.<mac>`: a link to join, made like a mailed one. */
const joinToken = new RegExp(`^ghl_${id}\\.${id}\\.${mac}$`)
/** A device token, which is no credential. */
export const deviceTokenPattern = '^[A-Za-z0-9_-]{43}$'
const deviceToken = new RegExp(deviceTokenPattern)

/** Whether a text has the form of a device token. */
export function isDeviceToken(text: string | undefined): text is string {
  return text !== undefined && deviceToken.test(text)
}

/** @returns a new random token for the tenant: the text to hand out, the hash to keep */
export function newToken(kind: 'ghs' | 'ghu' | 'gha' | 'ghx', tenant: string): { token: string; hash: Buffer } {
  const token = `${kind}_${suffixOf(tenant)}.${randomSecret(kind)}`
  return { token, hash: sha256(token) }
}

/** @returns a new secret of a key: the text to hand out, the hash to keep, and its last four characters */
export function newKeyToken(tenant: string): { token: string; hash: Buffer; hint: string } {
  const start = `ghk_${suffixOf(tenant)}.${randomSecret('ghk')}`
  const token = start + checksumOf(start)
  return { token, hash: sha256(token), hint: token.slice(-4) }
}

/** @param token a text that matches `keyTokenPattern` */
export function hasChecksum(token: string): boolean {
  return checksumOf(token.slice(0, -6)) === token.slice(-6)
}

/** CRC-32, big-endian, as base64url. It needs no secrecy: it spares a look-up. */
export function checksumOf(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64url')
}

/** @param token a text that matches its kind's pattern */
export function readToken(token: string): TokenHash {
  return { tenant: tenantOf(token), hash: sha256(token) }
}

/** The token of a set-up link. @throws Problem token_spent */
export function readSetUpToken(text: string): TokenHash {
  if (!setUpToken.test(text)) throw new ApiProblem('token_spent')
  return readToken(text)
}

/** What a mailed link opens, and how long it lives, in seconds; for `reset_password` see `resetLifetime` (credentials/mailed-tokens.ts). An invitation has an end of its own. */
export const linkLifetimes = {
  verify_email: 24 * 3600,
  change_email: 24 * 3600,
  undo_email_change: 72 * 3600,
  set_password: 7 * 86_400,
  end_session: 7 * 86_400,
} as const
export type MailedPurpose = keyof typeof linkLifetimes | 'reset_password' | 'invitation'

/** Those that have a row in `mailed_tokens`, one for each user. */
export type UserPurpose = Exclude<MailedPurpose, 'invitation' | 'end_session'>

/** How long the link lives that makes a tenant's first admin, in seconds. */
export const setUpLifetime = 24 * 3600

/** The row that a mailed token belongs to. A new token has a higher generation, which spends the older ones. */
export interface MailedTokenRow {
  readonly tenant: string
  /** The id of the user, invitation or session. */
  readonly id: string
  readonly generation: number
}

/** @param id of the link @returns its token, always the same one */
export function makeJoinToken(keyring: Keyring, tenant: string, id: string): string {
  const mac = keyring.hmac('join-token', tenant, id)
  return `ghl_${suffixOf(tenant)}.${id.slice(id.indexOf('_') + 1)}.${mac.toString('base64url')}`
}

/** Whether the token is that of the link that it names, under any of the secrets. */
export function isJoinToken(keyring: Keyring, { tenant, row, mac }: MailedToken): boolean {
  return keyring.verifies(mac, 'join-token', tenant, `lnk_${row}`)
}

export function makeMailedToken(keyring: Keyring, purpose: MailedPurpose, row: MailedTokenRow): string {
  const mac = keyring.hmac('mailed-token', purpose, row.tenant, row.id, String(row.generation))
  return `ghm_${suffixOf(row.tenant)}.${row.id.slice(row.id.indexOf('_') + 1)}.${mac.toString('base64url')}`
}

/** A mailed token taken apart; nothing in it is believed before `isMailedToken` has said so. */
export interface MailedToken {
  readonly tenant: string
  /** The row's id without its type. */
  readonly row: string
  readonly mac: Buffer
}

/** @param wrong what is said of a text that is no such token, as of one that nobody made @throws Problem */
export function readMailedToken(text: string, wrong: ProblemCode = 'token_spent'): MailedToken {
  return takeApart(text, mailedToken, wrong)
}

/** The token of a link to join. @throws Problem not_found */
export function readJoinToken(text: string): MailedToken {
  return takeApart(text, joinToken, 'not_found')
}

function takeApart(text: string, form: RegExp, wrong: ProblemCode): MailedToken {
  if (!form.test(text)) throw new ApiProblem(wrong)
  const [, row = '', mac = ''] = text.split('.')
  return { tenant: tenantOf(text), row, mac: Buffer.from(mac, 'base64url') }
}

/** Whether the token was made for this purpose, row and generation, under any of the secrets. */
export function isMailedToken(
  keyring: Keyring,
  token: MailedToken,
  purpose: MailedPurpose,
  row: MailedTokenRow,
): boolean {
  return keyring.verifies(token.mac, 'mailed-token', purpose, row.tenant, row.id, String(row.generation))
}

export function suffixOf(tenant: string): string {
  return TypeID.fromUUID('ten', tenant).getSuffix()
}

/** Tenants by the suffix that names them in tokens: decoding takes longer than the hash of a token. It says nothing about who may. */
const tenants = new Map<string, string>()
/** Anybody can make up suffixes. */
const mostTenants = 1_000

/** @returns the id of the tenant that a token names, whose form fits its pattern */
export function tenantOf(token: string): string {
  const suffix = token.slice(4, 30)
  const known = tenants.get(suffix)
  if (known !== undefined) return known
  const tenant = tenantIdToUuid(`ten_${suffix}`)
  if (tenants.size === mostTenants) tenants.clear()
  tenants.set(suffixOf(tenant), tenant) // a slice would keep the whole token in memory
  return tenant
}
