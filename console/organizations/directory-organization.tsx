/** The frame of the pages of one organization, for admins, who need not be members: its name, and tabs. */
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { Trans, useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { ButtonLink } from '../parts/links.tsx'
import listClasses from '../parts/list.module.css'
import { Page } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { exactly, Tab, Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { tenantOrganizationQuery } from './directory-search.ts'
import { myOrganizationsFound } from './organization.ts'
import '../texts/administration.ts'

const from = '/inside/admin/organizations/$organizationId' as const

/** The organization of the page, as it was read last. */
export function useAnyOrganization() {
  const { organizationId } = useParams({ from })
  return useSuspenseQuery(tenantOrganizationQuery(organizationId)).data
}

export function TenantOrganizationFrame() {
  const { t } = useTranslation()
  const { organizationId } = useParams({ from })
  const { data: organization, error } = useSuspenseQuery(tenantOrganizationQuery(organizationId))
  const { id, name, slug, logoUrl, memberCount, createdAt } = organization
  // Looked for among the admin's own: asking for it would fail for an admin who is not a member.
  const { data: mine } = useQuery(myOrganizationsFound(slug))
  const toAll = (
    <ButtonLink to="/admin/organizations" variant="default" leftSection={<IconArrowLeft size={16} stroke={1.8} />}>
      {t('directory.organizations.all')}
    </ButtonLink>
  )
  if (isRefusal(error, 'not_found'))
    return (
      <Page title={t('directory.organizations.gone')} lead={t('directory.organizations.goneLead')}>
        {toAll}
      </Page>
    )
  const params = { organizationId }
  return (
    <Page
      key={id}
      width="wide"
      title={name}
      picture={<Picture url={logoUrl} name={name} id={id} size={48} shape="square" />}
      lead={
        <span className={listClasses.facts}>
          <span>{slug}</span> <span>{t('directory.members', { count: memberCount })}</span>{' '}
          <span>
            <Trans
              i18nKey="directory.organizations.createdAt"
              components={{ time: <Time iso={createdAt} as="date" /> }}
            />
          </span>
        </span>
      }
      actions={
        <>
          {toAll}
          {mine?.data.some((each) => each.id === id) && (
            <ButtonLink to="/organizations/$orgId" params={{ orgId: slug }} variant="default">
              {t('directory.organizations.open')}
            </ButtonLink>
          )}
        </>
      }
    >
      <Tabs label={t('directory.organizations.tabs', { name })}>
        <Tab to="/admin/organizations/$organizationId" params={params} activeOptions={exactly}>
          {t('directory.organizations.members')}
        </Tab>
        <Tab to="/admin/organizations/$organizationId/invitations" params={params}>
          {t('directory.organizations.invitations')}
        </Tab>
        <Tab to="/admin/organizations/$organizationId/activity" params={params}>
          {t('directory.organizations.activity')}
        </Tab>
        <Tab to="/admin/organizations/$organizationId/settings" params={params}>
          {t('directory.organizations.settings')}
        </Tab>
      </Tabs>
      <Outlet />
    </Page>
  )
}
