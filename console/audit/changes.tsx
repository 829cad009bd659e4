/** What changed: the old and the new value of each field that the entry tells of, the address that it is about, and what it ended. */
import { IconArrowNarrowRight } from '@tabler/icons-react'
import i18next, { type TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import classes from './activity.module.css'
import type { Entry } from './sentences.ts'

export function Changes({ entry: { action, details } }: { readonly entry: Entry }) {
  const { t } = useTranslation()
  const changes = Object.entries(details ?? {}).filter(isChange)
  const { email, endedSessions } = details ?? {}
  // Where the entry is about the sessions themselves, its sentence says how many.
  const ended = typeof endedSessions === 'number' && action !== 'session.revoked' ? endedSessions : 0
  if (changes.length === 0 && typeof email !== 'string' && ended === 0) return null
  return (
    <dl className={classes.changes}>
      {typeof email === 'string' && (
        <div className={classes.change}>
          <dt>{fieldName('email')}</dt>
          <dd>{email}</dd>
        </div>
      )}
      {changes.map(([field, { from, to }]) => (
        <div key={field} className={classes.change}>
          <dt>{fieldName(field)}</dt>
          <dd>
            <del className={classes.old} data-none={isNone(from)}>
              {show(t, field, from)}
            </del>
            <IconArrowNarrowRight size={14} stroke={1.6} className={classes.arrow} aria-hidden />
            <ins className={classes.new}>{show(t, field, to)}</ins>
          </dd>
        </div>
      ))}
      {ended > 0 && (
        <div className={classes.change}>
          <dt>{t('audit.endedToo')}</dt>
          <dd>{t('audit.sessions', { count: ended })}</dd>
        </div>
      )}
    </dl>
  )
}

type Change = readonly [string, { readonly from: unknown; readonly to: unknown }]

function isChange(entry: [string, unknown]): entry is Change & [string, { from: unknown; to: unknown }] {
  const [, value] = entry
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value
}

function isNone(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

/** A field that the catalogue does not know is called as in the API. */
function fieldName(field: string): string {
  const key = `audit.fields.${field}`
  return i18next.exists(key) ? i18next.t(key as 'audit.fields.name') : field // it exists
}

function show(t: TFunction, field: string, value: unknown): string {
  if (isNone(value)) return t('audit.values.none')
  if (typeof value === 'boolean') return value ? t('audit.values.yes') : t('audit.values.no')
  if (typeof value === 'number' && field.endsWith('Seconds')) return duration(t, value)
  if (typeof value === 'string' && (field === 'role' || field === 'signUp')) {
    const key = `audit.values.${value}`
    return i18next.exists(key) ? i18next.t(key as 'audit.values.none') : value // it exists
  }
  if (Array.isArray(value)) return value.map((each) => show(t, '', each)).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function duration(t: TFunction, seconds: number): string {
  if (seconds % 86_400 === 0) return t('audit.values.days', { count: seconds / 86_400 })
  if (seconds % 3_600 === 0) return t('audit.values.hours', { count: seconds / 3_600 })
  return t('audit.values.minutes', { count: Math.round(seconds / 60) })
}
