/**
 * Cover: nobody gives what they do not hold, nor for longer than they hold it. Kubernetes RBAC has the same rule
 * (“privilege escalation prevention”). ASVS 5.0 V8.2.1 to V8.2.3, V8.3.1.
 *
 * What every member has needs no cover. But an end always counts: nothing that somebody gives outlasts their own membership.
 */
import { ApiProblem } from '../problems.ts'
import type { Held } from './held.ts'
import { builtInPermissions } from './permissions.ts'
import { isAtLeast, type Role } from './roles.ts'
import { isOfPeople } from './scopes.ts'

/** The least role that has each permission: the built-in ones, and the product's own. */
export type MinimumRoles = ReadonlyMap<string, Role>

/** What is given: permissions until a moment (RFC 3339; null: without end). */
export interface Gift {
  readonly permissions: Iterable<string>
  readonly until: string | null
}

/** What is lacking to give something. */
export interface Lack {
  /** The permissions that the giver does not hold at all, sorted. */
  readonly missing: readonly string[]
  /** The latest end that they can give (RFC 3339, UTC); null: an end is not what is lacking. */
  readonly until: string | null
}

/** One of the product's permissions, and the least role that has it. */
export interface OwnMinimumRole {
  readonly key: string
  readonly minimumRole: Role
}

export function minimumRolesWith(own: readonly OwnMinimumRole[]): MinimumRoles {
  return new Map([...builtInPermissions, ...own].map(({ key, minimumRole }) => [key, minimumRole]))
}

/** The permissions that a role has by itself. */
export function permissionsOfRole(role: Role, minimumRoles: MinimumRoles): string[] {
  return [...minimumRoles].filter(([, least]) => isAtLeast(role, least)).map(([key]) => key)
}

/** What somebody holds: each permission, and when it ends at the latest (null: never). */
export function holdingsOf(
  { role, expiresAt, grants, scopes, application }: Held,
  minimumRoles: MinimumRoles,
): Map<string, string | null> {
  const ofRole = role === null ? [] : permissionsOfRole(role, minimumRoles)
  const ends = new Map<string, string | null>(ofRole.map((key) => [key, expiresAt]))
  for (const grant of grants) {
    const end = earlier(grant.expiresAt, expiresAt)
    for (const key of grant.permissions) {
      const known = ends.get(key)
      if (minimumRoles.has(key)) ends.set(key, known === undefined ? end : later(known, end))
    }
  }
  if (scopes) return new Map([...ends].filter(([key]) => scopes.includes(key)))
  return application ? new Map([...ends].filter(([key]) => !isOfPeople(key))) : ends
}

/** All that somebody may do now, in order. @param own the permissions of the product */
export function permissionsHeldBy(holder: Held, own: readonly OwnMinimumRole[]): string[] {
  return [...holdingsOf(holder, minimumRolesWith(own)).keys()].sort()
}

/** @returns what the holder lacks to give all of it; undefined: nothing */
export function lackOf(holder: Held, gifts: readonly Gift[], minimumRoles: MinimumRoles): Lack | undefined {
  const ends = holdingsOf(holder, minimumRoles)
  const missing = new Set<string>()
  let until: string | null = null
  for (const gift of gifts) {
    const needed = [...gift.permissions].filter((key) => minimumRoles.has(key) && minimumRoles.get(key) !== 'member')
    for (const key of needed) if (!ends.has(key)) missing.add(key)
    const own = [holder.expiresAt, ...needed.map((key) => ends.get(key) ?? null)].reduce(earlier, null)
    if (endOf(own) < endOf(gift.until)) until = earlier(until, own)
  }
  if (missing.size === 0 && until === null) return undefined
  return { missing: [...missing].sort(), until: until && new Date(until).toISOString() }
}

/** The moment of an end, for comparing. @param end RFC 3339, or null for never */
export function endOf(end: string | null): number {
  return end === null ? Number.POSITIVE_INFINITY : Date.parse(end)
}

export function earlier(one: string | null, other: string | null): string | null {
  return endOf(one) <= endOf(other) ? one : other
}

function later(one: string | null, other: string | null): string | null {
  return endOf(one) >= endOf(other) ? one : other
}

/** @throws Problem role_above_yours with what is lacking */
export function checkCover(holder: Held, gifts: readonly Gift[], minimumRoles: MinimumRoles): void {
  const lack = lackOf(holder, gifts, minimumRoles)
  if (lack) throw new ApiProblem('role_above_yours', { ...lack })
}

/**
 * To change, suspend or remove somebody else, one must hold what they hold. Equals may touch equals.
 *
 * @throws Problem role_above_yours with what is lacking
 */
export function checkTouch(holder: Held, other: Held, minimumRoles: MinimumRoles): void {
  // Whether it is held is asked, and not how long: an end in the past is outlasted by whatever is held.
  const until = new Date(0).toISOString()
  checkCover(holder, [{ permissions: holdingsOf(other, minimumRoles).keys(), until }], minimumRoles)
}
