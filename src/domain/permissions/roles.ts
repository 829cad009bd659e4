/**
 * Roles in an organization, and in the tenant. What somebody holds besides is in held.ts.
 *
 * owner ⊃ admin ⊃ member.
 */
import { OneOf } from '../../platform/http/schemas.ts'

/** Roles in an organization, least first. */
export const roles = ['member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]
export const Role = OneOf(roles)

/** Roles in the tenant. */
export const tenantRoles = ['admin', 'user'] as const
export type TenantRole = (typeof tenantRoles)[number]

/** Whether `role` counts as `least`. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}

/** @returns everything that a role counts as, highest first: owner → owner, admin, member */
export function rolesOf(role: Role): Role[] {
  return roles.slice(0, roles.indexOf(role) + 1).reverse()
}
