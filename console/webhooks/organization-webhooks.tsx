/** The webhooks of an organization, for those who may see them. */
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { NotAllowed } from '../organizations/not-allowed.tsx'
import { useOrganizationOfPage } from '../organizations/organization.ts'
import { useMay } from '../organizations/permissions.ts'
import { Page } from '../parts/page.tsx'
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
  if (!may('webhooks:read'))
    return (
      <Page title={t('webhooks.title')}>
        <NotAllowed organization={organization} title={t('webhooks.organization.notYours')} />
      </Page>
    )
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
