/** What of a log is shown, as it stands in the address: so that "back" works, and a link can be shared. */
import { isId } from '../api/ids.ts'
import { addDays, dayAt, isDay, startOfDay } from './days.ts'
import { type AuditQuery, actionsOf, isKind, type Kind } from './kinds.ts'

/** How many days back one can look in one step. */
export const spans = [1, 7, 30] as const
type Span = (typeof spans)[number]

export interface ActivitySearch {
  /** A comma list. */
  readonly kinds?: string
  /** This many days, today among them. */
  readonly last?: Span
  /** The first and the last day. */
  readonly from?: string
  readonly to?: string
  /** Its id, where the log is of several. */
  readonly organization?: string
}

/** Reads it from an address; what makes no sense is left out. */
export function readActivitySearch(search: Record<string, unknown>): ActivitySearch {
  const { kinds, last, from, to, organization } = search
  const chosen = typeof kinds === 'string' ? [...new Set(kinds.split(',').filter(isKind))].join() : ''
  const span = spans.find((each) => each === last)
  return {
    ...(chosen !== '' && { kinds: chosen }),
    ...(span !== undefined && { last: span }),
    ...(span === undefined && isDay(from) && { from }),
    ...(span === undefined && isDay(to) && { to }),
    ...(isId('org', organization) && { organization }),
  }
}

export function kindsOf({ kinds }: ActivitySearch): Kind[] {
  return kinds?.split(',').filter(isKind) ?? []
}

export interface LogQuery extends AuditQuery {
  readonly organizationId?: string
}

/** The same as the API takes it. */
export function toQuery(search: ActivitySearch, timeZone: string | undefined): LogQuery {
  const { last, from, to, organization } = search
  const today = dayAt(new Date(), timeZone)
  const first = last === undefined ? from : addDays(today, 1 - last)
  return {
    ...actionsOf(kindsOf(search)),
    ...(first !== undefined && { from: startOfDay(first, timeZone).toISOString() }),
    ...(to !== undefined && { to: startOfDay(addDays(to, 1), timeZone).toISOString() }),
    ...(organization !== undefined && { organizationId: organization }),
  }
}
