/**
 * What the caller may do in an organization. Pages, buttons and navigation go by permissions, never by a role: a role of the product may
 * give a member what admins have. The API decides.
 */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import type { Organization } from './organization.ts'
import { placeOf, type Where, whereOf } from './place.ts'

/** The built-in permissions that something in the console depends on. */
export type Permission =
  | 'organization:update'
  | 'organization:delete'
  | 'members:update'
  | 'members:remove'
  | 'ownership:transfer'
  | 'invitations:read'
  | 'invitations:write'
  | 'audit:read'
  | 'keys:read'
  | 'keys:write'
  | 'events:read'
  | 'webhooks:read'
  | 'webhooks:write'

/** Not below the key of `members`, whose lists show a changed role at once. @param id of the organization, which no new slug changes */
export const permissionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['organizations', id, 'permissions'],
    queryFn: () =>
      ask(
        api.GET('/api/organizations/{orgId}/members/{memberId}', { params: { path: { orgId: id, memberId: 'me' } } }),
      ).then(({ permissions }) => permissions ?? []),
  })

/** For pages, which are loaded after the permissions. @returns all that the caller may do, also permissions of the product */
export function usePermissions(organization: Pick<Organization, 'id' | 'membership'>): readonly string[] {
  return useSuspenseQuery(permissionsIn(whereOf(organization))).data
}

/** The roles and permissions that there are. */
export function modelQuery(where: Where) {
  const { base, path, key } = placeOf(where)
  return queryOptions({
    queryKey: [...key, 'roles'],
    queryFn: () => ask(api.GET(`${base}/roles`, { params: { path } })),
  })
}

/**
 * One of the user's organizations, of which the model is read where none is shown: all have the same. One that requires a second factor
 * tells it only to those who have it.
 */
export function oneToRead<Any extends Pick<Organization, 'membership' | 'secondFactor'>>(all: readonly Any[]) {
  const active = all.filter(({ membership }) => membership?.status === 'active')
  return active.find(({ secondFactor }) => secondFactor === 'optional') ?? active[0]
}

/** An admin may do in any organization what its owner may, and that is everything. */
export function permissionsIn(where: Where) {
  if (typeof where === 'string') return permissionsQuery(where)
  return queryOptions({
    queryKey: [...placeOf(where).key, 'permissions'],
    // By the model's own query, which pages have too: it is read once.
    queryFn: () => queries.fetchQuery(modelQuery(where)).then(({ permissions }) => permissions.map((each) => each.key)),
  })
}

/** @returns whether the caller has a permission */
export function useMay(organization: Pick<Organization, 'id' | 'membership'>): (permission: Permission) => boolean {
  const permissions = usePermissions(organization)
  return (permission) => permissions.includes(permission)
}
