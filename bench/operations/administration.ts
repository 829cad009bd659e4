/** Administration: a tenant's users, fifty at a time, as its admins browse them. */

import { createHash } from 'node:crypto'
import { User } from '../../src/domain/people/users.ts'
import { Page } from '../../src/platform/http/schemas.ts'
import { admins } from '../population.ts'
import { type Bare, type Operation, type Place, session, toPage, userColumns } from './operation.ts'

const asker = (i: number) => 1 + (i % admins)
const isAdmin = `exists (
  select from sessions s
  join users a on a.tenant_id = $1 and a.id = s.user_id and a.role = 'admin' and a.status = 'active'
  where ${session})`

const columns = { createdAt: 'u.created_at', email: 'u.email', name: 'u.name_key' }
type Column = keyof typeof columns

interface Variant {
  readonly name: string
  readonly column: Column
  readonly isDescending: boolean
  /** The service's query. */
  query(i: number, place: Place): Record<string, string>
  /** better-auth's query, besides order and size. */
  other?(i: number, place: Place): Record<string, string>
  /** Further conditions, from `$3` on. */
  readonly condition?: string
  readonly values?: Bare['values']
  readonly numbered?: Bare['numbered']
  /** The callers; by default all admins in turn. */
  readonly user?: number
}

function listing({
  name,
  column,
  isDescending,
  query,
  other,
  condition = '',
  values,
  numbered,
  user,
}: Variant): Operation {
  const direction = isDescending ? 'desc' : 'asc'
  return {
    name,
    kind: 'administration',
    isOnce: false,
    status: 200,
    callers: () => [1, admins],
    ask: (i, place) => ({
      method: 'GET',
      path: `/api/admin/users?${new URLSearchParams(query(i, place))}`,
      user: user ?? asker(i),
    }),
    askOther: (i, place) => {
      const order = { limit: '50', sortBy: column, sortDirection: direction }
      const path = `/api/auth/admin/list-users?${new URLSearchParams({ ...order, ...other?.(i, place) })}`
      return { method: 'GET', path, user: user ?? asker(i) }
    },
    bare: {
      url: '/api/admin/users',
      schema: Page(User),
      statement: () => `
        select ${userColumns},
          (select x.external_id from external_users x where x.tenant_id = $1 and x.user_id = u.id limit 1) as "externalId"
        from (
          select * from users u
          where u.tenant_id = $1 and ${isAdmin} ${condition}
          order by ${columns[column]} ${direction}, u.id ${direction}
          limit 51) u
        order by ${columns[column]} ${direction}, u.id ${direction}`,
      values: values ?? (() => []),
      answer: (rows) => toPage(rows),
      caller: () => String(user ?? `1 + :i::int % ${admins}`),
      numbered: numbered ?? (() => []),
    },
  }
}

/** Three letters with which some addresses begin. */
const prefix = (i: number) =>
  createHash('md5')
    .update(String(i % 256))
    .digest('hex')
    .slice(0, 3)
const prefixSql = `substr(md5((:i::int % 256)::text), 1, 3)`
const beyond = '\u{10ffff}'

const sorts = (['createdAt', 'email', '-email', 'name', '-name'] as const).map((sort) =>
  listing({
    name: `users by ${sort}`,
    column: sort.replace('-', '') as Column, // it is one of the three columns
    isDescending: sort.startsWith('-'),
    query: () => ({ sort }),
  }),
)

export const administration: readonly Operation[] = [
  listing({ name: 'users, first page', column: 'createdAt', isDescending: true, query: () => ({}) }),
  listing({
    name: 'users, page 1,000',
    column: 'createdAt',
    isDescending: true,
    user: 1,
    query: (_, { deep }) => ({ cursor: deep.cursor }),
    other: (_, { deep }) => ({ offset: String(deep.offset) }),
    condition: 'and (u.created_at, u.id) < ($3::timestamptz, $4)',
    values: (_, { deep }) => [deep.createdAt, deep.id],
    // pgbench would read a colon as the start of a variable.
    numbered: ({ deep }) => [`to_timestamp(${new Date(deep.createdAt).getTime() / 1000})`, `'${deep.id}'`],
  }),
  listing({
    name: 'users by prefix',
    column: 'createdAt',
    isDescending: true,
    query: (i) => ({ query: prefix(i) }),
    other: (i) => ({ searchField: 'email', searchOperator: 'starts_with', searchValue: prefix(i) }),
    condition: 'and ((u.email >= $3 and u.email < $4) or (u.name_key >= $3 and u.name_key < $4))',
    values: ({ query }) => [query.query, `${query.query}${beyond}`],
    numbered: () => [prefixSql, `${prefixSql} || '${beyond}'`],
  }),
  ...sorts,
]
