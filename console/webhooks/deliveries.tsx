/** What a webhook sent, and what its server has not taken; sending some of it again. */
import { Button, NativeSelect, Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { Confirm } from '../parts/confirm.tsx'
import { More } from '../parts/endless.tsx'
import { Filters } from '../parts/filters.tsx'
import { ActionsHead, RowTable } from '../parts/rows.tsx'
import { Empty, Loading, LoadingOrFailed } from '../parts/states.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { useOnce } from './once.ts'
import { useIsPaused } from './status.tsx'
import { type Delivery, deliveriesKey, explain, useDeliveries, type Webhook, type WebhookList } from './webhook.ts'
import classes from './webhooks.module.css'

interface DeliveriesProps {
  readonly list: WebhookList
  readonly webhook: Webhook
  readonly mayRetry: boolean
  /** Shows what becomes of the events that are sent. */
  readonly watch: () => void
}

const statuses = ['delivered', 'retrying', 'failed'] as const satisfies readonly Delivery['status'][]

export function Deliveries({ list, webhook, mayRetry, watch }: DeliveriesProps) {
  const { t } = useTranslation()
  const { id } = webhook
  const isSending = !useIsPaused(list.orgId !== undefined) && webhook.status === 'active'
  const [status, setStatus] = useState<Delivery['status']>()
  const { query, items } = useDeliveries(list, id, status === undefined ? {} : { status })
  const failed = useDeliveries(list, id, { status: 'failed' }) // on this page of the log, or a later one
  const hasFailed = failed.query.data === undefined || failed.items.length > 0 // unknown if it cannot be read
  const [repeated, setRepeated] = useState<Delivery>()
  const [isRepeating, repeating] = useDisclosure()
  /** @param delivery undefined: all that failed */
  const send = (delivery: Delivery | undefined) =>
    list.retry(id, delivery ? { sequences: [delivery.sequence] } : {}).catch(explain)
  /** @returns when the log is read again */
  const say = (retried: number): Promise<void> => {
    watch()
    notifications.show({ message: t('webhooks.log.retried', { count: retried }) })
    void queries.invalidateQueries({ queryKey: list.logKey })
    return queries.invalidateQueries({ queryKey: list.queryKey })
  }
  const retry = async (delivery?: Delivery) => say((await send(delivery)).retried)
  const [retryAllFailed, isRetryingAll] = useOnce(retry)
  const repeat = (delivery: Delivery) => {
    setRepeated(delivery)
    repeating.open()
  }
  const isEmpty = query.isSuccess && items.length === 0
  if (!failed.query.isFetched) return <Loading rows={4} /> // the button for them would move the log
  return (
    <>
      <Filters
        least={1}
        className={classes.toolbar}
        query={query}
        rows={items.length}
        filters={{ status }}
        beside={
          <>
            <Button
              variant="default"
              loading={query.isRefetching}
              onClick={() => queries.invalidateQueries({ queryKey: deliveriesKey(list, id) })}
            >
              {t('webhooks.log.refresh')}
            </Button>
            {mayRetry && hasFailed && (
              <Button variant="default" loading={isRetryingAll} onClick={retryAllFailed}>
                {t('webhooks.log.allFailed')}
              </Button>
            )}
          </>
        }
      >
        <NativeSelect
          label={t('webhooks.log.status')}
          value={status ?? ''}
          onChange={({ currentTarget: { value } }) => setStatus(statuses.find((each) => each === value))}
          data={[
            { value: '', label: t('webhooks.log.anyStatus') },
            ...statuses.map((each) => ({ value: each, label: t(`webhooks.log.statuses.${each}`) })),
          ]}
        />
      </Filters>
      {!query.isSuccess && items.length === 0 ? (
        <LoadingOrFailed query={query} rows={4} />
      ) : isEmpty ? (
        status === undefined ? (
          <Empty title={t('webhooks.log.none')}>{t('webhooks.log.noneLead')}</Empty>
        ) : (
          <Empty title={t('webhooks.log.nothing')} />
        )
      ) : (
        <RowTable
          label={t('webhooks.log.title')}
          isBusy={query.isPlaceholderData}
          className={classes.log}
          heads={
            <>
              <Table.Th>{t('webhooks.log.columns.event')}</Table.Th>
              <Table.Th>{t('webhooks.log.columns.result')}</Table.Th>
              {mayRetry && <ActionsHead>{t('webhooks.log.actions')}</ActionsHead>}
            </>
          }
        >
          {items.map((delivery) => (
            <DeliveryRow
              key={delivery.sequence}
              delivery={delivery}
              isSending={isSending}
              again={
                mayRetry
                  ? {
                      retry: () => retry(delivery),
                      repeat: () => repeat(delivery),
                      isSent: isRetryingAll && delivery.status === 'failed',
                    }
                  : undefined
              }
            />
          ))}
        </RowTable>
      )}
      <More query={query} />
      {repeated && (
        <Confirm
          title={t('webhooks.log.repeating.title', { type: repeated.type })}
          submit={t('webhooks.log.repeating.submit')}
          isGiving
          isOpen={isRepeating}
          onClose={repeating.close}
          act={() => send(repeated)}
          onDone={() => say(1)}
        >
          {t('webhooks.log.repeating.lead')}
        </Confirm>
      )}
    </>
  )
}
