/** The tenant whose console this is. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask } from '../api/client.ts'

export const tenantQuery = queryOptions({
  queryKey: ['tenant'],
  queryFn: () => ask(api.GET('/api/tenant')),
  staleTime: Number.POSITIVE_INFINITY,
})

export function useTenant() {
  return useSuspenseQuery(tenantQuery).data
}
