/** Access: what a route asks of its caller. */
import { isPermission, type Permission } from './permissions.ts'

/** The permission that members need for their own membership, and that for those of others: `:memberId` tells which. */
export interface SplitAccess {
  readonly self: Permission
  readonly others: Permission
}

/** Nobody in particular, a signed-in user, a tenant admin, or a member of the organization in the path with a permission. */
export type Access = 'anyone' | 'user' | 'tenant_admin' | Permission | SplitAccess

/** Whether a route concerns an organization that its path names. */
export function isOfOrganization(access: Access): access is Permission | SplitAccess {
  return typeof access === 'object' || isPermission(access)
}

/** @param isSelf whether `:memberId` is the caller's own membership */
export function permissionOf(access: Permission | SplitAccess, isSelf: boolean): Permission {
  if (typeof access !== 'object') return access
  return isSelf ? access.self : access.others
}
