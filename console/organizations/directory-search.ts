/** The filters of the tenant's organizations in the address, and how the lists are read. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../api/client.ts'
import { nameQueries } from '../api/names.ts'
import { readQuery } from '../parts/search.ts'

export const organizationSorts = ['name', '-name', 'createdAt', '-createdAt'] as const

export interface OrganizationsSearch {
  readonly query?: string
  readonly sort?: (typeof organizationSorts)[number]
}

export function readOrganizationsSearch({ query, sort }: Record<string, unknown>): OrganizationsSearch {
  const sorted = organizationSorts.find((each) => each === sort)
  return { ...readQuery({ query }), ...(sorted && { sort: sorted }) }
}

/** Reads a page of the tenant's organizations. Only the first page is read with the total. */
export function readTenantOrganizations(
  search: OrganizationsSearch & { readonly userId?: string; readonly limit?: number },
  cursor: string | undefined,
) {
  return ask(
    api.GET('/api/admin/organizations', {
      params: { query: { ...search, ...(cursor === undefined ? { includeTotal: true } : { cursor }) } },
    }),
  )
}

/** Reads a page of the members of an organization. */
export function readTenantMembers(
  orgId: string,
  query: {
    query?: string
    userId?: string
    role?: 'owner'
    status?: 'all'
    sort?: 'joinedAt' | 'name'
    limit?: number
    cursor?: string
  },
) {
  return ask(api.GET('/api/admin/organizations/{orgId}/members', { params: { path: { orgId }, query } }))
}

export const tenantOrganizationsKey = ['admin', 'organizations'] as const

/** The name of an organization; null if it was deleted. */
export const organizationNameQuery = nameQueries(tenantOrganizationsKey, async (ids) => {
  const { data } = await ask(api.GET('/api/admin/organizations', { params: { query: { id: ids, limit: ids.length } } }))
  return new Map(data.map(({ id, name }) => [id, name]))
})

/** Reads an organization, for tenant admins. */
export const tenantOrganizationQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['admin', 'organizations', organizationId],
    queryFn: () => ask(api.GET('/api/admin/organizations/{orgId}', { params: { path: { orgId: organizationId } } })),
  })
