/** The audit log of the user: their actions, and actions on their account. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, asCsv, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Activity } from '../audit/activity.tsx'
import type { OrganizationFilterProps } from '../audit/filters.tsx'
import { kinds } from '../audit/kinds.ts'
import { OrganizationSelect } from '../audit/organization-select.tsx'
import { namesQuery } from '../organizations/grants.tsx'
import { myOrganizationQuery, myOrganizationsFound, myOrganizationsQuery } from '../organizations/organization.ts'
import { oneToRead } from '../organizations/permissions.ts'
import { Page } from '../parts/page.tsx'
import { useMe } from './me.ts'
import '../texts/audit.ts'

export function MyActivityPage() {
  const { t } = useTranslation()
  const { role } = useMe()
  const { data: organizations, isPending, failureCount } = useQuery(myOrganizationsQuery)
  const read = oneToRead(organizations?.data ?? [])
  const names = useQuery({ ...namesQuery(read?.id ?? ''), enabled: read !== undefined })
  // The names are no condition of the log.
  const isNaming = (isPending && failureCount === 0) || (names.isLoading && names.failureCount === 0)
  return (
    <Page title={t('users.activity.title')} lead={t('users.activity.lead')}>
      <Activity
        queryKey={['users', 'me', 'audit']}
        read={(query) => ask(api.GET('/api/users/me/audit', { params: { query } }))}
        readFile={(query) => api.GET('/api/users/me/audit', { params: { query }, ...asCsv })}
        kinds={role === 'admin' ? kinds : kinds.filter((kind) => kind !== 'tenant')}
        Organizations={MyOrganizations}
        names={names.data}
        isNaming={isNaming}
        nameOfOrganization={(id) => organizations?.data.find((each) => each.id === id)?.name}
      />
    </Page>
  )
}

const useChoices = (query: string, isUsed: boolean) =>
  useQuery({ ...myOrganizationsFound(query), enabled: isUsed }).data?.data

/** The filter by the user's organizations. It is rendered before they are read, so that nothing moves. */
function MyOrganizations({ value, onChange }: OrganizationFilterProps) {
  const { t } = useTranslation()
  const { data: first } = useQuery(myOrganizationsQuery)
  const known = first?.data.find(({ id }) => id === value)
  const isFurther = value !== undefined && first !== undefined && known === undefined
  const { data: further, isLoading } = useQuery({ ...myOrganizationQuery(value ?? ''), enabled: isFurther })
  const unknown = first === undefined || isLoading ? '…' : t('audit.people.organization')
  return (
    <OrganizationSelect
      value={value}
      onChange={onChange}
      label={(known ?? further)?.name ?? unknown}
      useChoices={useChoices}
      onPick={(picked) => queries.setQueryData(myOrganizationQuery(picked.id).queryKey, picked)}
    />
  )
}
