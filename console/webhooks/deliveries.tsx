/** What a webhook sent, and what its server has not taken; sending some of it again. */
import { Button, NativeSelect, Table, VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import rowClasses from '../organizations/rows.module.css'
import { More } from '../parts/endless.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useFailure } from './testing.tsx'
import { type Delivery, explain, readAgain, useDeliveries, type Webhook, type WebhookList } from './webhook.ts'
import classes from './webhooks.module.css'

interface DeliveriesProps {
  readonly list: WebhookList
  readonly webhook: Webhook
  readonly mayRetry: boolean
}

const statuses = ['delivered', 'retrying', 'failed'] as const satisfies readonly Delivery['status'][]

export function Deliveries({ list, webhook: { id }, mayRetry }: DeliveriesProps) {
  const { t } = useTranslation()
  const [status, setStatus] = useState<Delivery['status']>()
  const { query, items } = useDeliveries(list, id, status === undefined ? {} : { status })
  /** @param sequences undefined: of all that failed */
  const retry = useMutation({
    mutationFn: (sequences: readonly number[] | undefined) =>
      list.retry(id, sequences === undefined ? {} : { sequences: [...sequences] }).catch(explain),
    onSuccess: ({ retried }) => {
      readAgain(list)
      notifications.show({ message: t('webhooks.log.retried', { count: retried }) })
    },
  })
  const isEmpty = query.isSuccess && items.length === 0
  return (
    <>
      {!(isEmpty && status === undefined) && (
        <div className={classes.toolbar}>
          <NativeSelect
            label={t('webhooks.log.status')}
            value={status ?? ''}
            onChange={({ currentTarget: { value } }) => setStatus(statuses.find((each) => each === value))}
            data={[
              { value: '', label: t('webhooks.log.anyStatus') },
              ...statuses.map((each) => ({ value: each, label: t(`webhooks.log.statuses.${each}`) })),
            ]}
          />
          <Button variant="default" loading={query.isRefetching} onClick={() => query.refetch()}>
            {t('webhooks.log.refresh')}
          </Button>
          {mayRetry && (
            <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate(undefined)}>
              {t('webhooks.log.allFailed')}
            </Button>
          )}
        </div>
      )}
      {query.isPending ? (
        <Loading rows={4} />
      ) : query.isError && items.length === 0 ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : isEmpty ? (
        status === undefined ? (
          <Empty title={t('webhooks.log.none')}>{t('webhooks.log.noneLead')}</Empty>
        ) : (
          <Empty title={t('webhooks.log.nothing')} />
        )
      ) : (
        <div className={rowClasses.frame} aria-busy={query.isPlaceholderData}>
          <Table withRowBorders={false} className={rowClasses.table} aria-label={t('webhooks.log.title')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('webhooks.log.columns.event')}</Table.Th>
                <Table.Th>{t('webhooks.log.columns.result')}</Table.Th>
                <Table.Th>{t('webhooks.log.columns.attempts')}</Table.Th>
                {mayRetry && (
                  <Table.Th>
                    <VisuallyHidden>{t('webhooks.log.actions')}</VisuallyHidden>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((delivery) => (
                <DeliveryRow
                  key={delivery.sequence}
                  delivery={delivery}
                  again={mayRetry ? () => retry.mutate([delivery.sequence]) : undefined}
                />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <More query={query} />
    </>
  )
}

interface DeliveryRowProps {
  readonly delivery: Delivery
  readonly again: (() => void) | undefined
}

function DeliveryRow({ delivery, again }: DeliveryRowProps) {
  const { t } = useTranslation()
  const failure = useFailure()
  const { type, status, attempts, lastAttempt, nextAt } = delivery
  const { at, error, milliseconds } = lastAttempt
  return (
    <Table.Tr>
      <Table.Td>
        <span className={classes.type}>{type}</span>
        <span className={classes.line}>
          <Trans i18nKey="webhooks.log.last" components={{ time: <Time iso={at} isListed /> }} />
        </span>
      </Table.Td>
      <Table.Td className={rowClasses.whole}>
        <div className={classes.result}>
          {t(`webhooks.log.statuses.${status}`)}
          <span className={classes.line}>
            {error !== null
              ? failure(lastAttempt)
              : lastAttempt.status !== null && t('webhooks.log.answered', { status: lastAttempt.status, milliseconds })}
          </span>
        </div>
      </Table.Td>
      <Table.Td className={`${rowClasses.secondary} ${rowClasses.whole}`}>
        {t('webhooks.log.attempts', { count: attempts })}
        {nextAt !== null && (
          <span className={classes.line}>
            <Trans i18nKey="webhooks.log.next" components={{ time: <Time iso={nextAt} isListed /> }} />
          </span>
        )}
      </Table.Td>
      {again && (
        <Table.Td>
          <Button variant="default" size="xs" aria-label={t('webhooks.log.againNamed', { type })} onClick={again}>
            {t('webhooks.log.again')}
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  )
}
