/** What of the tenant's log is shown: what any log is filtered by, and of whom it tells. */
import { isId } from '../api/ids.ts'
import { type ActivitySearch, readActivitySearch } from '../audit/search.ts'

export interface TenantActivitySearch extends ActivitySearch {
  /** Stays while other filters change; undefined takes it away. */
  readonly userId?: string | undefined
}

export function readTenantActivitySearch(search: Record<string, unknown>): TenantActivitySearch {
  const { userId } = search
  return { ...readActivitySearch(search), ...(isId('user', userId) && { userId }) }
}
