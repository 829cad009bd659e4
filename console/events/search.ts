/** The filters of the feed in the address, so that "back" works and a link can be shared. */
import { isDay } from '../audit/days.ts'

export interface EventSearch {
  /** Separated by commas. */
  readonly types?: string
  /** The first day. */
  readonly from?: string
}

/** Reads the filters from an address, and ignores invalid ones. The page knows which types there are. */
export function readEventSearch({ types, from }: Record<string, unknown>): EventSearch {
  return {
    ...(typeof types === 'string' && /^[a-z_.*,]+$/.test(types) && { types }),
    ...(isDay(from) && { from }),
  }
}
