/**
 * Where an organization is in the API: for its members below `/api/organizations`, and for admins, who need not be members, below
 * `/api/admin/organizations`. Both have the same operations, so the same lists and dialogs serve both.
 */
import type { Organization } from './organization.ts'

/** The id or the slug of an organization of one's own, or the id of any organization, for admins. */
export type Where = string | { readonly anyId: string }

/** An organization as admins read it has no membership. */
export function whereOf({ id, membership }: Pick<Organization, 'id' | 'membership'>): Where {
  return membership === null ? { anyId: id } : id
}

type Base = '/api/organizations/{orgId}'

/** @returns the path of the API with its parameters, and the key of the cache */
export function placeOf(where: Where) {
  const isOwn = typeof where === 'string'
  const orgId = isOwn ? where : where.anyId
  return {
    base: (isOwn ? '/api/organizations/{orgId}' : '/api/admin/organizations/{orgId}') as Base, // the operations below both are the same
    path: { orgId },
    key: isOwn ? ['organizations', orgId] : ['admin', 'organizations', orgId],
  }
}
