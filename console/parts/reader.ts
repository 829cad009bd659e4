/** The language and the time zone of the reader. */
import { useQuery } from '@tanstack/react-query'
import { callerQuery } from '../users/me.ts'
import { localeOf } from './language.ts'

/** How times are written for a reader. */
export interface Reader {
  /** For Intl (`localeOf`). */
  readonly locale: string
  /** Undefined means the browser's. */
  readonly timeZone: string | undefined
}

/** Those of the profile. */
export function useReader(): Reader {
  const { data } = useQuery({ ...callerQuery, enabled: false })
  const { locale, timeZone } = data ?? {}
  return { locale: localeOf(locale ?? undefined), timeZone: timeZone && isZone(timeZone) ? timeZone : undefined }
}

const zones = new Map<string, boolean>()

/** Whether this browser knows a zone. An older one may not know what the service does, such as Europe/Kyiv. */
function isZone(timeZone: string): boolean {
  const known = zones.get(timeZone)
  if (known !== undefined) return known
  try {
    zones.set(timeZone, Boolean(new Intl.DateTimeFormat('en', { timeZone })))
  } catch {
    zones.set(timeZone, false)
  }
  return zones.get(timeZone) === true
}
