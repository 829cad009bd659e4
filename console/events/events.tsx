/** The feed of the tenant: its events in their exact order, from a day on, each with its JSON. */
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Trans, useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { DayField } from '../audit/day-field.tsx'
import { dayAt, startOfDay } from '../audit/days.ts'
import { CopyText } from '../parts/copy-text.tsx'
import { More } from '../parts/endless.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time, useReader } from '../parts/time.tsx'
import { eventTypesIn } from '../webhooks/event-types.ts'
import { TypesField } from '../webhooks/types-field.tsx'
import classes from './events.module.css'
import type { EventSearch } from './search.ts'
import '../texts/webhooks.ts'

type Event = Schemas['Event']

export function EventsPage() {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const search = useSearch({ from: '/inside/admin/events' })
  const navigate = useNavigate()
  const change = (next: EventSearch) => navigate({ to: '/admin/events', search: next, resetScroll: false })
  const types = eventTypesIn(search.types?.split(',') ?? [])
  const { from } = search
  const choose = ({ types: chosen, from: day }: { types: readonly string[]; from: string | undefined }) =>
    change({ ...(chosen.length > 0 && { types: chosen.join() }), ...(day !== undefined && { from: day }) })
  const query = useFeed({
    ...(types.length > 0 && { types }),
    ...(from !== undefined && { from: startOfDay(from, timeZone).toISOString() }),
  })
  const events = query.data?.pages.flatMap(({ data }) => data) ?? []
  const isFiltered = types.length > 0 || from !== undefined
  return (
    <Page title={t('webhooks.events.title')} lead={t('webhooks.events.lead')} width="wide">
      <search className={classes.filters}>
        <TypesField
          className={classes.types}
          label={t('webhooks.events.types')}
          isOfOrganization={false}
          value={types}
          onChange={(chosen) => choose({ types: chosen, from })}
        />
        <DayField
          label={t('webhooks.events.from')}
          max={dayAt(new Date(), timeZone)}
          value={from}
          onChange={(day) => choose({ types, from: day })}
        />
        {isFiltered && (
          <Button variant="subtle" color="gray" onClick={() => change({})}>
            {t('webhooks.events.clear')}
          </Button>
        )}
      </search>
      {query.isPending ? (
        <Loading rows={8} />
      ) : query.isError && events.length === 0 ? (
        isRefusal(query.error, 'events_expired') ? (
          <Expired earliest={query.error.problem.earliest} onShow={() => choose({ types, from: undefined })} />
        ) : (
          <Failed error={query.error} retry={query.refetch} />
        )
      ) : events.length === 0 ? (
        <Empty title={t(isFiltered ? 'webhooks.events.nothing' : 'webhooks.events.none')}>
          {t(isFiltered ? 'webhooks.events.nothingLead' : 'webhooks.events.noneLead')}
        </Empty>
      ) : (
        <ol className={classes.events} aria-label={t('webhooks.events.table')} aria-busy={query.isPlaceholderData}>
          {events.map((event) => (
            <EventItem key={event.id} event={event} />
          ))}
        </ol>
      )}
      <More query={query} />
    </Page>
  )
}

interface Filters {
  readonly types?: ReturnType<typeof eventTypesIn>
  readonly from?: string
}

/** The feed, page by page. Events that come later are not waited for. */
function useFeed({ types, from }: Filters) {
  return useInfiniteQuery({
    queryKey: ['admin', 'events', { types, from }],
    queryFn: ({ pageParam }) => {
      const place = pageParam === undefined ? (from !== undefined ? { from } : {}) : { after: String(pageParam) }
      return ask(api.GET('/api/admin/events', { params: { query: { limit: 50, ...(types && { types }), ...place } } }))
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ hasMore, nextAfter }) => (hasMore ? nextAfter : undefined),
    placeholderData: (before) => before, // while a filter changes, the last list stays
  })
}

interface ExpiredProps {
  /** The sequence of the oldest event that there may be. */
  readonly earliest: number | undefined
  readonly onShow: () => void
}

function Expired({ earliest, onShow }: ExpiredProps) {
  const { t } = useTranslation()
  return (
    <Empty
      title={t('webhooks.events.expired')}
      action={
        <Button variant="default" onClick={onShow}>
          {t('webhooks.events.toEarliest')}
        </Button>
      }
    >
      {earliest !== undefined && (
        <Trans
          i18nKey="webhooks.events.expiredLead"
          // Sequences follow the clock, in microseconds.
          components={{ time: <Time iso={new Date(earliest / 1000).toISOString()} /> }}
        />
      )}
    </Empty>
  )
}

function EventItem({ event }: { readonly event: Event }) {
  const { t } = useTranslation()
  const json = JSON.stringify(event, undefined, 2)
  return (
    <li>
      <details className={classes.event}>
        <summary>
          <span className={classes.type}>{event.type}</span>
          <span className={classes.time}>
            <Time iso={event.timestamp} isListed />
          </span>
        </summary>
        <pre className={classes.json}>{json}</pre>
        <CopyText text={json} label={t('general.copyNamed', { name: t('webhooks.events.json') })} />
      </details>
    </li>
  )
}
