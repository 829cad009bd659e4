/** Days in a time zone, written `2026-01-31`. */

const format = (timeZone: string | undefined) =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })

/** The day of a time. */
export function dayAt(time: Date, timeZone?: string): string {
  return wallClock(time, timeZone).slice(0, 10)
}

/** The day that many days later, or earlier. */
export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** When a day begins. */
export function startOfDay(day: string, timeZone?: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  let start = midnight
  // Twice, because the offset may change between the guess and the beginning of the day.
  for (let turn = 0; turn < 2; turn++) {
    const offset = Date.parse(`${wallClock(new Date(start), timeZone)}Z`) - start
    start = midnight - offset
  }
  return new Date(start)
}

/** Whether a value is a day. The address may contain anything. */
export function isDay(words: unknown): words is string {
  const isNear = typeof words === 'string' && /^(19|20|21)\d\d-\d\d-\d\d$/.test(words)
  return isNear && !Number.isNaN(Date.parse(words)) && addDays(words, 0) === words
}

function wallClock(time: Date, timeZone: string | undefined): string {
  const parts = Object.fromEntries(
    format(timeZone)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  )
  const { year, month, day, hour, minute, second } = parts
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`
}
