/** The tenant whose console this is. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask, nameTenant } from '../api/client.ts'

export const tenantQuery = queryOptions({
  queryKey: ['tenant'],
  async queryFn() {
    const tenant = await ask(api.GET('/api/tenant'))
    nameTenant(tenant.slug)
    return tenant
  },
  staleTime: Number.POSITIVE_INFINITY,
})

export function useTenant() {
  return useSuspenseQuery(tenantQuery).data
}
