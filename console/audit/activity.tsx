/** Activity: a log as everybody reads it, newest first, by day. Every page that shows one uses this. */
import { Button } from '@mantine/core'
import {
  IconBuilding,
  IconKey,
  IconLogin2,
  IconMail,
  IconSettings,
  IconUser,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { More, useEndless } from '../parts/endless.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time, useReader } from '../parts/time.tsx'
import { useMe } from '../users/me.ts'
import classes from './activity.module.css'
import { Changes } from './changes.tsx'
import { addDays, dayAt } from './days.ts'
import { Filters, useActivitySearch } from './filters.tsx'
import { type AuditQuery, kinds as allKinds, type Kind } from './kinds.ts'
import { toQuery } from './search.ts'
import { Sentence } from './sentence.tsx'
import type { Entry } from './sentences.ts'

interface ActivityProps {
  /** Begins like the path of the log. What is filtered by is put behind it. */
  readonly queryKey: readonly unknown[]
  /** Asks the API for a page of the log. */
  readonly read: (query: AuditQuery) => Promise<{ readonly data: Entry[]; readonly nextCursor: string | null }>
  /** `of-me` speaks to the reader: "You signed in". */
  readonly speaks: 'of-me' | 'of-all'
  /** The kinds that can be in this log; all of them unless told otherwise. */
  readonly kinds?: readonly Kind[]
  /** Whether people lead to their pages, which are for tenant admins. */
  readonly linksPeople?: boolean
  /** The name of an organization that entries happened in, where the log is of several. */
  readonly nameOfOrganization?: (id: string) => string | undefined
}

export function Activity(props: ActivityProps) {
  const { queryKey, read, speaks, kinds = allKinds, linksPeople = false, nameOfOrganization } = props
  const { t } = useTranslation()
  const { id } = useMe()
  const { timeZone } = useReader()
  const [search, change] = useActivitySearch()
  const filters = toQuery(search, timeZone)
  const { query, items } = useEndless([...queryKey, filters], (cursor) =>
    read({ ...filters, ...(cursor !== undefined && { cursor }) }),
  )
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <Filters kinds={kinds} search={search} onChange={change} />
      {query.isPending ? (
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
          {isFiltered ? t('audit.nothingLead') : t('audit.emptyLead')}
        </Empty>
      ) : (
        <div aria-busy={query.isPlaceholderData} className={classes.log}>
          {byDay(items, timeZone).map(([day, entries]) => (
            <section key={day} className={classes.day}>
              <h2 className={classes.date}>
                <DayName day={day} />
              </h2>
              <ol className={classes.entries}>
                {entries.map((entry) => (
                  <li key={entry.id} className={classes.entry}>
                    <Row
                      entry={entry}
                      me={speaks === 'of-me' ? id : undefined}
                      linksPeople={linksPeople}
                      organization={entry.organizationId ? nameOfOrganization?.(entry.organizationId) : undefined}
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

interface RowProps {
  readonly entry: Entry
  readonly me: string | undefined
  readonly linksPeople: boolean
  readonly organization: string | undefined
}

function Row({ entry, me, linksPeople, organization }: RowProps) {
  const { action, target, device, ip, occurredAt } = entry
  const Icon = icons[action.replace(/\..*/, '')] ?? IconSettings
  const place = target.type === 'organization' ? undefined : organization // the sentence names it
  const origin = [place, device, ip].filter((each) => each != null)
  return (
    <>
      <span className={classes.icon}>
        <Icon size={15} stroke={1.6} aria-hidden />
      </span>
      <div className={classes.told}>
        <Sentence entry={entry} me={me} linksPeople={linksPeople} />
        <Changes entry={entry} />
        {origin.length > 0 && <p className={classes.origin}>{origin.join(' · ')}</p>}
      </div>
      <span className={classes.time}>
        <Time iso={occurredAt} as="clock" />
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
  password: IconKey,
  organization: IconBuilding,
  member: IconUsers,
}

/** "Today", "Yesterday", and the date for those before. */
function DayName({ day }: { readonly day: string }) {
  const { t } = useTranslation()
  const { locale, timeZone } = useReader()
  const today = dayAt(new Date(), timeZone)
  if (day === today) return t('audit.today')
  if (day === addDays(today, -1)) return t('audit.yesterday')
  return new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(day.slice(0, 4) !== today.slice(0, 4) && { year: 'numeric' }),
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`))
}

/** The entries of each day, in their order. */
function byDay(entries: readonly Entry[], timeZone: string | undefined): [string, Entry[]][] {
  const days = Map.groupBy(entries, ({ occurredAt }) => dayAt(new Date(occurredAt), timeZone))
  return [...days]
}
