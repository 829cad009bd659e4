/** The organization that a page is about, by the id or slug in the address, and the organizations that one is in. */
import { keepPreviousData, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import type { Versioned } from '../api/versions.ts'

export type Organization = Versioned<Schemas['Organization']>

export const organizationQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['organizations', orgId],
    queryFn: () => ask(api.GET('/api/organizations/{orgId}', { params: { path: { orgId } } })),
  })

/**
 * For what stands around a page. What was read before is no longer shown once the organization is nothing to the caller.
 *
 * @returns `before`: the organization as it was read last, gone or not
 */
export function useOrganization(orgId: string | undefined) {
  const { data, error } = useQuery({ ...organizationQuery(orgId ?? ''), enabled: orgId !== undefined })
  const isGone = isRefusal(error, 'not_found', 'invalid_id')
  return { data: isGone ? undefined : data, isGone, before: data }
}

/** For pages that are loaded once the organization is there. When it goes meanwhile, its frame takes them away. */
export function useOrganizationOfPage(orgId: string) {
  return useSuspenseQuery(organizationQuery(orgId)).data
}

/** The first hundred, for what offers a choice. The key is an object, because every word may be an organization's slug. */
export const myOrganizationsQuery = queryOptions({
  queryKey: ['organizations', { choice: true }],
  queryFn: () => ask(api.GET('/api/organizations')),
  placeholderData: keepPreviousData,
})

/** Reads again which organizations one is in. */
export function readListsAgain() {
  const predicate = ({ queryKey: [, which] }: { readonly queryKey: readonly unknown[] }) => typeof which === 'object'
  return queries.invalidateQueries({ queryKey: ['organizations'], predicate })
}

/** Reads again whatever is known of organizations. A change of one shows in lists, in its log and under its id and its slug. */
export function readOrganizationsAgain() {
  return queries.invalidateQueries({ queryKey: ['organizations'] })
}

/** For when one has left an organization, or it is deleted: nothing of it stays. Call it after leaving its pages. */
export function forgetOrganization({ id, slug }: Pick<Organization, 'id' | 'slug'>) {
  queries.removeQueries({ queryKey: ['organizations', id] })
  queries.removeQueries({ queryKey: ['organizations', slug] })
  return readOrganizationsAgain()
}
