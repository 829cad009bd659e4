/** The keys of the tenant, for its admins. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { accessQuery } from '../access/model.ts'
import { tenantKeys } from './key.ts'
import { KeysPage } from './keys-page.tsx'
import { useScopeGroups } from './scopes.ts'
import '../texts/keys.ts'

export function TenantKeysPage() {
  const { t } = useTranslation()
  const access = useQuery(accessQuery)
  const groups = useScopeGroups('tenant', access.data?.permissions ?? [])
  return (
    <KeysPage
      list={tenantKeys}
      title={t('keys.tenant.title')}
      lead={t('keys.tenant.lead')}
      none={{ title: t('keys.tenant.none'), lead: t('keys.tenant.noneLead') }}
      mayWrite
      naming={access}
      groups={groups}
      givable={groups}
    />
  )
}
