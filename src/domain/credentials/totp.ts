/**
 * TOTP (RFC 6238): codes of an authenticator app, from a seed that we make, or that comes with an import. SHA-1, six digits, 30 seconds,
 * as every app reads them.
 *
 * Invariant: each time step is good once, the one that enrolled too (ASVS 5.0 V6.5.1).
 */
import { Type } from 'typebox'
import { hmacSha1, isEqual, type Keyring, randomBytes } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { FaultCode } from '../../platform/http/faults.ts'

const step = 30
/** How long a seed may be set up, in seconds. */
const setupLifetime = 600
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A seed that is being set up. Nothing of it is stored. */
export interface Setup {
  /** Sealed: the seed, whose it is, and until when. */
  readonly setup: string
  /** The seed in base 32, to type into an app. */
  readonly secret: string
  /** The seed as an app scans it. */
  readonly uri: string
  readonly expiresAt: string
}

/**
 * @param account the address that the app shows
 * @param issuer  the product's name that the app shows
 */
export function makeSetup(
  keyring: Keyring,
  tenant: string,
  userId: string,
  { account, issuer }: { readonly account: string; readonly issuer: string },
): Setup {
  const secret = base32(randomBytes(20)) // 160 bits (RFC 4226 4)
  const until = Date.now() + setupLifetime * 1000
  const shown = encodeURIComponent(issuer.replace(/:\s*/g, ' ')) // apps take the first colon for the end of the issuer, encoded or not
  const label = `${shown}:${encodeURIComponent(account)}`
  const query = `secret=${secret}&issuer=${shown}&algorithm=SHA1&digits=6&period=${step}`
  return {
    setup: keyring.seal('setup', JSON.stringify({ secret, until }), `${tenant}\n${userId}`),
    secret,
    uri: `otpauth://totp/${label}?${query}`,
    expiresAt: new Date(until).toISOString(),
  }
}

/** @returns the seed, or undefined if it was not made for this person or is too old */
export function openSetup(keyring: Keyring, tenant: string, userId: string, setup: string): string | undefined {
  const text = keyring.open('setup', setup, `${tenant}\n${userId}`)
  if (text === undefined) return undefined
  const { secret, until } = JSON.parse(text) as { secret: string; until: number } // sealed by us
  return until > Date.now() ? secret : undefined
}

/** A seed of another product: in base 32 (RFC 4648), with spaces and padding or without. `faultOfSecret` finds what this cannot say. */
export const ForeignSecret = Type.String({ maxLength: 256, pattern: '^[A-Za-z2-7\\s]*(?:=[=\\s]*)?$' })

/**
 * How many bytes such a seed has. RFC 4226 (R6) requires 16. But many products made 10 for years, and to refuse these would take the second
 * factor from the people who have them. 64 bytes are a block of SHA-1: a longer seed makes no better codes.
 */
const foreignBytes = { least: 10, most: 64 }

/** @returns what is wrong with a `ForeignSecret`, if anything is */
export function faultOfSecret(text: string): FaultCode | undefined {
  const { length } = normalizeSecret(text)
  const bytes = Math.floor((length * 5) / 8)
  if (bytes < foreignBytes.least) return 'too_short'
  if (bytes > foreignBytes.most) return 'too_long'
  return (length * 5) % 8 >= 5 ? 'invalid_format' : undefined // the last letter says nothing: others were lost
}

/** @returns a `ForeignSecret` as we write our own */
export function normalizeSecret(text: string): string {
  return text.replace(/[=\s]/g, '').toUpperCase()
}

/** @returns the time step of a code: that of the database's clock, or one before or after (V6.5.5); undefined if it is another code */
export async function findStep(sql: Sql, secret: string, code: string): Promise<number | undefined> {
  const [clock] = await sql<{ seconds: number }>`select extract(epoch from clock_timestamp())::float8 as seconds`
  const now = Math.floor((clock?.seconds ?? 0) / step)
  return [now - 1, now, now + 1].filter((each) => isEqual(codeAt(secret, each), code)).at(-1)
}

/** The code of a time step. */
export function codeAt(secret: string, counter: number): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const mac = hmacSha1(fromBase32(secret), message)
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

function sealContext(tenant: string, factorId: string): string {
  return `${tenant}\nfactors\n${factorId}`
}

export function sealSeed(keyring: Keyring, tenant: string, factorId: string, secret: string): string {
  return keyring.seal('factor', secret, sealContext(tenant, factorId))
}

/** @returns undefined if the seed was sealed under a secret that was taken away */
export function openSeed(keyring: Keyring, tenant: string, factorId: string, seed: string): string | undefined {
  return keyring.open('factor', seed, sealContext(tenant, factorId))
}

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
