/** The tenant whose console this is. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask, nameTenant } from '../api/client.ts'
import { queries } from '../api/queries.ts'

/** Whether the policy that this page came with lets in pictures of other servers; the mailbox's never does. */
let letsPicturesIn = location.pathname.endsWith('/mailbox') ? false : undefined

/** A tenant as this page can show it: what its policy does not let in is left out until it is loaded anew. */
export function asShownHere<Tenant extends { readonly remotePictures: boolean }>(tenant: Tenant): Tenant {
  letsPicturesIn ??= tenant.remotePictures
  return { ...tenant, remotePictures: tenant.remotePictures && letsPicturesIn }
}

export const tenantQuery = queryOptions({
  queryKey: ['tenant'],
  async queryFn() {
    const tenant = await ask(api.GET('/api/tenant'))
    nameTenant(tenant.slug)
    return asShownHere(tenant)
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** For when what was refused tells that the tenant has other rules by now. */
export function readTenantAgain(): Promise<void> {
  return queries.invalidateQueries({ queryKey: tenantQuery.queryKey, exact: true })
}

export function useTenant() {
  return useSuspenseQuery(tenantQuery).data
}
