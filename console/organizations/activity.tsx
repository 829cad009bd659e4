/** The audit log of an organization, for those who may read it. */
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, asCsv } from '../api/client.ts'
import { Activity } from '../audit/activity.tsx'
import { organizationKinds } from '../audit/kinds.ts'
import { Page } from '../parts/page.tsx'
import { NamedMember, readLog } from './log.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { useOrganizationOfPage } from './organization.ts'
import { useMay } from './permissions.ts'

export function OrganizationActivityPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from: '/inside/organizations/$orgId/activity' })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
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
        read={(query) => readLog(orgId, query)}
        readFile={(query) =>
          api.GET('/api/organizations/{orgId}/audit', { params: { path: { orgId }, query }, ...asCsv })
        }
        Person={NamedMember}
        kinds={organizationKinds}
      />
    </Page>
  )
}
