/** Times in the reader's zone and language: how long ago, with the exact one on hover, and on focus where it is a fact of a page. */
import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callerQuery } from '../users/me.ts'

/** The language and zone that the reader chose, else the browser's. */
export function useReader(): { readonly locale: string | undefined; readonly timeZone: string | undefined } {
  const { data } = useQuery({ ...callerQuery, enabled: false })
  return { locale: data?.locale ?? undefined, timeZone: data?.timeZone ?? undefined }
}

interface TimeProps {
  /** RFC 3339 */
  readonly iso: string
  /** How long ago it was, or, where the day is known already, what the clock showed. */
  readonly as?: 'ago' | 'clock'
  /** In a list, where each row has one, the Tab key passes over it. Elsewhere the exact time can be had without a mouse. */
  readonly isListed?: boolean
}

export function Time({ iso, as = 'ago', isListed = false }: TimeProps) {
  const { locale, timeZone } = useReader()
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long', timeZone }).format(
    new Date(iso),
  )
  return (
    <Tooltip label={exact}>
      <time dateTime={iso} tabIndex={isListed ? undefined : 0}>
        {as === 'clock'
          ? new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(new Date(iso))
          : ago(new Date(iso), locale, timeZone)}
      </time>
    </Tooltip>
  )
}

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** "3 hours ago", "in 5 days"; further away than a week, the date. */
function ago(time: Date, locale?: string, timeZone?: string, now = Date.now()): string {
  const seconds = (time.getTime() - now) / 1000
  if (Math.abs(seconds) > 7 * 86_400)
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }).format(time)
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  // What is to come in 6 days and 23 hours comes in 7 days.
  const whole = seconds > 0 ? Math.round : Math.trunc
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return relative.format(whole(seconds / length), unit)
  }
  return relative.format(0, 'second')
}
