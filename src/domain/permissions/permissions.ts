/**
 * Permissions: what may be done in an organization. The built-in ones are listed here, each with the least role that has it; a product
 * adds its own (features/roles/access-model.ts).
 *
 * A route names the permission that it needs, never a role.
 */
import type { Role } from './roles.ts'

interface BuiltIn {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly minimumRole: Role
}

export const builtInPermissions = [
  {
    key: 'organization:read',
    name: 'See the organization',
    description: 'Its name, logo and metadata.',
    minimumRole: 'member',
  },
  {
    key: 'members:read',
    name: 'See the members',
    description: 'Names, addresses and roles of all members.',
    minimumRole: 'member',
  },
  { key: 'members:leave', name: 'Leave', description: 'End one’s own membership.', minimumRole: 'member' },
  {
    key: 'organization:update',
    name: 'Change the organization',
    description: 'Its name, slug, logo and metadata.',
    minimumRole: 'admin',
  },
  {
    key: 'members:update',
    name: 'Change members',
    description: 'Their roles, suspension and end; see when they were active.',
    minimumRole: 'admin',
  },
  { key: 'members:remove', name: 'Remove members', description: 'End memberships of others.', minimumRole: 'admin' },
  {
    key: 'invitations:read',
    name: 'See invitations',
    description: 'Invitations, and links to join.',
    minimumRole: 'admin',
  },
  {
    key: 'invitations:write',
    name: 'Invite',
    description: 'Send, resend and revoke invitations; make and end links to join.',
    minimumRole: 'admin',
  },
  { key: 'audit:read', name: 'See the activity', description: 'The log of the organization.', minimumRole: 'admin' },
  { key: 'keys:read', name: 'See keys', description: 'The keys of the organization’s programs.', minimumRole: 'admin' },
  {
    key: 'keys:write',
    name: 'Manage keys',
    description: 'Make, change, rotate and end the organization’s keys.',
    minimumRole: 'admin',
  },
  {
    key: 'events:read',
    name: 'Read events',
    description: 'The feed of what happens in the organization.',
    minimumRole: 'admin',
  },
  {
    key: 'webhooks:read',
    name: 'See webhooks',
    description: 'The organization’s webhooks, and the log of what they sent.',
    minimumRole: 'admin',
  },
  {
    key: 'webhooks:write',
    name: 'Manage webhooks',
    description: 'Make, change, test and delete the organization’s webhooks. Needs “Read events”, too.',
    minimumRole: 'admin',
  },
  {
    key: 'organization:delete',
    name: 'Delete the organization',
    description: 'Delete it for good; change whether it requires a second factor.',
    minimumRole: 'owner',
  },
  {
    key: 'ownership:transfer',
    name: 'Transfer the ownership',
    description: 'Make a member the owner in one’s own place.',
    minimumRole: 'owner',
  },
] as const satisfies readonly BuiltIn[]

/** A built-in permission. */
export type Permission = (typeof builtInPermissions)[number]['key']

const permissions: readonly Permission[] = builtInPermissions.map(({ key }) => key)

/** Those that roles of the product may have: what the owner alone has can only be transferred, and every member has the rest. */
export const grantablePermissions: readonly Permission[] = builtInPermissions
  .filter(({ minimumRole }) => minimumRole === 'admin')
  .map(({ key }) => key)

/** The nouns of the permissions that are, or will be, built in. */
export const reservedNouns: readonly string[] = [
  ...new Set(permissions.map((key) => key.split(':')[0] as string)),
  'applications',
  'credentials',
  'links',
  'me',
  'organizations',
  'roles',
  'sessions',
  'tenant',
  'tokens',
  'users',
]

/** Whether a text is the key of a built-in permission. */
export function isPermission(key: unknown): key is Permission {
  return (permissions as readonly unknown[]).includes(key)
}

const minimumRoles = new Map<string, Role>(builtInPermissions.map(({ key, minimumRole }) => [key, minimumRole]))

/** @returns the least role that has a built-in permission */
export function minimumRoleOf(permission: Permission): Role {
  return minimumRoles.get(permission) as Role // every built-in permission has one
}
