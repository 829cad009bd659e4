/** What one user did, and what was done to their account, for admins. */
import { TenantLog } from '../tenants/log.tsx'
import { useUserOfTab } from './administration-user.ts'

export function UserActivityPage() {
  return <TenantLog userId={useUserOfTab().user.id} />
}
