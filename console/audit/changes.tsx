/** The details of an entry: the old and new value of each field, the things that it names, the sessions that it ended. */
import { IconArrowNarrowRight } from '@tabler/icons-react'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { isolate, partsOf } from '../parts/language.ts'
import { NameInParts } from '../parts/name-in-parts.tsx'
import { useReader } from '../parts/reader.ts'
import { WithDates } from '../parts/with-dates.tsx'
import classes from './activity.module.css'
import { changesIn } from './changed.ts'
import { listsIn, type Names, named } from './lists.ts'
import type { Entry } from './sentences.ts'
import { inWords, isNone } from './values.ts'

interface ChangesProps {
  readonly entry: Entry
  readonly names: Names
}

export function Changes({ entry: { action, details }, names }: ChangesProps) {
  const { t } = useTranslation()
  const { locale, timeZone } = useReader()
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const inTime = (iso: string) => isolate(format.format(new Date(iso)), locale)
  const worded = (field: string, value: unknown) => {
    if (field === 'expiresAt' && typeof value === 'string') return inTime(value)
    return inWords(field, field === 'scopes' && Array.isArray(value) ? value.map((key) => named(key, names)) : value)
  }
  const lists = listsIn(action, details ?? {}, inTime, names)
  const changes = changesIn(details)
  const { email, endedSessions, omittedKeys } = details ?? {}
  // If the entry is about the sessions themselves, its sentence says how many.
  const ended = typeof endedSessions === 'number' && action !== 'session.revoked' ? endedSessions : 0
  const omitted = typeof omittedKeys === 'number' ? omittedKeys : 0
  const isEmpty =
    changes.length === 0 && lists.length === 0 && typeof email !== 'string' && ended === 0 && omitted === 0
  if (isEmpty) return null
  return (
    <dl className={classes.changes}>
      {typeof email === 'string' && (
        <div className={classes.change}>
          <dt>{fieldName('email')}</dt>
          <dd>
            <NameInParts name={email} />
          </dd>
        </div>
      )}
      {lists.map(({ name, words }) => (
        <div key={name} className={classes.change}>
          <dt>{name}</dt>
          <dd>
            <Value words={words} />
          </dd>
        </div>
      ))}
      {changes.map(([field, { from, to }]) => (
        <div key={field} className={classes.change}>
          <dt>{fieldName(field)}</dt>
          <dd>
            <del className={classes.old} data-none={isNone(from)}>
              <Value words={worded(field, from)} />
            </del>
            <IconArrowNarrowRight size={14} stroke={1.6} className={classes.arrow} aria-hidden />
            <ins className={classes.new}>
              <Value words={worded(field, to)} />
            </ins>
          </dd>
        </div>
      ))}
      {omitted > 0 && (
        <div className={classes.change}>
          <dt>{t('audit.notRecorded')}</dt>
          <dd>{t('audit.keys', { count: omitted })}</dd>
        </div>
      )}
      {ended > 0 && (
        <div className={classes.change}>
          <dt>{t('audit.endedToo')}</dt>
          <dd>{t('audit.sessions', { count: ended })}</dd>
        </div>
      )}
    </dl>
  )
}

/** A long value is collapsed at first. */
function Value({ words }: { readonly words: string }) {
  const hasDates = partsOf(words).length > 1
  if (words.length <= 200) return hasDates ? <WithDates>{words}</WithDates> : <NameInParts name={words} /> // it may be an address
  return (
    <details className={classes.long}>
      <summary>
        <WithDates>{`${beginningOf(words)}…`}</WithDates>
      </summary>
      <WithDates>{words}</WithDates>
    </details>
  )
}

/** It ends before a date that it would cut. */
function beginningOf(words: string): string {
  const characters = new Intl.Segmenter().segment(words.slice(0, 2000))
  return [...characters]
    .slice(0, 120)
    .map(({ segment }) => segment)
    .join('')
    .replace(/\u2068[^\u2069]*$/, '')
}

/** A field without words in the catalogue keeps the name that it has in the API. */
function fieldName(field: string): string {
  const key = `audit.fields.${field}`
  return i18next.exists(key) ? i18next.t(key as 'audit.fields.name') : field // it exists
}
