/** The webhooks of an organization, for those who may see them. */
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { type Organization, useOrganizationOfPage } from '../organizations/organization.ts'
import { useMay } from '../organizations/permissions.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { webhooksOfOrganization } from './webhook.ts'
import { WebhooksPage } from './webhooks-page.tsx'
import '../texts/webhooks.ts'

export function OrganizationWebhooksPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from: '/inside/organizations/$orgId/webhooks' })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const { name: tenant, organizationWebhooks } = useTenant()
  const list = useMemo(() => webhooksOfOrganization(orgId), [orgId])
  if (!may('webhooks:read')) return <NotTheirs organization={organization} />
  const { name } = organization
  return (
    <WebhooksPage
      list={list}
      lead={t('webhooks.organization.lead', { name })}
      none={{ title: t('webhooks.organization.none'), lead: t('webhooks.organization.noneLead', { name }) }}
      off={
        organizationWebhooks
          ? undefined
          : {
              title: t('webhooks.organization.off'),
              lead: t('webhooks.organization.offLead', { tenant }),
              leadWithWebhooks: t('webhooks.organization.offWithWebhooks', { tenant }),
            }
      }
      mayWrite={may('webhooks:write') && may('events:read')}
    />
  )
}

/** For those who may not see webhooks. */
export function NotTheirs({ organization: { name, slug } }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  return (
    <Page title={t('webhooks.title')}>
      <Empty
        title={t('webhooks.organization.notYours')}
        action={
          <ButtonLink to="/organizations/$orgId/members" params={{ orgId: slug }} variant="default">
            {t('webhooks.organization.toMembers')}
          </ButtonLink>
        }
      >
        {t('webhooks.organization.notYoursLead', { name })}
      </Empty>
    </Page>
  )
}
