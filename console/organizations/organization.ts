/** The organization that a page is about, by the id or slug in the address. */
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask } from '../api/client.ts'

export const organizationQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['organizations', orgId],
    queryFn: () => ask(api.GET('/api/organizations/{orgId}', { params: { path: { orgId } } })),
  })

export function useOrganization(orgId: string) {
  return useQuery(organizationQuery(orgId))
}

/** For pages that are loaded once the organization is there. */
export function useOrganizationOfPage(orgId: string) {
  return useSuspenseQuery(organizationQuery(orgId)).data
}

/** The first hundred, for what offers a choice. */
export const myOrganizationsQuery = queryOptions({
  queryKey: ['organizations', 'mine'],
  queryFn: () => ask(api.GET('/api/organizations')),
})
