/** What happened in any organization, for admins. */
import { TenantLog } from '../tenants/log.tsx'
import { useAnyOrganization } from './directory-organization.tsx'

export function TenantOrganizationActivityPage() {
  return <TenantLog organizationId={useAnyOrganization().id} />
}
