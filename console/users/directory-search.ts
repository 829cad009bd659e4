/** What of the tenant's users is shown, as it stands in the address: whoever is sent the address sees the same. */
import { api, ask } from '../api/client.ts'
import { isId } from '../api/ids.ts'
import { addDays, isDay, startOfDay } from '../audit/days.ts'

export const userSorts = ['createdAt', '-createdAt', 'email', '-email', 'name', '-name'] as const
export const pageSizes = [25, 50, 100] as const

export interface UsersSearch {
  readonly query?: string
  readonly status?: 'active' | 'suspended'
  readonly role?: 'admin' | 'user'
  readonly verified?: boolean
  /** Days, like `2026-11-21`; both are meant with them. */
  readonly from?: string
  readonly to?: string
  readonly organization?: string
  readonly sort?: (typeof userSorts)[number]
  readonly limit?: (typeof pageSizes)[number]
}

/** What the address says and makes sense. An address that somebody typed wrong shows more, and no fault. */
export function readUsersSearch(search: Record<string, unknown>): UsersSearch {
  const { query, status, role, verified, from, to, organization, sort, limit } = search
  const typed = typeof query === 'string' || typeof query === 'number' ? String(query).slice(0, 254) : ''
  return {
    ...(typed !== '' && { query: typed }),
    ...choice('status', ['active', 'suspended'] as const, status),
    ...choice('role', ['admin', 'user'] as const, role),
    ...choice('verified', [true, false] as const, verified),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(isId('org', organization) && { organization }),
    ...choice('sort', userSorts, sort),
    ...choice('limit', pageSizes, limit),
  }
}

function choice<Name extends string, Value>(name: Name, values: readonly Value[], given: unknown) {
  const found = values.find((value) => value === given)
  return (found === undefined ? {} : { [name]: found }) as { [key in Name]?: Value } // its one key is the name
}

/** A page of the users; how many there are is counted with the first one alone. */
export function readUsers(search: UsersSearch, timeZone: string | undefined, cursor: string | undefined) {
  const { query, status, role, verified, from, to, organization, sort, limit } = search
  return ask(
    api.GET('/api/admin/users', {
      params: {
        query: {
          ...(query !== undefined && { query }),
          ...(status !== undefined && { status }),
          ...(role !== undefined && { role }),
          ...(verified !== undefined && { emailVerified: verified }),
          ...(from !== undefined && { createdAfter: startOfDay(from, timeZone).toISOString() }),
          ...(to !== undefined && { createdBefore: startOfDay(addDays(to, 1), timeZone).toISOString() }),
          ...(organization !== undefined && { organizationId: organization }),
          ...(sort !== undefined && { sort }),
          ...(limit !== undefined && { limit }),
          ...(cursor === undefined ? { includeTotal: true } : { cursor }),
        },
      },
    }),
  )
}

export const usersKey = ['admin', 'users'] as const
