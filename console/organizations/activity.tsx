/** The audit log of an organization, for those who may read it. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, asCsv } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Activity } from '../audit/activity.tsx'
import { organizationKinds } from '../audit/kinds.ts'
import { haveKeys } from '../audit/lists.ts'
import { Page } from '../parts/page.tsx'
import { namesQuery } from './grants.tsx'
import { NamedMember, readLog } from './log.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { useOrganizationOfPage } from './organization.ts'
import { modelQuery, useMay } from './permissions.ts'

export function OrganizationActivityPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from: '/inside/organizations/$orgId/activity' })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const { data: names } = useQuery({ ...namesQuery(organization.id), enabled: false }) // read with the log
  if (!may('audit:read'))
    return (
      <Page title={t('organizations.activity.title')}>
        <NotAllowed organization={organization} title={t('organizations.activity.notYours')} />
      </Page>
    )
  return (
    <Page title={t('organizations.activity.title')}>
      <Activity
        queryKey={['organizations', orgId, 'audit']}
        read={async (query) => {
          const page = await readLog(orgId, query)
          if (haveKeys(page.data)) await queries.prefetchQuery({ ...modelQuery(organization.id), retry: false }) // never rejects
          return page
        }}
        readFile={(query) =>
          api.GET('/api/organizations/{orgId}/audit', { params: { path: { orgId }, query }, ...asCsv })
        }
        Person={NamedMember}
        kinds={organizationKinds}
        names={names}
      />
    </Page>
  )
}
