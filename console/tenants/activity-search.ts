/** The filters of the tenant's log in the address: those of every log, and a user. */
import { isId } from '../api/ids.ts'
import { type ActivitySearch, readActivitySearch } from '../audit/search.ts'

export interface TenantActivitySearch extends ActivitySearch {
  /** It stays while other filters change; undefined removes it. */
  readonly userId?: string | undefined
}

export function readTenantActivitySearch(search: Record<string, unknown>): TenantActivitySearch {
  const { userId } = search
  return { ...readActivitySearch(search), ...(isId('user', userId) && { userId }) }
}
