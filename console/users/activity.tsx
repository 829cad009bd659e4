/** My activity: what I did, and what was done to me. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Activity } from '../audit/activity.tsx'
import { kinds } from '../audit/kinds.ts'
import { myOrganizationsQuery } from '../organizations/organization.ts'
import { Page } from '../parts/page.tsx'
import { useMe } from './me.ts'

export function MyActivityPage() {
  const { t } = useTranslation()
  const { role } = useMe()
  const { data: organizations } = useQuery(myOrganizationsQuery)
  return (
    <Page title={t('users.activity.title')} lead={t('users.activity.lead')}>
      <Activity
        queryKey={['users', 'me', 'audit']}
        read={(query) => ask(api.GET('/api/users/me/audit', { params: { query } }))}
        speaks="of-me"
        kinds={role === 'admin' ? kinds : kinds.filter((kind) => kind !== 'tenant')}
        nameOfOrganization={(id) => organizations?.data.find((each) => each.id === id)?.name}
      />
    </Page>
  )
}
