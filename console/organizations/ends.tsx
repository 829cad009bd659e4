/**
 * Ends of memberships and roles. A date field has a day, and the API a moment: the last second of that day in the reader's time zone.
 */
import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addDays, dayAt, isDay, startOfDay } from '../audit/days.ts'
import { faultOfDate } from '../parts/date-field.tsx'
import { isolate } from '../parts/language.ts'
import { useReader } from '../parts/reader.ts'
import { WithDates } from '../parts/with-dates.tsx'

/** The day of a moment, as a date field has it; empty without one. */
export function toDay(iso: string | null, timeZone: string | undefined): string {
  return iso === null ? '' : dayAt(new Date(iso), timeZone)
}

/**
 * The end of a day; null for an empty field.
 *
 * @param day   as a date field has it
 * @param known moments that stand for their days: the present end, and the latest that the user can give
 * @returns     what is no day, as it is: the API refuses it, and it never means "no end"
 */
export function toEnd(day: string, known: readonly (string | null)[], timeZone: string | undefined): string | null {
  if (day === '') return null
  const same = known.find((moment) => moment !== null && toDay(moment, timeZone) === day)
  if (same !== undefined) return same
  if (!isDay(day)) return day
  return new Date(startOfDay(addDays(day, 1), timeZone).getTime() - 1000).toISOString()
}

/** The earliest day of an end. */
export function useTomorrow(): string {
  const { timeZone } = useReader()
  return addDays(dayAt(new Date(), timeZone), 1)
}

export type FaultOfEnd = (day: string, known: readonly (string | null)[]) => string | null

/** How many days ahead a membership or a role can end at the latest. */
export const mostOfMembership = 5 * 366 - 1

/**
 * @param most in days from today; undefined: there is no limit
 * @returns a function that says what is wrong with the end in a date field, in words; null if it is empty, or the day of a known moment as
 *   in `toEnd`. Whether the user can give so late an end is for the API to say.
 */
export function useFaultOfEnd(most?: number): FaultOfEnd {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const dateOf = useEndDate()
  const tomorrow = useTomorrow()
  const latest = most === undefined ? undefined : addDays(tomorrow, most - 1)
  return (day, known) => {
    const fault = faultOfDate(day)
    if (fault !== null || day === '' || known.some((moment) => toDay(moment, timeZone) === day)) return fault
    if (day >= tomorrow && (latest === undefined || day <= latest)) return null
    const date = (of: string) => dateOf(startOfDay(of, timeZone).toISOString())
    return latest === undefined
      ? t('general.date.from', { from: date(tomorrow) })
      : t('general.date.range', { from: date(tomorrow), to: date(latest) })
  }
}

/** @returns a function that writes the day of an end: "31 Jan", and the year unless it is this one. Show its sentence by `WithDates`. */
export function useEndDate(month: 'short' | 'long' = 'short'): (iso: string) => string {
  const { locale, timeZone } = useReader()
  const yearOf = (time: Date) => dayAt(time, timeZone).slice(0, 4)
  return (iso) => {
    const year = yearOf(new Date(iso)) === yearOf(new Date()) ? undefined : 'numeric'
    const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month, year, timeZone })
    return isolate(format.format(new Date(iso)), locale)
  }
}

export function Ends({ at }: { readonly at: string }) {
  const { t } = useTranslation()
  const dateOf = useEndDate()
  return (
    <Badge color="gray">
      <WithDates>{t('organizations.access.ends', { date: dateOf(at) })}</WithDates>
    </Badge>
  )
}
