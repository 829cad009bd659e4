/** Times in the reader's zone and language: how long ago, with the exact one on hover and focus. */
import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callerQuery } from '../users/me.ts'

/** The language and zone that the reader chose, else the browser's. */
export function useReader(): { readonly locale: string | undefined; readonly timeZone: string | undefined } {
  const { data } = useQuery({ ...callerQuery, enabled: false })
  return { locale: data?.locale ?? undefined, timeZone: data?.timeZone ?? undefined }
}

/** @param iso RFC 3339 */
export function Time({ iso }: { readonly iso: string }) {
  const { locale, timeZone } = useReader()
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long', timeZone }).format(
    new Date(iso),
  )
  return (
    <Tooltip label={exact}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time can be had without a mouse */}
      <time dateTime={iso} tabIndex={0}>
        {ago(new Date(iso), locale, timeZone)}
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
export function ago(time: Date, locale?: string, timeZone?: string, now = Date.now()): string {
  const seconds = (time.getTime() - now) / 1000
  if (Math.abs(seconds) > 7 * 86_400)
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }).format(time)
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
  }
  return relative.format(0, 'second')
}
