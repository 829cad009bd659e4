/** One webhook: how it is, what it sent, its settings and secret, its place in the events, deleting it. */
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { NotAllowed } from '../organizations/not-allowed.tsx'
import { useOrganizationOfPage } from '../organizations/organization.ts'
import { useMay } from '../organizations/permissions.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { DeleteWebhook } from './deletion.tsx'
import { Deliveries } from './deliveries.tsx'
import { Health } from './health.tsx'
import { PlaceInFeed } from './place.tsx'
import { Secrets } from './rotation.tsx'
import { WebhookSettings } from './settings.tsx'
import { Status, useIsPaused } from './status.tsx'
import { useWatch } from './watching.ts'
import { tenantWebhooks, type WebhookList, webhookQuery, webhooksOfOrganization } from './webhook.ts'
import '../texts/webhooks.ts'

export function TenantWebhookPage() {
  const { t } = useTranslation()
  const { webhookId } = useParams({ from: '/inside/admin/webhooks/$webhookId' })
  return (
    <WebhookPage
      key={webhookId}
      list={tenantWebhooks}
      webhookId={webhookId}
      mayWrite
      toAll={
        <ButtonLink to="/admin/webhooks" variant="default" leftSection={<IconArrowLeft size={16} stroke={1.8} />}>
          {t('webhooks.all')}
        </ButtonLink>
      }
    />
  )
}

export function OrganizationWebhookPage() {
  const { t } = useTranslation()
  const { orgId, webhookId } = useParams({ from: '/inside/organizations/$orgId/webhooks/$webhookId' })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const list = useMemo(() => webhooksOfOrganization(orgId), [orgId])
  if (!may('webhooks:read'))
    return (
      <Page title={t('webhooks.title')}>
        <NotAllowed organization={organization} title={t('webhooks.organization.notYours')} />
      </Page>
    )
  return (
    <WebhookPage
      key={webhookId}
      list={list}
      webhookId={webhookId}
      mayWrite={may('webhooks:write') && may('events:read')}
      toAll={
        <ButtonLink
          to="/organizations/$orgId/webhooks"
          params={{ orgId }}
          variant="default"
          leftSection={<IconArrowLeft size={16} stroke={1.8} />}
        >
          {t('webhooks.all')}
        </ButtonLink>
      }
    />
  )
}

interface WebhookPageProps {
  readonly list: WebhookList
  readonly webhookId: string
  readonly mayWrite: boolean
  /** The link to all webhooks. */
  readonly toAll: ReactNode
}

function WebhookPage({ list, webhookId, mayWrite, toAll }: WebhookPageProps) {
  const { t } = useTranslation()
  const query = useQuery(webhookQuery(list, webhookId))
  const { data: webhook, error } = query
  const watch = useWatch(list, webhookId)
  // While webhooks are not offered, they can only be deleted.
  const mayChange = !useIsPaused(list.orgId !== undefined) && mayWrite
  if (isRefusal(error, 'not_found', 'invalid_id'))
    return (
      <Page title={t('webhooks.gone')} lead={t('webhooks.goneLead')}>
        {toAll}
      </Page>
    )
  if (!webhook)
    return (
      <Page title={t('webhooks.title')} actions={error && toAll}>
        <LoadingOrFailed query={query} rows={6} />
      </Page>
    )
  const shared = { list, webhook }
  return (
    <Page title={webhook.name} lead={<Status webhook={webhook} />} actions={toAll}>
      <Section title={t('webhooks.health.title')}>
        <Health {...shared} mayChange={mayChange} watch={watch} />
      </Section>
      <Section title={t('webhooks.log.title')} lead={t('webhooks.log.lead')}>
        <Deliveries {...shared} mayRetry={mayChange && webhook.status !== 'disabled'} watch={watch} />
      </Section>
      {mayChange && (
        <>
          <Section title={t('webhooks.settings.title')}>
            <WebhookSettings {...shared} />
          </Section>
          <Section title={t('webhooks.secrets.title')} lead={t('webhooks.secrets.lead')}>
            <Secrets {...shared} />
          </Section>
          <Section title={t('webhooks.place.title')} lead={t('webhooks.place.lead')}>
            <PlaceInFeed {...shared} watch={watch} />
          </Section>
        </>
      )}
      {mayWrite && (
        <Section title={t('webhooks.deletion.title')} lead={t('webhooks.deletion.lead')}>
          <DeleteWebhook {...shared} />
        </Section>
      )}
    </Page>
  )
}
