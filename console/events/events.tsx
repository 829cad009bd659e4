/** The feed of the tenant: its events, newest first, filtered, each with its place and JSON. */
import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { toQuery } from '../audit/search.ts'
import { TimeFilter } from '../audit/time-filter.tsx'
import { More } from '../parts/endless.tsx'
import { type FilteredList, Filters, optionsInPlace } from '../parts/filters.tsx'
import { isFiltered } from '../parts/found.tsx'
import { Page } from '../parts/page.tsx'
import { useReader } from '../parts/reader.ts'
import { Empty, LoadingOrFailed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
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
  const removed = query.data?.pages.at(-1)?.removed
  return (
    <Page title={t('webhooks.events.title')} lead={t('webhooks.events.lead')} width="wide">
      <EventFilters
        search={search}
        types={types}
        onChange={change}
        query={query}
        rows={events.length}
        beside={
          <Button variant="default" loading={query.isRefetching} onClick={() => query.refetch()}>
            {t('webhooks.log.refresh')}
          </Button>
        }
      />
      {!query.isSuccess && events.length === 0 ? (
        <LoadingOrFailed query={query} rows={8} />
      ) : events.length === 0 ? (
        <None search={search} hasMore={query.hasNextPage} removed={removed} />
      ) : (
        <>
          <ol className={classes.events} aria-label={t('webhooks.events.table')} aria-busy={query.isPlaceholderData}>
            {events.map((event) => (
              <EventItem key={event.id} event={event} />
            ))}
          </ol>
          {!query.hasNextPage && removed !== undefined && (
            <p className={classes.removed}>
              <Removed through={removed} />
            </p>
          )}
        </>
      )}
      <More query={query} />
      {query.data && <Following after={events[0]?.sequence ?? 'latest'} />}
    </Page>
  )
}

interface EventFiltersProps extends FilteredList {
  readonly search: EventSearch
  readonly types: ReturnType<typeof eventTypesIn>
  readonly onChange: (search: EventSearch, options?: { readonly replace: boolean }) => unknown
  readonly beside: ReactNode
}

function EventFilters({ search, types, onChange, ...row }: EventFiltersProps) {
  const { t } = useTranslation()
  const { types: _, ...ofAllTypes } = search
  const { organization: _organization, ...ofAll } = search
  const { last: _last, from: _from, to: _to, ...atAnyTime } = search
  return (
    <Filters className={classes.filters} filters={search} {...row}>
      <TypesField
        className={classes.types}
        label={t('webhooks.events.types')}
        isOfOrganization={false}
        comboboxProps={optionsInPlace}
        value={types}
        onChange={(chosen) => onChange({ ...ofAllTypes, ...(chosen.length > 0 && { types: chosen.join() }) })}
      />
      <OrganizationFilter
        value={search.organization}
        onChange={(organization) => onChange({ ...ofAll, ...(organization !== undefined && { organization }) })}
      />
      <TimeFilter search={search} onChange={(time, options) => onChange({ ...atAnyTime, ...time }, options)} />
      {isFiltered(search) && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          {t('webhooks.events.clear')}
        </Button>
      )}
    </Filters>
  )
}

/** Instead of an empty list. */
function None({
  search,
  hasMore,
  removed,
}: {
  readonly search: EventSearch
  readonly hasMore: boolean
  /** The place up to which events were removed. */
  readonly removed: number | undefined
}) {
  const { t } = useTranslation()
  const { from, to } = search
  if (hasMore) return <Empty title={t('webhooks.events.soFar')}>{t('webhooks.events.soFarLead')}</Empty>
  const isFiltered = Object.keys(search).length > 0
  const isBackwards = from !== undefined && to !== undefined && from > to
  const lead = isBackwards
    ? 'audit.backwardsLead'
    : isFiltered
      ? 'webhooks.events.nothingLead'
      : 'webhooks.events.noneLead'
  return (
    <Empty title={t(isFiltered ? 'webhooks.events.nothing' : 'webhooks.events.none')}>
      {t(lead)} {removed !== undefined && <Removed through={removed} />}
    </Empty>
  )
}

/** Says up to when events were removed. */
function Removed({ through }: { readonly through: number }) {
  return <Trans i18nKey="webhooks.events.removed" components={{ time: <Time iso={timeOf(through)} /> }} />
}
