/** The audit log of an organization, for those who may read it. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, asCsv, ask } from '../api/client.ts'
import { Activity } from '../audit/activity.tsx'
import { organizationKinds } from '../audit/kinds.ts'
import { BoldName, type PersonProps } from '../audit/sentence.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { nameOf } from './member.ts'
import { useOrganizationOfPage } from './organization.ts'
import { useMay } from './permissions.ts'

export function OrganizationActivityPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from: '/inside/organizations/$orgId/activity' })
  const organization = useOrganizationOfPage(orgId)
  const { name } = organization
  const may = useMay(organization)
  if (!may('audit:read'))
    return (
      <Page title={t('organizations.activity.title')}>
        <Empty
          title={t('organizations.activity.notYours')}
          action={
            <ButtonLink to="/organizations/$orgId" params={{ orgId }} variant="default">
              {t('organizations.activity.toOverview')}
            </ButtonLink>
          }
        >
          {t('organizations.activity.notYoursLead', { name })}
        </Empty>
      </Page>
    )
  return (
    <Page title={t('organizations.activity.title')}>
      <Activity
        queryKey={['organizations', orgId, 'audit']}
        read={(query) => ask(api.GET('/api/organizations/{orgId}/audit', { params: { path: { orgId }, query } }))}
        readFile={(query) =>
          api.GET('/api/organizations/{orgId}/audit', { params: { path: { orgId }, query }, ...asCsv })
        }
        Person={Member}
        kinds={organizationKinds}
      />
    </Page>
  )
}

/** A person without a name in the entry is named as in the list of members: by their current name, or by their address. */
function Member({ id, name, children }: PersonProps) {
  const { orgId } = useParams({ from: '/inside/organizations/$orgId/activity' })
  const { data } = useQuery({
    queryKey: ['organizations', orgId, 'names'],
    queryFn: () =>
      ask(api.GET('/api/organizations/{orgId}/members', { params: { path: { orgId }, query: { limit: 100 } } })),
    enabled: name === undefined,
    select: ({ data: members }) => members.find(({ user }) => user.id === id),
  })
  const known = name ?? (data && nameOf(data))
  return known === undefined ? children : <BoldName name={known} />
}
