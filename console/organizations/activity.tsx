/** The audit log of an organization, for those who may read it. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, asCsv } from '../api/client.ts'
import { Activity } from '../audit/activity.tsx'
import { organizationKinds } from '../audit/kinds.ts'
import { Page } from '../parts/page.tsx'
import { namesQuery } from './grants.tsx'
import { NamedMember, readLog } from './log.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { useOrganizationOfPage } from './organization.ts'
import { useMay } from './permissions.ts'

export function OrganizationActivityPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from: '/inside/organizations/$orgId/activity' })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const mayRead = may('audit:read')
  const { data: names, isPending, failureCount } = useQuery({ ...namesQuery(organization.id), enabled: mayRead })
  if (!mayRead)
    return (
      <Page title={t('organizations.activity.title')}>
        <NotAllowed organization={organization} title={t('organizations.activity.notYours')} />
      </Page>
    )
  return (
    <Page title={t('organizations.activity.title')}>
      <Activity
        queryKey={['organizations', orgId, 'audit']}
        read={(query) => readLog(orgId, query)}
        readFile={(query) =>
          api.GET('/api/organizations/{orgId}/audit', { params: { path: { orgId }, query }, ...asCsv })
        }
        Person={NamedMember}
        kinds={organizationKinds}
        names={names}
        isNaming={isPending && failureCount === 0} // the names are no condition of the log
      />
    </Page>
  )
}
