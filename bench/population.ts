/**
 * The population: all people and organizations in the data, by number, so that the seed, the requests and the statements agree about them.
 * Users count from 1, and each is in three organizations, the 0th, 1st and 2nd:
 *
 *   user u of the first 80 %   in the small organizations (u + 3331 k) mod small, for k = 0, 1, 2
 *   the others                 the same for k = 0 and 1, and a large one, of a thousand members
 *
 * User x owns the small organization x, for x from 1 to small (whose number is 0).
 *
 * The product has roles. Sixty members of each large organization, from the 101st on, are also in a granted organization, as their 3rd. Each
 * has all roles of the product there. Nobody else has one.
 *
 * Key n belongs to user n, for n from 1 to keyOwners; key 0 belongs to the tenant.
 */
import { createHash, createHmac } from 'node:crypto'
import { TypeID } from 'typeid-js'
import { checksumOf } from '../src/domain/access/tokens.ts'

export const membersOfLarge = 1000
export const membersOfGranted = 60
/** The place of the first of them in the large organization. */
export const firstGranted = 101
/** The roles of the product. Each has the permissions to do all this with its noun. */
export const productRoles = ['invoices', 'projects', 'tickets'] as const
export const verbs = ['export', 'read', 'void', 'write'] as const
/** Everybody's password. */
export const password = 'a long enough passphrase'
/** The secret of each service, used for nothing else. */
export const secret = 'bench-bench-bench-bench-bench-bench-bench-bench'
/** The distance between a user's organizations. */
export const stride = 3331
/** The users from 1 on who are admins of the tenant. */
export const admins = 8
export const sessionsOfEach = 2
/** The users from 1 on who have a key. */
export const keyOwners = 256
/** The application that people sign in to, a public client; grant n belongs to the first session of user n. */
export const applicationId = id('app', 1)
export const callback = 'https://app.example.com/callback'
export const entriesOfEach = 10
/** The challenges of passkeys that better-auth has stored. */
export const challenges = 50_000

export interface Population {
  readonly users: number
  /** The users from 1 on who are in three small organizations, and in no large one. */
  readonly inSmall: number
  readonly large: number
  readonly small: number
  readonly invitations: number
}

/** @param scale 1 for 100,000 users, 10,000 organizations, 300,000 memberships, 200,000 sessions and 1,000,000 audit entries */
export function populationOf(scale: number): Population {
  const large = Math.round(20 * scale)
  if (!(large >= 1) || Math.abs(large - 20 * scale) > 1e-6) throw new Error('The scale must be a multiple of 0.05.')
  const users = 5000 * large
  return {
    users,
    inSmall: users - membersOfLarge * large,
    large,
    small: 499 * large,
    invitations: Math.min(users, 100_000),
  }
}

/** The number of grants. */
export function grantsIn({ users }: Population): number {
  return Math.min(users, 20_000)
}

/** The id of the nth row of a kind. */
export function id(prefix: string, n: number): string {
  return `${prefix}_${String(n).padStart(26, '0')}`
}

/** The same in SQL, where `n` is an expression. */
export function idSql(prefix: string, n: string): string {
  return `('${prefix}_' || lpad((${n})::text, 26, '0'))`
}

/** The number of a small organization among all. */
export function organization({ large, small }: Population, x: number): number {
  return large + 1 + (x % small)
}

/** The number of a granted organization, and of its jth member; both count from 0. */
export function granted({ large, small, inSmall }: Population, x: number, j: number) {
  return { number: large + small + 1 + x, user: inSmall + x * membersOfLarge + firstGranted + j }
}

/** The number of the membership in a user's kth organization. */
export function membership(user: number, k: number): number {
  return user * 4 + k
}

/** The owner of the small organization x. */
export function ownerOf({ small }: Population, x: number): number {
  return x % small || small
}

export function emailOf(user: number): string {
  return `${createHash('md5').update(String(user)).digest('hex').slice(0, 8)}${user}@example.com`
}

/** The token of a user's first session. */
export function tokenOf(tenant: string, user: number): string {
  return `${tokenPrefix(tenant)}${String(user).padStart(43, '0')}`
}

/** The prefix of every session's token in a tenant, from the tenant's uuid. */
export function tokenPrefix(tenant: string): string {
  return `ghs_${suffixOf(tenant)}.`
}

/** The text of the nth key. */
export function keyOf(tenant: string, n: number): string {
  const start = `ghk_${suffixOf(tenant)}.${String(n).padStart(43, '0')}`
  return start + checksumOf(start)
}

/** The tenant's uuid, as its tokens name it. */
export function suffixOf(tenant: string): string {
  return TypeID.fromUUID('ten', tenant).getSuffix()
}

/** The id of better-auth's nth row of a kind, as long as its own ids. */
export function otherId(prefix: string, n: number): string {
  return prefix + String(n).padStart(32 - prefix.length, '0')
}

export function otherIdSql(prefix: string, n: string): string {
  return `('${prefix}' || lpad((${n})::text, ${32 - prefix.length}, '0'))`
}

/** The cookie of a user's first session at better-auth. */
export function sessionCookieOf(user: number): string {
  return signedCookie('session_token', otherId('', user))
}

/** A cookie of better-auth: a token and its HMAC. */
export function signedCookie(name: string, token: string): string {
  const mac = createHmac('sha256', secret).update(token).digest('base64')
  return `better-auth.${name}=${encodeURIComponent(`${token}.${mac}`)}`
}
