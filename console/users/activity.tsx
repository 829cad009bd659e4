/** The audit log of the user: their actions, and actions on their account. */
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, asCsv, ask } from '../api/client.ts'
import classes from '../audit/activity.module.css'
import { Activity } from '../audit/activity.tsx'
import type { OrganizationFilterProps } from '../audit/filters.tsx'
import { kinds } from '../audit/kinds.ts'
import { namesQuery } from '../organizations/grants.tsx'
import { myOrganizationsQuery } from '../organizations/organization.ts'
import { oneToRead } from '../organizations/permissions.ts'
import { optionsInPlace } from '../parts/filters.tsx'
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

const all = 'all'

/** The filter by the user's organizations. It is rendered before they are read, so that nothing moves. */
function MyOrganizations({ value, onChange }: OrganizationFilterProps) {
  const { t } = useTranslation()
  const { data: organizations } = useQuery(myOrganizationsQuery)
  return (
    <Select
      comboboxProps={optionsInPlace}
      className={classes.organizations}
      label={t('audit.organization')}
      allowDeselect={false}
      checkIconPosition="right"
      value={value ?? all}
      onChange={(next) => onChange(next === null || next === all ? undefined : next)}
      data={[
        { value: all, label: t('audit.allOrganizations') },
        ...(organizations?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  )
}
