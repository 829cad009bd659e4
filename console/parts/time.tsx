/**
 * Times in the reader's time zone and language: "3 hours ago" or a date, with the exact time on hover and focus. The words change while
 * the page is open.
 */
import { Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ago, dateOf } from './ago.ts'
import { langOf } from './language.ts'
import { useNow } from './now.ts'
import { type Reader, useReader } from './reader.ts'

interface TimeProps {
  /** RFC 3339 */
  readonly iso: string
  /**
   * - `ago`: how long ago it is
   * - `date`: the date of what happened once
   * - `day`: the same, but today has its time instead
   * - `clock`: the time of day, where the day is shown already
   */
  readonly as?: 'ago' | 'date' | 'day' | 'clock'
  /** In a list the Tab key skips it. Elsewhere the keyboard reaches it, and shows the exact time. */
  readonly isListed?: boolean
}

export function Time({ iso, as = 'ago', isListed = false }: TimeProps) {
  const { t } = useTranslation()
  const { locale, timeZone } = useReader()
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long', timeZone })
  const exact = format.format(new Date(iso))
  const words = shown(new Date(iso), as, { locale, timeZone }, useNow())
  const lang = langOf(locale)
  return (
    <Tooltip label={<span lang={lang}>{exact}</span>}>
      <time
        dateTime={iso}
        lang={words === undefined ? undefined : lang}
        tabIndex={isListed ? undefined : 0}
        aria-live="off" // in a region, screen readers would say each change
      >
        {words ?? t('general.justNow')}
      </time>
    </Tooltip>
  )
}

/** @returns undefined for `ago` if it was less than a minute ago */
function shown(
  time: Date,
  as: NonNullable<TimeProps['as']>,
  { locale, timeZone }: Reader,
  now: number,
): string | undefined {
  if (as === 'ago') return ago(time, locale, timeZone, now)
  const date = dateOf(time, locale, timeZone)
  const isClock = as === 'clock' || (as === 'day' && date === dateOf(new Date(now), locale, timeZone))
  return isClock ? new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(time) : date
}
