/** How a webhook is, in words, with what to do; enabling and disabling it; a test. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { Confirm } from '../parts/confirm.tsx'
import { useIsFuture } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { useIsPaused } from './status.tsx'
import { Outcome, TestButton } from './testing.tsx'
import { changeWebhook, type Webhook, type WebhookList } from './webhook.ts'
import classes from './webhooks.module.css'

interface HealthProps {
  readonly list: WebhookList
  readonly webhook: Webhook
  readonly mayChange: boolean
  /** Shows what becomes of the events that are sent. */
  readonly watch: () => void
}

export function Health({ list, webhook, mayChange, watch }: HealthProps) {
  const { t } = useTranslation()
  const { url, status, oldestUnsentAt, missedUntil } = webhook
  const tryLeadId = useId()
  return (
    <Stack gap="md">
      <dl className={classes.facts}>
        <dt>{t('webhooks.health.sendsTo')}</dt>
        <dd className={classes.url}>{url}</dd>
      </dl>
      <div>
        <Words webhook={webhook} />
        {oldestUnsentAt !== null && (
          <Text size="sm">
            <Trans i18nKey="webhooks.health.waiting" components={{ time: <Time iso={oldestUnsentAt} /> }} />
          </Text>
        )}
        <UrlSetBy webhook={webhook} />
      </div>
      {missedUntil !== null && (
        <Alert color="yellow" title={t('webhooks.health.missed')}>
          <Trans i18nKey="webhooks.health.missedLead" components={{ time: <Time iso={missedUntil} /> }} />
        </Alert>
      )}
      <Outcome webhook={webhook} />
      {mayChange && (
        <div>
          {status === 'failing' && (
            <Text id={tryLeadId} size="sm" mb="sm">
              {t('webhooks.health.tryLead')}
            </Text>
          )}
          <Group gap="sm" align="flex-start">
            {status === 'failing' && <TryButton {...{ list, webhook, watch }} aria-describedby={tryLeadId} />}
            {status !== 'disabled' && <TestButton list={list} webhook={webhook} />}
            <Switching list={list} webhook={webhook} watch={watch} />
          </Group>
        </div>
      )}
    </Stack>
  )
}

function Words({ webhook: { status, disabledBecause, organizationId, nextTrialAt } }: Pick<HealthProps, 'webhook'>) {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const isPaused = useIsPaused(organizationId !== null)
  const isFuture = useIsFuture()
  if (status === 'disabled')
    return <Text size="sm">{t(`webhooks.health.disabled_${disabledBecause ?? 'person'}`)}</Text>
  if (isPaused) return <Text size="sm">{t('webhooks.health.paused', { tenant })}</Text>
  if (status === 'active') return <Text size="sm">{t('webhooks.health.active')}</Text>
  return (
    <Alert color="red" title={t('webhooks.health.failing')} mb="md">
      {t('webhooks.health.failingLead')}{' '}
      {nextTrialAt !== null &&
        (isFuture(nextTrialAt) ? (
          <Trans i18nKey="webhooks.health.nextTrial" components={{ time: <Time iso={nextTrialAt} /> }} />
        ) : (
          t('webhooks.log.soon')
        ))}
    </Alert>
  )
}

function UrlSetBy({ webhook: { urlSetBy } }: Pick<HealthProps, 'webhook'>) {
  const { t } = useTranslation()
  if (urlSetBy === null) return <Text size="sm">{t('webhooks.health.setByDeleted')}</Text>
  const { name, hasLostRight } = urlSetBy
  if (!hasLostRight)
    return (
      <Text size="sm">{name === null ? t('webhooks.health.setByNameless') : t('webhooks.health.setBy', { name })}</Text>
    )
  return (
    <Alert
      color="yellow"
      mt="md"
      title={name === null ? t('webhooks.health.lostRight_nameless') : t('webhooks.health.lostRight', { name })}
    >
      {t('webhooks.health.lostRightLead')}
    </Alert>
  )
}

/** Makes a webhook active, and shows what becomes of the events that wait. @param done what is said then */
function useActivation({ list, webhook, watch }: Omit<HealthProps, 'mayChange'>, done: string) {
  return useMutation({
    mutationFn: () => changeWebhook(list, webhook, { status: 'active' }),
    onSuccess: () => {
      watch()
      notifications.show({ message: done })
    },
  })
}

function TryButton({
  'aria-describedby': leadId,
  ...shared
}: Omit<HealthProps, 'mayChange'> & { readonly 'aria-describedby': string }) {
  const { t } = useTranslation()
  const activation = useActivation(shared, t('webhooks.health.trying'))
  return (
    <Button aria-describedby={leadId} loading={activation.isPending} onClick={() => activation.mutate()}>
      {t('webhooks.health.try')}
    </Button>
  )
}

function Switching({ list, webhook, watch }: Omit<HealthProps, 'mayChange'>) {
  const { t } = useTranslation()
  const [isDisabling, disabling] = useDisclosure()
  const enable = useActivation({ list, webhook, watch }, t('webhooks.health.enabled'))
  if (webhook.status === 'disabled')
    return (
      <Button loading={enable.isPending} onClick={() => enable.mutate()}>
        {t('webhooks.health.enable')}
      </Button>
    )
  return (
    <>
      <Button variant="default" onClick={disabling.open}>
        {t('webhooks.health.disable')}
      </Button>
      <Confirm
        title={t('webhooks.health.disabling.title', { name: webhook.name })}
        submit={t('webhooks.health.disabling.submit')}
        isOpen={isDisabling}
        onClose={disabling.close}
        act={() => changeWebhook(list, webhook, { status: 'disabled' })}
        onDone={() => notifications.show({ message: t('webhooks.health.disabling.done') })}
      >
        {t('webhooks.health.disabling.lead')}
      </Confirm>
    </>
  )
}
