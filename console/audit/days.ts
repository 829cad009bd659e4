/** Days in a time zone, written `2026-01-31`. */

const dayLength = 24 * 3600 * 1000

/** By time zone: a list of entries asks for many. */
const formats = new Map<string | undefined, Intl.DateTimeFormat>()

const newFormat = (timeZone: string | undefined) =>
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

/** When a day begins: at midnight, or later where the clocks skip midnight. A midnight that comes twice is the first one. */
export function startOfDay(day: string, timeZone?: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const offsets = [midnight - dayLength, midnight + dayLength].map((near) => offsetAt(near, timeZone))
  let [earliest, latest] = [midnight - Math.max(...offsets), midnight - Math.min(...offsets)]
  const start = [earliest, latest].find((time) => time + offsetAt(time, timeZone) === midnight)
  if (start !== undefined) return new Date(start)
  while (latest - earliest > 1) {
    const middle = Math.floor((earliest + latest) / 2)
    if (dayAt(new Date(middle), timeZone) < day) earliest = middle
    else latest = middle
  }
  return new Date(latest)
}

/** The times that bound days, each if it is given: the beginning of the first one, and of the one after the last. */
export function timesOf(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  timeZone: string | undefined,
): { readonly from?: string; readonly to?: string } {
  return {
    ...(from !== undefined && { from: startOfDay(from, timeZone).toISOString() }),
    ...(to !== undefined && { to: startOfDay(addDays(to, 1), timeZone).toISOString() }),
  }
}

/** Whether a value is a day. The address may contain anything. */
export function isDay(words: unknown): words is string {
  const isNear = typeof words === 'string' && /^(19|20|21)\d\d-\d\d-\d\d$/.test(words)
  return isNear && !Number.isNaN(Date.parse(words)) && addDays(words, 0) === words
}

/** How far a zone's clocks are ahead of UTC, in milliseconds. */
function offsetAt(time: number, timeZone: string | undefined): number {
  const second = Math.floor(time / 1000) * 1000
  return Date.parse(`${wallClock(new Date(second), timeZone)}Z`) - second
}

function wallClock(time: Date, timeZone: string | undefined): string {
  const format = formats.get(timeZone) ?? newFormat(timeZone)
  formats.set(timeZone, format)
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
  const { year, month, day, hour, minute, second } = parts
  return `${year?.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`
}
