/** Activity: an audit log by day, newest first. Every page with a log uses it. */
import { Button } from '@mantine/core'
import {
  IconApps,
  IconBuilding,
  IconKey,
  IconLink,
  IconLogin2,
  IconMail,
  IconSettings,
  IconShieldCheck,
  IconUser,
  IconUsers,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react'
import { type ComponentType, Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CsvButton, type CsvButtonProps } from '../parts/csv.tsx'
import { More, useEndless } from '../parts/endless.tsx'
import { langOf } from '../parts/language.ts'
import { useReader } from '../parts/reader.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useTenant } from '../tenants/tenant.ts'
import classes from './activity.module.css'
import { type Act, actsIn } from './acts.ts'
import { Changes } from './changes.tsx'
import { addDays, dayAt } from './days.ts'
import { ActivityFilters, type OrganizationFilterProps, useActivitySearch } from './filters.tsx'
import { kinds as allKinds, type Kind } from './kinds.ts'
import type { Names } from './lists.ts'
import { type LogQuery, toQuery } from './search.ts'
import { type PersonProps, Sentence } from './sentence.tsx'
import { type Entry, keyNamed } from './sentences.ts'
import '../texts/audit.ts'

interface ActivityProps {
  /** Begins like the path of the log. The filters are appended. */
  readonly queryKey: readonly unknown[]
  /** Asks the API for a page of the log. */
  readonly read: (query: LogQuery) => Promise<{ readonly data: Entry[]; readonly nextCursor: string | null }>
  /** Asks the API for the whole log with `asCsv`. */
  readonly readFile: (query: LogQuery) => ReturnType<CsvButtonProps['read']>
  /** The kinds that this log can contain; all by default. */
  readonly kinds?: readonly Kind[]
  /** Shows a person other than the reader, if the page knows more about them than the log does. */
  readonly Person?: ComponentType<PersonProps>
  /** Shows an organization, in a log of several organizations. */
  readonly nameOfOrganization?: (id: string) => ReactNode
  /** Of roles and permissions, if they are known. */
  readonly names: Names | undefined
  /** Whether these names are still read. Lines would be wrapped in another way. */
  readonly isNaming?: boolean
  /** Chooses one of them. */
  readonly Organizations?: ComponentType<OrganizationFilterProps>
}

const none: Names = new Map()

export function Activity(props: ActivityProps) {
  const {
    queryKey,
    read,
    readFile,
    kinds = allKinds,
    Person,
    nameOfOrganization,
    names = none,
    isNaming = false,
    Organizations,
  } = props
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const [{ organization, ...others }, change] = useActivitySearch()
  const search = Organizations && organization !== undefined ? { ...others, organization } : others
  const filters = toQuery(search, timeZone)
  const { query, items } = useEndless([...queryKey, filters], (cursor) =>
    read({ ...filters, ...(cursor !== undefined && { cursor }) }),
  )
  const acts = actsIn(items, query.hasNextPage)
  const isBackwards = search.from !== undefined && search.to !== undefined && search.from > search.to
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <ActivityFilters
        kinds={kinds}
        Organizations={Organizations}
        search={search}
        onChange={change}
        query={query}
        rows={items.length}
        found={isNaming ? null : acts.length}
        beside={<CsvButton read={() => readFile(filters)} />}
      />
      {query.isPending || isNaming ? (
        <Loading rows={8} />
      ) : query.isError && items.length === 0 ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : items.length === 0 ? (
        <Empty
          title={isFiltered ? t('audit.nothingTitle') : t('audit.emptyTitle')}
          action={
            isFiltered && (
              <Button variant="default" onClick={() => change({})}>
                {t('audit.clear')}
              </Button>
            )
          }
        >
          {t(isBackwards ? 'audit.backwardsLead' : isFiltered ? 'audit.nothingLead' : 'audit.emptyLead')}
        </Empty>
      ) : (
        <div aria-busy={query.isPlaceholderData} className={classes.log}>
          {byDay(acts, timeZone).map(([day, ofDay]) => (
            <section key={day} className={classes.day}>
              <h2 className={classes.date}>
                <DayName day={day} />
              </h2>
              <ol className={classes.entries}>
                {ofDay.map(({ entry, others }) => (
                  <li key={entry.id} className={classes.entry}>
                    <Row
                      entry={entry}
                      others={others}
                      names={names}
                      Person={Person}
                      organization={entry.organizationId && nameOfOrganization?.(entry.organizationId)}
                    />
                  </li>
                ))}
              </ol>
            </section>
          ))}
        </div>
      )}
      <More query={query} />
    </>
  )
}

interface RowProps extends Act {
  readonly names: Names
  readonly Person: ComponentType<PersonProps> | undefined
  readonly organization: ReactNode
}

function Row({ entry, others, names, Person, organization }: RowProps) {
  const { t } = useTranslation()
  const { action, via, application, target, device, ip, occurredAt } = entry
  const Icon = icons[action.replace(/\..*/, '')] ?? IconSettings
  const place = target.type === 'organization' ? undefined : organization // the sentence names it
  const key = via ? t('audit.byKey', { key: keyNamed(via.name) }) : undefined
  const through = application && t('audit.through', { application: application.name ?? t('audit.people.application') })
  const { name: tenant } = useTenant()
  const isByAdmin = entry.details?.via === 'admin' && entry.actor.type !== 'key'
  const role = isByAdmin ? t('audit.asAdmin', { tenant }) : undefined
  const origin = [place, role, key, through, device, ip].filter((each) => each != null)
  return (
    <>
      <span className={classes.icon}>
        <Icon size={15} stroke={1.6} aria-hidden />
      </span>
      <div className={classes.told}>
        <Sentence entry={entry} Person={Person} />
        <Changes entry={entry} names={names} />
        {others.length > 0 && (
          <ul className={classes.others}>
            {others.map((other) => (
              <li key={other.id}>
                <Sentence entry={other} Person={Person} />
                <Changes entry={other} names={names} />
              </li>
            ))}
          </ul>
        )}
        {origin.length > 0 && (
          <p className={classes.origin}>
            {origin.map((each, index) => (
              <Fragment key={String(index)}>
                {index > 0 && ' · '}
                {each}
              </Fragment>
            ))}
          </p>
        )}
      </div>
      <span className={classes.time}>
        <Time iso={occurredAt} as="clock" isListed />
      </span>
    </>
  )
}

const icons: Readonly<Record<string, TablerIcon>> = {
  session: IconLogin2,
  user: IconUser,
  profile: IconUser,
  email: IconMail,
  invitation: IconMail,
  link: IconLink,
  key: IconKey,
  application: IconApps,
  webhook: IconWebhook,
  access: IconShieldCheck,
  password: IconKey,
  organization: IconBuilding,
  member: IconUsers,
}

/** "Today", "Yesterday", and the date of earlier days. */
function DayName({ day }: { readonly day: string }) {
  const { t } = useTranslation()
  const { locale, timeZone } = useReader()
  const today = dayAt(new Date(), timeZone)
  if (day === today) return t('audit.today')
  if (day === addDays(today, -1)) return t('audit.yesterday')
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(day.slice(0, 4) !== today.slice(0, 4) && { year: 'numeric' }),
    timeZone: 'UTC',
  })
  return <span lang={langOf(locale)}>{format.format(new Date(`${day}T00:00:00Z`))}</span>
}

/** The acts of each day, in their order. */
function byDay(acts: readonly Act[], timeZone: string | undefined): [string, Act[]][] {
  const days = Map.groupBy(acts, ({ entry }) => dayAt(new Date(entry.occurredAt), timeZone))
  return [...days]
}
