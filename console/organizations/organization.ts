/** The organization of a page, by the id or slug in the address, and the caller's organizations. */
import { keepPreviousData, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { isId } from '../api/ids.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import type { Versioned } from '../api/versions.ts'
import { readTenantLogAgain } from '../tenants/log-key.ts'
import { permissionsQuery } from './permissions.ts'

export type Organization = Versioned<Schemas['Organization']>

export const organizationQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['organizations', orgId],
    async queryFn() {
      const organization = await ask(api.GET('/api/organizations/{orgId}', { params: { path: { orgId } } }))
      const { id, permissions } = organization
      if (permissions !== undefined) queries.setQueryData(permissionsQuery(id).queryKey, permissions)
      return organization
    },
  })

/**
 * For the parts around a page. `data` is undefined as soon as the organization is gone for the caller.
 *
 * @returns `before`: the organization as it was read last, even if it is gone
 */
export function useOrganization(orgId: string | undefined) {
  const { data, error } = useQuery({ ...organizationQuery(orgId ?? ''), enabled: orgId !== undefined })
  const isGone = isRefusal(error, 'not_found', 'invalid_id')
  return { data: isGone ? undefined : data, isGone, before: data }
}

/** For pages that are loaded after the organization. If it is gone later, its frame replaces them. */
export function useOrganizationOfPage(orgId: string) {
  return useSuspenseQuery(organizationQuery(orgId)).data
}

/** From this number of organizations on, a search is offered. */
export const manyOrganizations = 8

/** The first hundred that match, for menus. The key is an object, because any word may be a slug. */
export const myOrganizationsFound = (query: string) =>
  queryOptions({
    queryKey: ['organizations', { choice: query }],
    queryFn: () => ask(api.GET('/api/organizations', { params: { query: query === '' ? {} : { query } } })),
    placeholderData: keepPreviousData,
  })

export const myOrganizationsQuery = myOrganizationsFound('')

/** One of the caller's organizations, which they may be unable to open; null if they are not in it. @param orgId its id or slug */
export const myOrganizationQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['organizations', { mine: orgId }],
    async queryFn() {
      const search = isId('org', orgId) ? {} : { query: orgId } // no search finds an id
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { ...search, ...(cursor !== undefined && { cursor }) }
        const page = await ask(api.GET('/api/organizations', { params: { query } }))
        const found = page.data.find(({ id, slug }) => id === orgId || slug === orgId)
        if (found) return found
        cursor = page.nextCursor
      }
      return null
    },
  })

/** Reads the lists of the caller's organizations again. */
export function readListsAgain() {
  const predicate = ({ queryKey: [, which] }: { readonly queryKey: readonly unknown[] }) => typeof which === 'object'
  return queries.invalidateQueries({ queryKey: ['organizations'], predicate })
}

/** Reads everything about organizations again. A change of one shows in lists, in its log and under its id and its slug. */
export async function readOrganizationsAgain() {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['organizations'] }),
    queries.invalidateQueries({ queryKey: ['admin', 'organizations'] }),
    readTenantLogAgain(),
    queries.invalidateQueries({ queryKey: ['admin', 'events'] }),
  ])
}

/** Removes everything about an organization that the caller has left or deleted. Call it after leaving its pages. */
export function forgetOrganization({ id, slug }: Pick<Organization, 'id' | 'slug'>) {
  queries.removeQueries({ queryKey: ['organizations', id] })
  queries.removeQueries({ queryKey: ['organizations', slug] })
  return readOrganizationsAgain()
}
