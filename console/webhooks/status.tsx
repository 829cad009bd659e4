/** How a webhook is, in words. */
import { Badge } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { Time } from '../parts/time.tsx'
import { useTenant } from '../tenants/tenant.ts'
import type { Webhook } from './webhook.ts'
import classes from './webhooks.module.css'

/** Whether a webhook of an organization sends nothing because the tenant has turned them off. */
export function useIsPaused(isOfOrganization: boolean): boolean {
  const { organizationWebhooks } = useTenant()
  return isOfOrganization && !organizationWebhooks
}

export function Status({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation()
  const { status, failingSince, disabledBecause, organizationId } = webhook
  const isPaused = useIsPaused(organizationId !== null)
  if (status === 'disabled')
    return (
      <Badge color="gray" className={classes.status}>
        {disabledBecause === null ? t('webhooks.status.disabled') : t(`webhooks.status.disabled_${disabledBecause}`)}
      </Badge>
    )
  if (isPaused)
    return (
      <Badge color="yellow" className={classes.status}>
        {t('webhooks.status.paused')}
      </Badge>
    )
  if (status === 'failing')
    return (
      <Badge color="red" className={classes.status}>
        {failingSince === null ? (
          t('webhooks.status.failing')
        ) : (
          <Trans
            i18nKey="webhooks.status.failingSince"
            components={{ time: <Time iso={failingSince} as="day" isListed /> }}
          />
        )}
      </Badge>
    )
  return (
    <Badge color="green" className={classes.status}>
      {t('webhooks.status.active')}
    </Badge>
  )
}

/** The host of a URL, with its port. A URL that this browser does not read is shown whole. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
