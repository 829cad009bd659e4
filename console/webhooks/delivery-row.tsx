/** A row of the log of a webhook: the event, what became of it, and sending it again. */
import { Badge, Button, Table } from '@mantine/core'
import { Fragment } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { timeOf } from '../events/places.ts'
import { Copyable } from '../parts/copyable.tsx'
import { useIsFuture } from '../parts/now.ts'
import { rowClasses } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { useOnce } from './once.ts'
import { useFailure } from './testing.tsx'
import type { Delivery } from './webhook.ts'
import classes from './webhooks.module.css'

const colors = { delivered: 'green', retrying: 'yellow', failed: 'red' } as const
const actions = { delivered: 'repeat', retrying: 'now', failed: 'again' } as const

interface DeliveryRowProps {
  readonly delivery: Delivery
  /** Whether the webhook sends each event at its time. If not, an event has no time of a next attempt. */
  readonly isSending: boolean
  readonly again: Again | undefined
}

interface Again {
  /** Sends an event that was not taken. Resolves when the page shows it. */
  readonly retry: () => Promise<unknown>
  /** Asks before a delivered event is sent once more. */
  readonly repeat: () => void
  /** Whether it is being sent with all that failed. */
  readonly isSent: boolean
}

export function DeliveryRow({ delivery, isSending, again }: DeliveryRowProps) {
  const { t } = useTranslation()
  const { status, attempts, lastAttempt, nextAt } = delivery
  const { at, milliseconds } = lastAttempt
  const failure = useFailure()(lastAttempt)
  const isFuture = useIsFuture()
  return (
    <Table.Tr>
      <Table.Td className={rowClasses.whole}>
        <EventOf delivery={delivery} advice={failure?.advice} />
        <span className={classes.line}>
          <Trans i18nKey="webhooks.log.last" count={attempts} components={{ time: <Time iso={at} isListed /> }} />
        </span>
      </Table.Td>
      <Table.Td className={rowClasses.whole}>
        <Badge color={colors[status]} className={classes.status}>
          {t(`webhooks.log.statuses.${status}`)}
        </Badge>
        <span className={classes.line}>
          {failure
            ? failure.what
            : lastAttempt.status !== null && t('webhooks.log.answered', { status: lastAttempt.status, milliseconds })}
        </span>
        {status === 'retrying' && isSending && (
          <span className={classes.line}>
            {nextAt !== null && isFuture(nextAt) ? (
              <Trans i18nKey="webhooks.log.next" components={{ time: <Time iso={nextAt} isListed /> }} />
            ) : (
              t('webhooks.log.soon')
            )}
          </span>
        )}
      </Table.Td>
      {again && (
        <Table.Td className={classes.again}>
          <AgainButton delivery={delivery} {...again} />
        </Table.Td>
      )}
    </Table.Tr>
  )
}

function AgainButton({
  delivery: { type, status },
  retry,
  repeat,
  isSent,
}: Again & Pick<DeliveryRowProps, 'delivery'>) {
  const { t } = useTranslation()
  const [start, isBusy] = useOnce(retry)
  const isDelivered = status === 'delivered'
  return (
    <Button
      variant={isDelivered ? 'subtle' : 'default'}
      {...(isDelivered && { color: 'gray' })}
      size="xs"
      loading={isBusy || isSent}
      aria-label={t(`webhooks.log.${actions[status]}Named`, { type })}
      onClick={isDelivered ? repeat : isSent ? undefined : start}
    >
      {t(`webhooks.log.${actions[status]}`)}
    </Button>
  )
}

interface EventOfProps extends Pick<DeliveryRowProps, 'delivery'> {
  readonly advice: string | undefined
}

/** The type of the event, and its place; opened, what to do if it failed, and what names it in the log of the receiver. */
function EventOf({ delivery: { type, sequence, eventId }, advice }: EventOfProps) {
  const { t } = useTranslation()
  return (
    <details className={classes.delivery}>
      <summary>
        <TypeName type={type} />
        <span className={classes.sequence}>{sequence}</span>
      </summary>
      <dl className={classes.names}>
        {advice !== undefined && (
          <>
            <dt>{t('webhooks.log.advice')}</dt>
            <dd>{advice}</dd>
          </>
        )}
        <dt>{t('webhooks.log.came')}</dt>
        <dd>
          <Time iso={timeOf(sequence)} />
        </dd>
        <dt>{t('webhooks.log.eventId')}</dt>
        <dd>
          <Copyable value={eventId} name={t('webhooks.log.eventIdNamed')} />
        </dd>
        <dt>{t('webhooks.log.sequence')}</dt>
        <dd>
          <Copyable value={String(sequence)} name={t('webhooks.log.sequenceNamed')} />
        </dd>
      </dl>
    </details>
  )
}

/** A type of events, which is wrapped after its dots and underscores alone. */
function TypeName({ type }: { readonly type: string }) {
  return (
    <span className={classes.type}>
      {type.split(/(?<=[._])/).map((part, index) => (
        <Fragment key={String(index)}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  )
}
