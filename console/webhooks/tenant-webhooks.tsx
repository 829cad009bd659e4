/** The webhooks of the tenant, for its admins. */
import { useTranslation } from 'react-i18next'
import { tenantWebhooks } from './webhook.ts'
import { WebhooksPage } from './webhooks-page.tsx'
import '../texts/webhooks.ts'

export function TenantWebhooksPage() {
  const { t } = useTranslation()
  return (
    <WebhooksPage
      list={tenantWebhooks}
      lead={t('webhooks.tenant.lead')}
      none={{ title: t('webhooks.tenant.none'), lead: t('webhooks.tenant.noneLead') }}
      mayWrite
    />
  )
}
