/** The filters of the feed in the address, so that "back" works and a link can be shared. */
import { type ActivitySearch, readActivitySearch } from '../audit/search.ts'

export interface EventSearch extends Omit<ActivitySearch, 'kinds'> {
  /** Separated by commas. */
  readonly types?: string
}

/** Reads the filters from an address, and ignores invalid ones. The page knows which types there are. */
export function readEventSearch({ types, ...others }: Record<string, unknown>): EventSearch {
  const { kinds: _, ...search } = readActivitySearch(others)
  return { ...(typeof types === 'string' && /^[a-z_.*,]+$/.test(types) && { types }), ...search }
}
