/**
 * All cryptography of the service: keys, hashes and random numbers. No other file of src/ imports node:crypto.
 *
 * `GUILDHALL_SECRET` is a list, newest first. The first secret signs and encrypts; all of them verify and decrypt. Each purpose has its own
 * key, derived by HKDF-SHA-256 (RFC 5869), so that a value made for one purpose is invalid for another.
 */
import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPair,
  hash,
  hkdfSync,
  type KeyObject,
  pbkdf2,
  randomBytes,
  scrypt,
  sign,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { type macs, type seals, secrets } from './keys.ts'

export { randomBytes }

type Purpose = keyof typeof macs | keyof typeof seals

/** SHA-256: for random tokens, which need no salt, and for names. */
export function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer')
}

/** HMAC-SHA-1, which authenticator apps ask for (RFC 6238). It is safe there: nobody needs a collision. */
export function hmacSha1(key: Buffer, message: Buffer): Buffer {
  return createHmac('sha1', key).update(message).digest()
}

/** HMAC-SHA-256 (RFC 2104) under a key that somebody else has, too. */
export function hmacSha256(key: Buffer, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest()
}

/** @returns a random secret as base64url, of the length in `secrets` */
export function randomSecret(kind: keyof typeof secrets): string {
  return randomBytes(secrets[kind].bytes).toString('base64url')
}

/** Compares two strings in constant time. */
export function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other))
}

/** Keys derived from the operator's secrets. */
export class Keyring {
  readonly #secrets: readonly string[]
  readonly #keys = new Map<string, KeyObject>()

  /** @param secrets newest first, at least one */
  constructor(secrets: readonly string[]) {
    if (secrets.length === 0) throw new RangeError('A keyring needs a secret.')
    this.#secrets = secrets
  }

  /** @returns the HMAC-SHA-256 of the parts under the newest secret. Parts are length-prefixed, so that different lists have different inputs */
  hmac(purpose: keyof typeof macs, ...parts: readonly string[]): Buffer {
    return this.#hmac(this.#newest, purpose, parts)
  }

  /** @returns the HMAC of the parts under each of the secrets, newest first: to find what was stored under an older one */
  hmacs(purpose: keyof typeof macs, ...parts: readonly string[]): Buffer[] {
    return this.#secrets.map((secret) => this.#hmac(secret, purpose, parts))
  }

  /** Whether `mac` is the HMAC of the parts under one of the secrets. Compares in constant time. */
  verifies(mac: Buffer, purpose: keyof typeof macs, ...parts: readonly string[]): boolean {
    return this.#secrets.some((secret) => {
      const expected = this.#hmac(secret, purpose, parts)
      return expected.length === mac.length && timingSafeEqual(expected, mac)
    })
  }

  /**
   * AES-256-GCM under the newest secret, with a random 96-bit nonce.
   *
   * @param context additional authenticated data: `open` fails with another context
   * @returns base64url of nonce, tag and ciphertext
   */
  seal(purpose: keyof typeof seals, text: string, context: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key(this.#newest, purpose), nonce).setAAD(Buffer.from(context))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
  }

  /** @returns the text; undefined if it was not sealed by us for this purpose and context */
  open(purpose: keyof typeof seals, sealed: string, context: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    // Only the canonical encoding is accepted: the decoder would ignore padding, invalid characters and unused bits.
    if (bytes.length < 28 || bytes.toString('base64url') !== sealed) return undefined
    for (const secret of this.#secrets) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', this.#key(secret, purpose), bytes.subarray(0, 12), {
          authTagLength: 16,
        })
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(12, 28))
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
      } catch {
        // Sealed under another secret, or not by us.
      }
    }
    return undefined
  }

  /** Names the newest secret, under which `seal` seals. Kept beside what is sealed for long, so that it can be sealed again. */
  get name(): string {
    return this.names[0]
  }

  /** Names all secrets, newest first. */
  get names(): [string, ...string[]] {
    const names = this.hmacs('secret').map((mac) => mac.toString('hex').slice(0, 16))
    return names as [string, ...string[]] // the constructor checks that there is one
  }

  get #newest(): string {
    return this.#secrets[0] as string // the constructor checks that there is one
  }

  #hmac(secret: string, purpose: Purpose, parts: readonly string[]): Buffer {
    const mac = createHmac('sha256', this.#key(secret, purpose))
    for (const part of parts) mac.update(`${Buffer.byteLength(part)}:${part}`)
    return mac.digest()
  }

  /** Derived keys are cached as KeyObjects: from bytes, Node would create one at each use, which takes longer than the HMAC. */
  #key(secret: string, purpose: Purpose): KeyObject {
    const name = `${purpose}\n${secret}`
    const known = this.#keys.get(name)
    if (known) return known
    const key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `guildhall ${purpose}`, 32)))
    this.#keys.set(name, key)
    return key
  }
}

