/**
 * What somebody holds in an organization.
 *
 * A member has one role, and grants of roles that the product defines, each with or without an end. Grants only add. A membership holds
 * something only while it is active and has not ended: `isCurrent` and `heldGrants` say so in SQL, by the clock of the statement, since a
 * lock may have been waited for.
 */
import { type Statement, statement } from '../../platform/database/database.ts'
import { minimumRoleOf, type Permission } from './permissions.ts'
import { isAtLeast, type Role, roles, rolesOf } from './roles.ts'
import { isOfPeople } from './scopes.ts'

/** Permissions that somebody has beside those of their own role. */
export interface HeldGrant {
  readonly permissions: readonly string[]
  /** RFC 3339; null: no end of its own. */
  readonly expiresAt: string | null
}

/** A role of the product that somebody has, as `heldGrants` selects it. */
export interface HeldRole extends HeldGrant {
  /** Its key. */
  readonly role: string
}

/** What somebody holds in an organization. */
export interface Held {
  /** Null: no member, but a key. */
  readonly role: Role | null
  /** When the membership or the key ends; null: never. */
  readonly expiresAt: string | null
  readonly grants: readonly HeldGrant[]
  /** The scopes of a person’s key, beyond which they hold nothing; absent: no limit. */
  readonly scopes?: readonly string[] | undefined
  /** The application that calls for them, which holds nothing of what owners alone may do; null or absent: none. */
  readonly application?: object | null | undefined
}

/** What a key of an organization or of the tenant holds: its scopes, until its end. */
export function heldByKey(scopes: readonly string[], expiresAt: string | null): Held & { readonly role: null } {
  return { role: null, expiresAt, grants: [{ permissions: scopes, expiresAt: null }] }
}

/** Whether somebody has a built-in permission. */
export function may({ role, grants, scopes, application }: Omit<Held, 'expiresAt'>, permission: Permission): boolean {
  if (scopes && !scopes.includes(permission)) return false
  if (application && isOfPeople(permission)) return false
  return (
    (role !== null && isAtLeast(role, minimumRoleOf(permission))) ||
    grants.some((grant) => grant.permissions.includes(permission))
  )
}

/** @returns everything that somebody counts as: the role, every role that it includes, and the roles that are granted */
export function allRolesOf(role: Role, grants: readonly { readonly role: string }[]): string[] {
  return [...rolesOf(role), ...grants.map((grant) => grant.role)]
}

/** Whether one of `memberships m` has not ended. */
export const isCurrent = statement`(m.expires_at is null or m.expires_at > statement_timestamp())`

/** Which rows of `role_grants g` have not ended. */
export const isHeld = statement`(g.expires_at is null or g.expires_at > statement_timestamp())`

/** An expression for the grants that one of `memberships m` holds, in the shape of `HeldRole[]`; null where it has none. */
export function heldGrants(tenant: string): Statement {
  return statement`case when m.has_grants then (
    select json_agg(json_build_object('role', r.key, 'permissions', r.permissions, 'expiresAt', g.expires_at) order by r.key)
    from role_grants g
    join roles r on r.tenant_id = ${tenant} and r.id = g.role_id
    where g.tenant_id = ${tenant} and g.membership_id = m.id and ${isHeld}) end`
}

/** A condition: whether one of `memberships m` that is current has a built-in permission, by its role or by a grant. */
export function holds(tenant: string, permission: Permission): Statement {
  const byRole = statement`m.role = any(${rolesWith(permission)})`
  // Each role has it. PostgreSQL would open the tables of the grants even though it never reads them.
  if (minimumRoleOf(permission) === 'member') return byRole
  return statement`(${byRole} or m.has_grants and exists (
    select from role_grants g
    join roles r on r.tenant_id = ${tenant} and r.id = g.role_id
    where g.tenant_id = ${tenant} and g.membership_id = m.id and ${isHeld} and ${permission} = any(r.permissions)))`
}

/** The same for a permission of the product. */
export function holdsOfProduct(tenant: string, permission: string): Statement {
  return statement`(
    m.role = any(
      select unnest(case
        when p.minimum_role = 'member' then array['member', 'admin', 'owner']
        when p.minimum_role = 'admin' then array['admin', 'owner'] else array['owner'] end)
      from permissions p where p.tenant_id = ${tenant} and p.key = ${permission})
    or m.has_grants and exists (
      select from role_grants g
      join roles r on r.tenant_id = ${tenant} and r.id = g.role_id
      where g.tenant_id = ${tenant} and g.membership_id = m.id and ${isHeld} and ${permission} = any(r.permissions)))`
}

/** @returns the roles that have a permission */
function rolesWith(permission: Permission): Role[] {
  return roles.filter((role) => isAtLeast(role, minimumRoleOf(permission)))
}
