/** The tenant's log in the cache: what an admin changes is an entry in it. */
import { queries } from '../api/queries.ts'

export const tenantLogKey = ['admin', 'audit'] as const

export function readTenantLogAgain(): Promise<void> {
  return queries.invalidateQueries({ queryKey: tenantLogKey })
}
