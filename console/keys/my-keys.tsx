/** The keys of the signed-in user. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { permissionsOfModelQuery } from '../organizations/grants.tsx'
import { myOrganizationsQuery } from '../organizations/organization.ts'
import { oneToRead } from '../organizations/permissions.ts'
import { useTenant } from '../tenants/tenant.ts'
import { myKeys } from './key.ts'
import { KeysPage } from './keys-page.tsx'
import { useScopeGroups } from './scopes.ts'
import '../texts/keys.ts'

export function MyKeysPage() {
  const { t } = useTranslation()
  const { name: tenant, personalKeys } = useTenant()
  const mine = useQuery(myOrganizationsQuery)
  const organizations = mine.data?.data.filter(({ membership }) => membership?.status === 'active') ?? []
  const read = oneToRead(organizations) // without one, there is nothing that permissions would be for
  const permissions = useQuery({
    ...permissionsOfModelQuery(read?.id ?? ''),
    enabled: read !== undefined,
  })
  const groups = useScopeGroups('user', permissions.data ?? [])
  return (
    <KeysPage
      list={myKeys}
      title={t('keys.mine.title')}
      lead={t('keys.mine.lead')}
      none={{ title: t('keys.mine.none'), lead: t('keys.mine.noneLead') }}
      off={
        personalKeys
          ? undefined
          : {
              title: t('keys.mine.off'),
              lead: t('keys.mine.offLead', { tenant }),
              leadWithKeys: t('keys.mine.offWithKeys', { tenant }),
            }
      }
      mayWrite
      naming={mine.data === undefined ? mine : permissions}
      groups={groups}
      givable={groups}
      organizations={organizations}
    />
  )
}
