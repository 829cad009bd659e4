/**
 * Roles: who may do what. A role is a set of permissions; a route names the permission that it needs, and the door asks `may()`.
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

export const permissions = [
  'organization:read',
  'members:read',
  'organization:update',
  'members:update',
  'members:remove',
  'invitations:read',
  'invitations:write',
  'audit:read',
  'organization:delete',
  'ownership:transfer',
] as const
export type Permission = (typeof permissions)[number]

const ofMember = ['organization:read', 'members:read'] as const
const ofAdmin = [
  ...ofMember,
  'organization:update',
  'members:update',
  'members:remove',
  'invitations:read',
  'invitations:write',
  'audit:read',
] as const

/** The permissions of each role. */
const permissionsOf: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  member: new Set(ofMember),
  admin: new Set(ofAdmin),
  owner: new Set(permissions),
}

/** Whether somebody with a role has a permission. */
export function may({ role }: { readonly role: Role }, permission: Permission): boolean {
  return permissionsOf[role].has(permission)
}

/**
 * What a route asks of its caller: nobody in particular, a signed-in user, a tenant admin, or a member of the organization in the
 * path with a permission.
 */
export type Access = 'anyone' | 'user' | 'tenant_admin' | Permission

export function isPermission(access: Access): access is Permission {
  return (permissions as readonly string[]).includes(access)
}

/** @returns the roles that have a permission */
export function rolesWith(permission: Permission): Role[] {
  return roles.filter((role) => may({ role }, permission))
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
  return may({ role: own }, 'members:update') && isAtLeast(own, from) && isAtLeast(own, to)
}

/** Nobody removes someone above them. (Leaving is always allowed; the last owner is held by a constraint.) */
export function mayRemove(own: Role, other: Role): boolean {
  return may({ role: own }, 'members:remove') && isAtLeast(own, other)
}

/** Nobody invites into a role above their own. */
export function mayInvite(own: Role, into: Role): boolean {
  return may({ role: own }, 'invitations:write') && isAtLeast(own, into)
}
