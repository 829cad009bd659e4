/**
 * Foreign algorithms: how a password is held against a hash that was made elsewhere, and what that may cost.
 *
 * Invariant: what is let in takes about a second at most to verify, and 128 MiB, so that no hash can hold up everybody's sign-in.
 */
import {
  cost as costOfOurs,
  deriveByArgon2,
  deriveByPbkdf2,
  deriveByScrypt,
  isEqualBytes,
} from '../../platform/cryptography.ts'
import { matchesBcrypt } from './bcrypt.ts'

/** The named groups of a form. */
export type Parts = Readonly<Record<string, string>>

/** What a hash that is imported may cost at most. */
export const bearable = {
  /** The logarithm of bcrypt's rounds. */
  bcryptCost: 13,
  /** N · r · p of scrypt; its memory is 128 bytes for each of N · r. */
  scryptWork: 2 ** 20,
  /** KiB of Argon2. */
  argon2Memory: 2 ** 17,
  /** KiB times passes of Argon2. */
  argon2Work: 2 ** 20,
  /** Passes times lanes of Argon2, for each of which threads are started. */
  argon2Turns: 2 ** 11,
  pbkdf2Iterations: 2_000_000,
} as const

export interface ForeignHash {
  /** Whether it costs no more than `bearable`. */
  readonly isBearable: boolean
  /** How many of ours take as long, about. */
  readonly weight: number
  matches(password: string): Promise<boolean>
  /** Whether it says something of the whole password, and not of its beginning alone. */
  coversAll(password: string): boolean
}

/** How many hashes of ours take as long as one that is just bearable. */
const heaviest = bearable.argon2Work / (costOfOurs.memory * costOfOurs.passes)

/** @param share of what is bearable */
function weightOf(share: number): number {
  return Math.max(1, heaviest * share)
}

const always = () => true

export function readBcrypt(
  { hash = '', cost }: Parts,
  prepare = (password: string) => password,
): ForeignHash | undefined {
  if (Number(cost) < 4 || Number(cost) > 31) return undefined
  return {
    isBearable: Number(cost) <= bearable.bcryptCost,
    weight: weightOf(2 ** (Number(cost) - bearable.bcryptCost)),
    matches: (password) => matchesBcrypt(prepare(password), hash),
    // Of 72 bytes it is not known whether the hash is of more.
    coversAll: (password) => Buffer.byteLength(prepare(password)) < 72,
  }
}

interface Argon2 {
  readonly variant: string | undefined
  readonly memory: string | number | undefined
  readonly passes: string | number | undefined
  readonly lanes: string | number | undefined
  readonly salt: Buffer
  readonly key: Buffer
}

export function readArgon2({ variant, salt, key, ...parameters }: Argon2): ForeignHash | undefined {
  const [memory, passes, parallelism] = [parameters.memory, parameters.passes, parameters.lanes].map(Number) as [
    number,
    number,
    number,
  ]
  // Of RFC 9106, 3.1
  if (!arePositive(memory, passes, parallelism) || memory < 8 * parallelism || salt.length < 8) return undefined
  if (!isLongEnough(key)) return undefined
  const cost = { memory, passes, parallelism }
  return {
    isBearable:
      memory <= bearable.argon2Memory &&
      memory * passes <= bearable.argon2Work &&
      passes * parallelism <= bearable.argon2Turns,
    weight: weightOf((memory * passes) / bearable.argon2Work + (passes * parallelism) / bearable.argon2Turns),
    coversAll: always,
    matches: async (password) =>
      isEqualBytes(
        await deriveByArgon2(variant === 'i' ? 'argon2i' : 'argon2id', password, salt, cost, key.length),
        key,
      ),
  }
}

interface Scrypt {
  readonly n: string | number | undefined
  readonly r: string | undefined | number
  readonly p: string | undefined | number
  readonly salt: Buffer
  readonly key: Buffer
}

export function readScrypt(
  { salt, key, ...parameters }: Scrypt,
  prepare = (password: string) => password,
): ForeignHash | undefined {
  const [n, r, p] = [parameters.n, parameters.r, parameters.p].map(Number) as [number, number, number]
  if (!arePositive(n, r, p) || n < 2 || !Number.isInteger(Math.log2(n)) || !isLongEnough(key)) return undefined
  if (n >= 2 ** (16 * r)) return undefined // of RFC 7914, 2: nobody computes it
  return {
    isBearable: n * r * p <= bearable.scryptWork,
    weight: weightOf((n * r * p) / bearable.scryptWork),
    coversAll: always,
    matches: async (password) =>
      isEqualBytes(await deriveByScrypt(prepare(password), salt, { n, r, p }, key.length), key),
  }
}

interface Pbkdf2 {
  readonly digest: string | undefined
  readonly iterations: string | number | undefined
  readonly salt: Buffer
  readonly key: Buffer
}

const digestLengths: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 }

export function readPbkdf2({ digest = '', salt, key, ...parameters }: Pbkdf2): ForeignHash | undefined {
  const iterations = Number(parameters.iterations)
  const digestLength = digestLengths[digest]
  if (!arePositive(iterations) || !digestLength || !isLongEnough(key)) return undefined
  // Each block of the key costs all iterations again, and the first says as much as all.
  const first = key.subarray(0, digestLength)
  return {
    isBearable: iterations <= bearable.pbkdf2Iterations,
    weight: weightOf(iterations / bearable.pbkdf2Iterations),
    coversAll: always,
    matches: async (password) =>
      isEqualBytes(await deriveByPbkdf2(password, salt, { iterations, digest }, first.length), first),
  }
}

/** Whole, and small enough to be reckoned with. */
function arePositive(...numbers: readonly number[]): boolean {
  return numbers.every((number) => Number.isInteger(number) && number >= 1 && number < 2 ** 31)
}

/** Nobody guesses what so few bits let in, and nothing longer is needed. */
function isLongEnough(key: Buffer): boolean {
  return key.length >= 16 && key.length <= 256
}
