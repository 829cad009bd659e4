/** What deleting the account would take along, and what stands in the way of it. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../api/client.ts'

const readImpact = () => ask(api.GET('/api/users/me/deletion-impact'))

export type Impact = Awaited<ReturnType<typeof readImpact>>

/** It is read each time that the page opens: others change it too. */
export const impactQuery = queryOptions({
  queryKey: ['users', 'me', 'deletion-impact'],
  queryFn: readImpact,
  staleTime: 0,
})
