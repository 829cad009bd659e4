/** How long ago a time is, or how far ahead, in the reader's language. */
import { dayAt } from '../audit/days.ts'

const dayLength = 86_400

const steps = [
  ['hour', 3_600],
  ['minute', 60],
] as const

export function dateOf(time: Date, locale?: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }).format(time)
}

/**
 * "3 hours ago", "yesterday", "in 5 days", "now". More than a week away, the date. From 24 hours on, days are those of the reader's
 * calendar: 36 hours ahead is "tomorrow" or "in 2 days".
 *
 * @returns undefined if it was less than a minute ago
 */
export function ago(time: Date, locale?: string, timeZone?: string, now = Date.now()): string | undefined {
  const seconds = (time.getTime() - now) / 1000
  const distance = Math.abs(seconds)
  if (distance > 7 * dayLength) return dateOf(time, locale, timeZone)
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const days = daysFrom(new Date(now), time, timeZone)
  if (distance >= dayLength && days !== 0) return relative.format(days, 'day') // 0 on the day that has 25 hours
  // Rounds the future, so that 59 minutes and 50 seconds are "in 60 minutes".
  const whole = seconds > 0 ? Math.round : Math.trunc
  for (const [unit, length] of steps) {
    if (distance >= length) return relative.format(whole(seconds / length), unit)
  }
  return seconds > 0 ? relative.format(0, 'second') : undefined
}

/** How many days of a zone's calendar one time is after another. */
function daysFrom(from: Date, to: Date, timeZone: string | undefined): number {
  return (Date.parse(dayAt(to, timeZone)) - Date.parse(dayAt(from, timeZone))) / 1000 / dayLength
}
