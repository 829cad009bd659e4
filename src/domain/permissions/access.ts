/** Access: what a route asks of its caller. */
import { isPermission, type Permission } from './permissions.ts'
import { isOpenToApplications, type Scope } from './scopes.ts'

/** The permission that members need for their own membership, and that for those of others: `:memberId` tells which. */
export interface SplitAccess {
  readonly self: Permission
  readonly others: Permission
}

/**
 * Nobody in particular, a person or any key, a person, the tenant’s admins and keys, its keys alone, or a member of the organization in the
 * path with a permission.
 */
export type Access = 'anyone' | 'caller' | 'user' | 'tenant_admin' | 'tenant_key' | Permission | SplitAccess

/** What a route asks of a key: a scope, or none in particular. */
export type KeyScope = Scope | 'any'

/** Whether a route concerns an organization that its path names. */
export function isOfOrganization(access: Access): access is Permission | SplitAccess {
  return typeof access === 'object' || isPermission(access)
}

/** @param isSelf whether `:memberId` is the caller's own membership */
export function permissionOf(access: Permission | SplitAccess, isSelf: boolean): Permission {
  if (typeof access !== 'object') return access
  return isSelf ? access.self : access.others
}

/** What the config of a route says about keys. */
interface ScopeConfig {
  readonly access?: Access
  readonly scope?: KeyScope | null
  readonly proof?: 'fresh'
}

/**
 * What a route asks of a key. On an organization’s route it is the permission, unless the route needs a fresh session.
 *
 * @returns null: the route is for sessions alone, as each is that does not say otherwise (ASVS 5.0 V8.2.1)
 */
export function scopeOf({ access, scope, proof }: ScopeConfig): KeyScope | SplitAccess | null {
  if (scope !== undefined) return scope
  return access !== undefined && isOfOrganization(access) && proof !== 'fresh' ? access : null
}

/**
 * Whether access tokens of applications are taken on a route, with the scope `api`. Where a member means themselves or another one, one of
 * both is enough.
 */
export function takesAccessTokens(config: ScopeConfig): boolean {
  const scope = scopeOf(config)
  if (scope === null || config.access === 'tenant_admin') return false
  return (typeof scope === 'object' ? [scope.self, scope.others] : [scope]).some(isOpenToApplications)
}