/** A private key that was opened, to sign with. */
export type PrivateKey = KeyObject

/** A key pair for RS256 (RFC 7518, 3.3): the public key as JWK (RFC 7517), and the private one as PKCS #8. */
export interface SigningPair {
  /** The thumbprint of the public key (RFC 7638). */
  readonly id: string
  readonly publicKey: { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  readonly privateKey: string
}

/** Makes an RSA key of 2048 bits, in Node's thread pool. It takes tenths of a second. */
export async function newSigningPair(): Promise<SigningPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  return {
    id: sha256(JSON.stringify({ e, kty: 'RSA', n })).toString('base64url'),
    publicKey: { kty: 'RSA', n, e },
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  }
}

/** @param privateKey of `newSigningPair` */
export function openPrivateKey(privateKey: string): PrivateKey {
  return createPrivateKey({ key: Buffer.from(privateKey, 'base64'), type: 'pkcs8', format: 'der' })
}

/** Signs with RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, 8.2). */
export function signByRs256(key: PrivateKey, text: string): Buffer {
  return sign('sha256', Buffer.from(text), key)
}

/** Argon2id parameters (RFC 9106): memory in KiB, passes, lanes. The minimum of ASVS 5.0 V11.4.2 (appendix C). */
export const cost = { memory: 19_456, passes: 2, parallelism: 1 }

/** Hashes a password with Argon2id and a random salt. @returns a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>` */
export async function hashSecretly(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost, 32)
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(hash)}`
}

/** The form of a hash of `hashSecretly`, with any parameters. */
const ownForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

/** Whether `verifySecretly` can verify this hash. */
export function isOwnHash(text: string): boolean {
  return ownForm.test(text)
}

/**
 * Verifies a password. We hash its NFKC form. An imported hash may be of the password as typed, so that is tried as well.
 *
 * @param phc a hash for which `isOwnHash` is true
 * @returns whether the password matches, and whether the hash should be replaced (`outdated`): its parameters or its form differ from ours
 * @throws Error when the form of the hash is unknown
 */
export async function verifySecretly(password: string, phc: string): Promise<{ matches: boolean; outdated: boolean }> {
  const parts = ownForm.exec(phc)
  if (!parts) throw new Error('A stored password hash has an unknown form.')
  const [, memory, passes, parallelism, salt, hash] = parts as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const used = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const expected = Buffer.from(hash, 'base64')
  const nonce = Buffer.from(salt, 'base64')
  if (isEqualBytes(await derive(password, nonce, used, expected.length), expected)) {
    const outdated = used.memory !== cost.memory || used.passes !== cost.passes || used.parallelism !== cost.parallelism
    return { matches: true, outdated }
  }
  const isSame = password.normalize('NFKC') === password
  const matches =
    !isSame && isEqualBytes(await deriveByArgon2('argon2id', password, nonce, used, expected.length), expected)
  return { matches, outdated: matches }
}

function derive(password: string, salt: Buffer, parameters: typeof cost, length: number): Promise<Buffer> {
  return deriveByArgon2('argon2id', password.normalize('NFKC'), salt, parameters, length)
}

/** Argon2 (RFC 9106) with any parameters, for imported hashes. Like all hashes here, it runs in Node's thread pool. @param length in bytes */
export function deriveByArgon2(
  variant: 'argon2i' | 'argon2id',
  password: string,
  nonce: Buffer,
  { memory, passes, parallelism }: typeof cost,
  length: number,
): Promise<Buffer> {
  const message = Buffer.from(password)
  return promisify(argon2)(variant, { message, nonce, memory, passes, parallelism, tagLength: length })
}

/** scrypt (RFC 7914), for imported hashes. @param length in bytes */
export function deriveByScrypt(
  password: string,
  salt: Buffer,
  { n, r, p }: { readonly n: number; readonly r: number; readonly p: number },
  length: number,
): Promise<Buffer> {
  const maxmem = 128 * r * (n + p + 2) + 2 ** 20
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, { N: n, r, p, maxmem }, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** PBKDF2 (RFC 8018), for imported hashes. @param length in bytes */
export function deriveByPbkdf2(
  password: string,
  salt: Buffer,
  { iterations, digest }: { readonly iterations: number; readonly digest: string },
  length: number,
): Promise<Buffer> {
  return promisify(pbkdf2)(password, salt, iterations, length, digest)
}

/** The last step of Firebase’s password hash. The counter starts at zero, because each key encrypts only one text. */
export function encryptByAes256Ctr(key: Buffer, text: Buffer): Buffer {
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(text)
}

/** Compares in a time that depends only on the lengths. */
export function isEqualBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
