/**
 * Roles in an organization: what the console offers to whom. The API decides.
 *
 * Nobody gives what they do not hold, or for longer than they hold it, or changes or removes somebody who holds more.
 */
import type { Schemas } from '../api/client.ts'

export type Role = Schemas['Member']['role']

/** All roles that there are in an organization, as the API lists them for the caller. */
type Listed = readonly Schemas['Role'][]

/** In ascending order. Each role includes those before it. */
export const roles: readonly Role[] = ['member', 'admin', 'owner']

export function isRole(value: unknown): value is Role {
  return roles.includes(value as Role) // `includes` accepts only roles
}

/** Until when the caller can give a role at the longest; null: it needs no end. @param key of the role */
export function latestOf(listed: Listed, key: string): string | null {
  return listed.find((each) => each.key === key)?.mayGrantUntil ?? null
}

/** Whether the caller may give a role until a moment; null: without an end. @param key of the role */
export function mayGive(listed: Listed, key: string, until: string | null): boolean {
  const latest = latestOf(listed, key)
  const isLongEnough = latest === null || (until !== null && Date.parse(until) <= Date.parse(latest))
  return isLongEnough && listed.some((each) => each.key === key && each.mayGrant)
}

/** The roles that a member can get from the caller, highest first: lower ones than the present one give nothing. */
export function rolesFor(member: Schemas['Member'], listed: Listed): Role[] {
  const isHigher = (other: Role) => roles.indexOf(other) > roles.indexOf(member.role)
  const mayGet = (other: Role) =>
    mayGive(listed, other, member.expiresAt) && (other !== 'owner' || mayBecomeOwner(member))
  return roles.toReversed().filter((other) => !isHigher(other) || mayGet(other))
}

/** Whether a member is no owner, and can become one: owners are neither suspended nor have an end. */
export function mayBecomeOwner({ role, status, expiresAt }: Schemas['Member']): boolean {
  return role !== 'owner' && status === 'active' && expiresAt === null
}

/** Whether the caller holds all that a member holds. Only then may they change or remove them. @param permissions of the caller */
export function covers(permissions: readonly string[], { role, grants }: Schemas['Member'], listed: Listed): boolean {
  const held = listed.filter(({ key }) => key === role || grants.some((grant) => grant.role === key))
  return held.length > 0 && held.every((each) => each.permissions.every((key) => permissions.includes(key)))
}
