/**
 * Roles in an organization: what the console offers to whom. The API decides.
 *
 * Nobody grants a role above their own, or changes or removes somebody with a higher role.
 */
import type { Schemas } from '../api/client.ts'

export type Role = Schemas['Member']['role']

/** In ascending order. Each role includes those before it. */
export const roles: readonly Role[] = ['member', 'admin', 'owner']

export function isRole(value: unknown): value is Role {
  return roles.includes(value as Role) // `includes` accepts only roles
}

/** The roles that a role may grant, highest first. Without a role in the organization, none. */
export function grantableBy(caller: Role | null): readonly Role[] {
  return caller === 'owner' || caller === 'admin' ? roles.slice(0, roles.indexOf(caller) + 1).toReversed() : []
}

/** Whether a role may change or remove another member. */
export function mayTouch(caller: Role | null, { role }: Schemas['Member']): boolean {
  return grantableBy(caller).includes(role)
}
