/**
 * Roles in an organization: which contain which, and so what is offered to whom. The API decides; this is what a person sees of it.
 *
 * Nobody grants a role above their own, or touches somebody above them.
 */
import type { Schemas } from '../api/client.ts'

export type Role = Schemas['Member']['role']

/** Each counts as those before it. */
export const roles: readonly Role[] = ['member', 'admin', 'owner']

export function isRole(value: unknown): value is Role {
  return roles.includes(value as Role) // any value may be looked for
}

/** What somebody may grant: with no role in the organization, nothing. The highest first. */
export function grantableBy(caller: Role | null): readonly Role[] {
  return caller === 'owner' || caller === 'admin' ? roles.slice(0, roles.indexOf(caller) + 1).toReversed() : []
}

/** Whether somebody may change or remove a member, other than themselves. */
export function mayTouch(caller: Role | null, { role }: Schemas['Member']): boolean {
  return grantableBy(caller).includes(role)
}
