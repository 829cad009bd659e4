/** The invitations to any organization, for admins: sent, sent again and revoked as an owner could. */
import { InvitePeople } from './directory-members.tsx'
import { useAnyOrganization } from './directory-organization.tsx'
import { InvitationList } from './invitations.tsx'

export function TenantInvitationsPage() {
  const organization = useAnyOrganization()
  return (
    <>
      <InvitePeople organization={organization} />
      <InvitationList organization={organization} mayWrite />
    </>
  )
}
