/** What an admin's transfer does, before it is confirmed: whom the new owner takes over from. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { readTenantMembers, tenantOrganizationsKey } from './directory-search.ts'

/** Names the owner who joined first: the service takes the role from them. */
export function TransferLead({ orgId }: { readonly orgId: string }) {
  const { t } = useTranslation()
  const { data } = useQuery({
    // Not below the key of `members`, whose lists show a changed role at once.
    queryKey: [...tenantOrganizationsKey, orgId, 'firstOwner'],
    queryFn: () => readTenantMembers(orgId, { role: 'owner', sort: 'joinedAt', limit: 1 }),
  })
  const [first] = data?.data ?? []
  return first
    ? t('directory.transfer.lead', { owner: first.user.name ?? first.user.email })
    : t('directory.transfer.leadUnknown')
}
