/** The keys and webhooks that an organization still has after an admin has turned them off. No other page leads to them. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { keysOfOrganization, liveKeysQuery } from '../keys/key.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Section } from '../parts/page.tsx'
import { Pending } from '../parts/states.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { webhooksOfOrganization, webhooksQuery } from '../webhooks/webhook.ts'
import type { Organization } from './organization.ts'
import { useMay } from './permissions.ts'

/** Below what most organizations have. */
export function TurnedOff({ organization }: { readonly organization: Organization }) {
  const { organizationKeys, organizationWebhooks } = useTenant()
  const may = useMay(organization)
  return (
    <>
      {!organizationKeys && may('keys:read') && <KeysLeft organization={organization} />}
      {!organizationWebhooks && may('webhooks:read') && <WebhooksLeft organization={organization} />}
    </>
  )
}

function KeysLeft({ organization: { slug } }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const { data = [], isPending } = useQuery(liveKeysQuery(keysOfOrganization(slug)))
  if (isPending) return <Pending />
  if (data.length === 0) return null
  return (
    <Section title={t('organizations.settings.keys')} lead={t('organizations.settings.keysOff', { tenant })}>
      <ButtonLink to="/organizations/$orgId/keys" params={{ orgId: slug }} variant="default">
        {t('organizations.settings.toKeys')}
      </ButtonLink>
    </Section>
  )
}

function WebhooksLeft({ organization: { slug } }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const { data = [], isPending } = useQuery(webhooksQuery(webhooksOfOrganization(slug)))
  if (isPending) return <Pending />
  if (data.length === 0) return null
  return (
    <Section title={t('organizations.settings.webhooks')} lead={t('organizations.settings.webhooksOff', { tenant })}>
      <ButtonLink to="/organizations/$orgId/webhooks" params={{ orgId: slug }} variant="default">
        {t('organizations.settings.toWebhooks')}
      </ButtonLink>
    </Section>
  )
}
