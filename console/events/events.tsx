/** The feed of the tenant: its events in their exact order, filtered, each with its place and JSON. */
import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Trans, useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { toQuery } from '../audit/search.ts'
import { TimeFilter } from '../audit/time-filter.tsx'
import { More } from '../parts/endless.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time, useReader } from '../parts/time.tsx'
import { OrganizationFilter } from '../tenants/log-organization.tsx'
import { eventTypesIn } from '../webhooks/event-types.ts'
import { TypesField } from '../webhooks/types-field.tsx'
import { EventItem } from './event-item.tsx'
import classes from './events.module.css'
import { useFeed } from './feed.ts'
import { Following } from './following.tsx'
import { timeOf } from './places.ts'
import type { EventSearch } from './search.ts'
import '../texts/administration.ts'
import '../texts/audit.ts'
import '../texts/webhooks.ts'

export function EventsPage() {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const search = useSearch({ from: '/inside/admin/events' })
  const navigate = useNavigate()
  const change = (next: EventSearch, { replace = false } = {}) =>
    navigate({ to: '/admin/events', search: next, resetScroll: false, replace })
  const { types: words, organization, ...time } = search
  const types = eventTypesIn(words?.split(',') ?? [])
  const query = useFeed({
    ...toQuery({ ...time, ...(organization && { organization }) }, timeZone),
    ...(types.length > 0 && { types }),
  })
  const events = query.data?.pages.flatMap(({ data }) => data) ?? []
  const last = query.data?.pages.at(-1)
  return (
    <Page title={t('webhooks.events.title')} lead={t('webhooks.events.lead')} width="wide">
      <Filters search={search} types={types} onChange={change} />
      {query.isPending ? (
        <Loading rows={8} />
      ) : query.isError && events.length === 0 ? (
        isRefusal(query.error, 'events_expired') ? (
          <Expired
            earliest={query.error.problem.earliest}
            onShow={() => {
              const { last: _, from: _from, ...later } = search
              change(later)
            }}
          />
        ) : (
          <Failed error={query.error} retry={query.refetch} />
        )
      ) : events.length === 0 ? (
        <None search={search} hasMore={query.hasNextPage} />
      ) : (
        <ol className={classes.events} aria-label={t('webhooks.events.table')} aria-busy={query.isPlaceholderData}>
          {events.map((event) => (
            <EventItem key={event.id} event={event} />
          ))}
        </ol>
      )}
      <More query={query} />
      {last && <Following after={last.data.at(-1)?.sequence ?? last.nextAfter} />}
    </Page>
  )
}

interface FiltersProps {
  readonly search: EventSearch
  readonly types: ReturnType<typeof eventTypesIn>
  readonly onChange: (search: EventSearch, options?: { readonly replace: boolean }) => unknown
}

function Filters({ search, types, onChange }: FiltersProps) {
  const { t } = useTranslation()
  const { types: _, ...ofAllTypes } = search
  const { organization: _organization, ...ofAll } = search
  const { last: _last, from: _from, to: _to, ...atAnyTime } = search
  return (
    <search className={classes.filters}>
      <TypesField
        className={classes.types}
        label={t('webhooks.events.types')}
        isOfOrganization={false}
        value={types}
        onChange={(chosen) => onChange({ ...ofAllTypes, ...(chosen.length > 0 && { types: chosen.join() }) })}
      />
      <OrganizationFilter
        value={search.organization}
        onChange={(organization) => onChange({ ...ofAll, ...(organization !== undefined && { organization }) })}
      />
      <TimeFilter search={search} onChange={(time, options) => onChange({ ...atAnyTime, ...time }, options)} />
      {Object.keys(search).length > 0 && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          {t('webhooks.events.clear')}
        </Button>
      )}
    </search>
  )
}

/** Instead of an empty list. */
function None({ search, hasMore }: { readonly search: EventSearch; readonly hasMore: boolean }) {
  const { t } = useTranslation()
  const { from, to } = search
  if (hasMore) return <Empty title={t('webhooks.events.soFar')}>{t('webhooks.events.soFarLead')}</Empty>
  if (Object.keys(search).length === 0)
    return <Empty title={t('webhooks.events.none')}>{t('webhooks.events.noneLead')}</Empty>
  const isBackwards = from !== undefined && to !== undefined && from > to
  return (
    <Empty title={t('webhooks.events.nothing')}>
      {t(isBackwards ? 'audit.backwardsLead' : 'webhooks.events.nothingLead')}
    </Empty>
  )
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
        <Trans i18nKey="webhooks.events.expiredLead" components={{ time: <Time iso={timeOf(earliest)} /> }} />
      )}
    </Empty>
  )
}
