/** The filters of a log in the address, so that "back" works and a link can be shared. */
import { isId } from '../api/ids.ts'
import { addDays, dayAt, isDay, timesOf } from './days.ts'
import { type AuditQuery, actionsOf, isKind, type Kind } from './kinds.ts'

/** The ranges in days that the filter offers. */
export const spans = [1, 7, 30] as const
type Span = (typeof spans)[number]

export interface ActivitySearch {
  /** Separated by commas. */
  readonly kinds?: string
  /** A number of days, including today. */
  readonly last?: Span
  /** The first and the last day. */
  readonly from?: string
  readonly to?: string
  /** The id of an organization, in a log of several. */
  readonly organization?: string
}

/** Reads the filters from an address, and ignores invalid ones. */
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

/** The filters as parameters of the API. */
export function toQuery(search: ActivitySearch, timeZone: string | undefined): LogQuery {
  const { last, from, to, organization } = search
  const today = dayAt(new Date(), timeZone)
  const first = last === undefined ? from : addDays(today, 1 - last)
  return {
    ...actionsOf(kindsOf(search)),
    ...timesOf({ from: first, to }, timeZone),
    ...(organization !== undefined && { organizationId: organization }),
  }
}
