/** The filters of the tenant's users in the address, so that a link can be shared. */
import { api, asCsv, ask } from '../api/client.ts'
import { isId } from '../api/ids.ts'
import { isDay, timesOf } from '../audit/days.ts'
import { readQuery } from '../parts/search.ts'

export const userSorts = [
  'createdAt',
  '-createdAt',
  '-lastActiveAt',
  'lastActiveAt',
  'email',
  '-email',
  'name',
  '-name',
] as const
export const pageSizes = [25, 50, 100] as const

export interface UsersSearch {
  readonly query?: string
  readonly status?: 'active' | 'suspended'
  readonly role?: 'admin' | 'user'
  readonly verified?: boolean
  readonly secondFactor?: boolean
  /** Days like `2026-11-21`, both included. */
  readonly from?: string
  readonly to?: string
  readonly organization?: string
  readonly sort?: (typeof userSorts)[number]
  readonly limit?: (typeof pageSizes)[number]
}

/** Reads the filters from an address. An invalid filter is ignored, and is no fault. */
export function readUsersSearch(search: Record<string, unknown>): UsersSearch {
  const { query, status, role, verified, secondFactor, from, to, organization, sort, limit } = search
  return {
    ...readQuery({ query }),
    ...choice('status', ['active', 'suspended'] as const, status),
    ...choice('role', ['admin', 'user'] as const, role),
    ...choice('verified', [true, false] as const, verified),
    ...choice('secondFactor', [true, false] as const, secondFactor),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(isId('org', organization) && { organization }),
    ...choice('sort', userSorts, sort),
    ...choice('limit', pageSizes, limit),
  }
}

function choice<Name extends string, Value>(name: Name, values: readonly Value[], given: unknown) {
  const found = values.find((value) => value === given)
  return (found === undefined ? {} : { [name]: found }) as { [key in Name]?: Value } // its only key is the name
}

/** Reads a page of users. Only the first page is read with the total. */
export function readUsers(search: UsersSearch, timeZone: string | undefined, cursor: string | undefined) {
  const { limit } = search
  return ask(
    api.GET('/api/admin/users', {
      params: {
        query: {
          ...toQuery(search, timeZone),
          ...(limit !== undefined && { limit }),
          ...(cursor === undefined ? { includeTotal: true } : { cursor }),
        },
      },
    }),
  )
}

/** Reads the whole list as a file. */
export function readUsersAsCsv(search: UsersSearch, timeZone: string | undefined) {
  return api.GET('/api/admin/users', { params: { query: toQuery(search, timeZone) }, ...asCsv })
}

/** The filters and the order as parameters of the API. */
function toQuery(search: UsersSearch, timeZone: string | undefined) {
  const { query, status, role, verified, secondFactor, organization, sort } = search
  const created = timesOf(search, timeZone)
  return {
    ...(query !== undefined && { query }),
    ...(status !== undefined && { status }),
    ...(role !== undefined && { role }),
    ...(verified !== undefined && { emailVerified: verified }),
    ...(secondFactor !== undefined && { hasSecondFactor: secondFactor }),
    ...(created.from !== undefined && { createdAfter: created.from }),
    ...(created.to !== undefined && { createdBefore: created.to }),
    ...(organization !== undefined && { organizationId: organization }),
    ...(sort !== undefined && { sort }),
  }
}

export const usersKey = ['admin', 'users'] as const
