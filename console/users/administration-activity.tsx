/** What a user did, and what was done to them, as the tenant's log tells it. */
import { api, ask } from '../api/client.ts'
import { Activity } from '../audit/activity.tsx'
import type { User } from './administration-user.ts'

export function UserActivity({ user: { id: userId } }: { readonly user: User }) {
  return (
    <Activity
      queryKey={['admin', 'audit', { userId }]}
      read={(query) => ask(api.GET('/api/admin/audit', { params: { query: { ...query, userId, limit: 20 } } }))}
      speaks="of-all"
      linksPeople
    />
  )
}
