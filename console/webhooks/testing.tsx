/** A test of a webhook, and how the last one went. */
import { Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { explain, type Webhook, type WebhookList, webhookQuery } from './webhook.ts'

interface TestProps {
  readonly list: WebhookList
  readonly webhook: Webhook
}

/** Milliseconds for which a page asks for the outcome. */
const timeout = 30_000

/** What the page waits for: a test later than the one before. */
interface Wait {
  readonly before: string | undefined
  readonly isLate: boolean
}

export function TestButton({ list, webhook }: TestProps) {
  const { t } = useTranslation()
  const [wait, setWait] = useState<Wait>()
  const isWaiting = wait !== undefined && webhook.lastTest?.at === wait.before
  const isAsking = isWaiting && !wait.isLate
  useQuery({ ...webhookQuery(list, webhook.id), refetchInterval: isAsking ? 1000 : false })
  useEffect(() => {
    if (!isAsking) return
    const timer = setTimeout(() => setWait((known) => known && { ...known, isLate: true }), timeout)
    return () => clearTimeout(timer)
  }, [isAsking])
  const sending = useMutation({
    mutationFn: () => list.test(webhook.id).catch(explain),
    onSuccess: ({ lastTest }) => setWait({ before: lastTest?.at, isLate: false }),
  })
  const isBusy = sending.isPending || isAsking
  return (
    <div>
      <Button
        variant={webhook.status === 'failing' ? 'default' : 'filled'}
        loading={isBusy}
        onClick={() => sending.mutate()}
      >
        {t('webhooks.test.send')}
      </Button>
      <Text size="sm" c="dimmed" role="status" mt={isWaiting ? 4 : 0}>
        {isWaiting && t(wait.isLate ? 'webhooks.test.late' : 'webhooks.test.waiting')}
      </Text>
    </div>
  )
}

export function Outcome({ webhook: { lastTest } }: Pick<TestProps, 'webhook'>) {
  const { t } = useTranslation()
  const failure = useFailure()
  return (
    <Status>
      {lastTest === null ? (
        <Text size="sm" c="dimmed">
          {t('webhooks.test.none')}
        </Text>
      ) : (
        <Text size="sm">
          <Trans
            i18nKey={lastTest.error === null ? 'webhooks.test.delivered' : 'webhooks.test.failed'}
            values={{ status: lastTest.status, milliseconds: lastTest.milliseconds, ...failure(lastTest) }}
            components={{ time: <Time iso={lastTest.at} /> }}
          />
        </Text>
      )}
    </Status>
  )
}

interface Failure {
  readonly what: string
  readonly advice: string
}

/** @returns a function that says what the error of an attempt means, and what to do; nothing of one without */
export function useFailure(): (
  attempt: Pick<NonNullable<Webhook['lastTest']>, 'error' | 'status'>,
) => Failure | undefined {
  const { t } = useTranslation()
  return ({ error, status }) =>
    error === null
      ? undefined
      : {
          what: t(`webhooks.errors.${error}.what`, { status: status ?? '' }),
          advice: t(`webhooks.errors.${error}.advice`),
        }
}
