/** Links to join an organization. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask, type Body, type Schemas } from '../api/client.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { useEndless } from '../parts/endless.tsx'
import { readTenantAgain } from '../tenants/tenant.ts'

export type Link = Schemas['Link']

/** All live links: there are at most twenty. */
export const liveLinksQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['organizations', orgId, 'links', { status: 'live' }],
    queryFn: () =>
      ask(api.GET('/api/organizations/{orgId}/links', { params: { path: { orgId }, query: { status: 'live' } } })).then(
        ({ data }) => data,
      ),
  })

export function useEndedLinks(orgId: string) {
  return useEndless(['organizations', orgId, 'links', { status: 'ended' }], (cursor) =>
    ask(
      api.GET('/api/organizations/{orgId}/links', {
        params: { path: { orgId }, query: { status: 'ended', limit: 20, ...(cursor !== undefined && { cursor }) } },
      }),
    ),
  )
}

/** @throws Refusal links_full, when there are as many live ones as there may be */
export function createLink(orgId: string, body: Body<'createLink'>): Promise<Link> {
  return ask(api.POST('/api/organizations/{orgId}/links', { params: { path: { orgId } }, body })).catch(
    (error: unknown) => {
      if (isRefusal(error, 'not_offered')) void readTenantAgain()
      throw isRefusal(error, 'limit_reached') ? new Refusal({ code: 'links_full' }) : error
    },
  )
}

/** Ends a link. If it has ended meanwhile, nothing is left to do. */
export async function revokeLink(orgId: string, linkId: string): Promise<void> {
  try {
    await ask(api.DELETE('/api/organizations/{orgId}/links/{linkId}', { params: { path: { orgId, linkId } } }))
  } catch (error) {
    if (!isRefusal(error, 'link_ended')) throw error
  }
}
