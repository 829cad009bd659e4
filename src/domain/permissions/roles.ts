/**
 * Roles: who may do what, as one table.
 *
 * owner ⊃ admin ⊃ member. A route names its permission; the door (authorization.ts) looks up the least role that has it.
 */
import { OneOf } from '../../platform/http/schemas.ts'

/** Roles in an organization, least first. */
export const roles = ['member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]
export const Role = OneOf(roles)

/** Roles in the tenant. */
export const tenantRoles = ['admin', 'user'] as const
export type TenantRole = (typeof tenantRoles)[number]

/** The least role in an organization that has each permission. */
export const permissions = {
  'organization:read': 'member',
  'organization:update': 'admin',
  'organization:delete': 'owner',
  'ownership:transfer': 'owner',
  'members:read': 'member',
  'members:update': 'admin',
  'members:remove': 'admin',
  'invitations:read': 'admin',
  'invitations:write': 'admin',
  'audit:read': 'admin',
} as const satisfies Record<string, Role>

export type Permission = keyof typeof permissions

/**
 * What a route asks of its caller: nobody in particular, a signed-in user, a tenant admin, or a member of the organization in the
 * path with a permission.
 */
export type Access = 'anyone' | 'user' | 'tenant_admin' | Permission

export function isPermission(access: Access): access is Permission {
  return Object.hasOwn(permissions, access)
}

/** @returns the roles that have a permission */
export function rolesWith(permission: Permission): Role[] {
  return roles.filter((role) => isAtLeast(role, permissions[permission]))
}

/** Whether `role` counts as `least`. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}

/** @returns everything that a role counts as, highest first: owner → owner, admin, member */
export function rolesOf(role: Role): Role[] {
  return roles.slice(0, roles.indexOf(role) + 1).reverse()
}

/** Nobody touches someone above them, nor grants a role above their own. */
export function mayChangeRole(own: Role, from: Role, to: Role): boolean {
  return isAtLeast(own, 'admin') && isAtLeast(own, from) && isAtLeast(own, to)
}

/** Nobody removes someone above them. (Leaving is always allowed; the last owner is held by a constraint.) */
export function mayRemove(own: Role, other: Role): boolean {
  return isAtLeast(own, 'admin') && isAtLeast(own, other)
}

/** Nobody invites into a role above their own. */
export function mayInvite(own: Role, into: Role): boolean {
  return isAtLeast(own, 'admin') && isAtLeast(own, into)
}
