/** The tenant of this console. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask, nameTenant } from '../api/client.ts'
import { queries } from '../api/queries.ts'

/** Whether the Content-Security-Policy of this page allows pictures from other servers. The mailbox's never does. */
let letsPicturesIn = location.pathname.endsWith('/mailbox') ? false : undefined

/** The tenant, without pictures that the policy of this page refuses. A reload gets the current policy. */
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

/** For a refusal which shows that the tenant's rules have changed. */
export function readTenantAgain(): Promise<void> {
  return queries.invalidateQueries({ queryKey: tenantQuery.queryKey, exact: true })
}

export function useTenant() {
  return useSuspenseQuery(tenantQuery).data
}
