/**
 * Ends of memberships and roles. A date field has a day, and the API a moment: the last second of that day in the reader's time zone.
 */
import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addDays, dayAt, startOfDay } from '../audit/days.ts'
import { useReader } from '../parts/time.tsx'

/** The day of a moment, as a date field has it; empty without one. */
export function toDay(iso: string | null, timeZone: string | undefined): string {
  return iso === null ? '' : dayAt(new Date(iso), timeZone)
}

/** The end of a day. @param known moments that stand for their days: the present end, and the latest that the user can give */
export function toEnd(day: string, known: readonly (string | null)[], timeZone: string | undefined): string | null {
  if (day === '') return null
  const same = known.find((moment) => moment !== null && toDay(moment, timeZone) === day)
  if (same !== undefined) return same
  return new Date(startOfDay(addDays(day, 1), timeZone).getTime() - 1000).toISOString()
}

/** The earliest day of an end. */
export function useTomorrow(): string {
  const { timeZone } = useReader()
  return addDays(dayAt(new Date(), timeZone), 1)
}

/** @returns a function that writes the day of an end: "31 Jan", and the year unless it is this one */
export function useEndDate(month: 'short' | 'long' = 'short'): (iso: string) => string {
  const { locale, timeZone } = useReader()
  const yearOf = (time: Date) => dayAt(time, timeZone).slice(0, 4)
  return (iso) => {
    const year = yearOf(new Date(iso)) === yearOf(new Date()) ? undefined : 'numeric'
    return new Intl.DateTimeFormat(locale, { day: 'numeric', month, year, timeZone }).format(new Date(iso))
  }
}

export function Ends({ at }: { readonly at: string }) {
  const { t } = useTranslation()
  const dateOf = useEndDate()
  return <Badge color="gray">{t('organizations.access.ends', { date: dateOf(at) })}</Badge>
}
