/** What deleting the account would delete, and what blocks it. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../api/client.ts'

const readImpact = () => ask(api.GET('/api/users/me/deletion-impact'))

export type Impact = Awaited<ReturnType<typeof readImpact>>

/** Read each time the page opens, because others change it too. */
export const impactQuery = queryOptions({
  queryKey: ['users', 'me', 'deletion-impact'],
  queryFn: readImpact,
  staleTime: 0,
})
