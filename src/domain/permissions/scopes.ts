/**
 * Scopes: what a key may do. A scope is a permission, without wildcards, so that a permission that is added later widens no old key
 * (ASVS 5.0 V8.2.1).
 */
import { builtInPermissions, isPermission, type Permission } from './permissions.ts'

/** Whose a key is: a person’s, an organization’s, or the tenant’s. */
export const ownerTypes = ['user', 'organization', 'tenant'] as const
export type OwnerType = (typeof ownerTypes)[number]

const everybody = ['user', 'organization', 'tenant'] as const

/** Scopes that are no permissions in an organization, and whose keys may have them. */
export const otherScopes = {
  'me:read': ['user'],
  'me:update': ['user'],
  'invitations:answer': ['user'],
  'organizations:create': ['user', 'tenant'],
  'users:read': ['tenant'],
  'users:write': ['tenant'],
  'users:delete': ['tenant'],
  'sessions:read': ['tenant'],
  'sessions:end': ['tenant'],
  'tenant:read': ['tenant'],
  'credentials:verify': ['tenant'],
  'tokens:create': everybody,
} as const satisfies Record<string, readonly OwnerType[]>

/** What the routes of the service ask of keys. */
export type Scope = Permission | keyof typeof otherScopes

const ofPeople: readonly string[] = builtInPermissions
  .filter(({ minimumRole }) => minimumRole === 'owner')
  .map(({ key }) => key)

/** Whether it is a built-in permission that owners alone have: no key of theirs has it, and no application that calls for them. */
export function isOfPeople(permission: string): boolean {
  return ofPeople.includes(permission)
}

/**
 * Whether a key may have a scope.
 *
 * @param permissions has all permissions of an organization: the built-in ones, and the product’s own
 */
export function isScopeOf(owner: OwnerType, scope: string, permissions: { has(key: string): boolean }): boolean {
  if (Object.hasOwn(otherScopes, scope)) {
    const owners: readonly OwnerType[] = otherScopes[scope as keyof typeof otherScopes]
    return owners.includes(owner)
  }
  if (isPermission(scope)) return owner === 'tenant' || !isOfPeople(scope)
  return permissions.has(scope)
}

/** Scopes by which somebody comes to be in further organizations: a key that is limited to one has none of them. */
export function leadsElsewhere(scope: string): boolean {
  return scope === 'organizations:create' || scope === 'invitations:answer'
}

/**
 * Whether the scope `api` of an application’s access token stands for a scope: for all that a person’s key may have, but keys, webhooks and
 * signed tokens, by which the application would outlive its grant.
 */
export function isOpenToApplications(scope: string): boolean {
  if (scope === 'any') return true
  const isLasting = /^(keys|webhooks):/.test(scope) || scope === 'tokens:create'
  return isScopeOf('user', scope, { has: () => true }) && !isLasting
}
