/** Directory: every user of the tenant, for its admins. */
import { Type } from 'typebox'
import { tenantRoles } from '../access/roles.ts'
import { empty, type Statement, statement } from '../database/database.ts'
import { makePage, type Position, readPage } from '../http/pagination.ts'
import { Problem } from '../http/problems.ts'
import { Id, OneOf, Page, paging, ref, searchKey, Totals, totals } from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { selectUser, User, userColumns, userStatuses } from './users.ts'

const sorts = ['createdAt', '-createdAt', 'email', '-email', 'name', '-name'] as const
const time = Type.String({ format: 'date-time', maxLength: 40 })

export async function directoryRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users',
    {
      config: { access: 'tenant_admin', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listUsers',
        summary: 'List users',
        description: 'Every user of the tenant, for its admins; the newest first unless `sort` says otherwise.',
        tags: ['Administration'],
        querystring: Type.Object(
          {
            ...paging,
            ...totals,
            query: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 254,
                description: 'Prefix of the email address or the name, letters taken literally.',
              }),
            ),
            status: Type.Optional(OneOf(userStatuses, { description: 'Users in this state.' })),
            role: Type.Optional(OneOf(tenantRoles, { description: 'Users with this role in the tenant.' })),
            emailVerified: Type.Optional(
              Type.Boolean({ description: 'Users whose email address is verified, or is not.' }),
            ),
            organizationId: Type.Optional({ ...Id('org'), description: 'Members of the organization with this id.' }),
            createdAfter: Type.Optional({ ...time, description: 'Created at or after this time.' }),
            createdBefore: Type.Optional({ ...time, description: 'Created before this time.' }),
            sort: Type.Optional(
              OneOf(sorts, { default: '-createdAt', description: 'What they are sorted by; `-` for descending.' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: Page(User, Totals) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { sort = '-createdAt', includeTotal = false } = request.query
      const [caller, rows, counts] = await request.readAsTenantAdmin<[UserRow, { total: number }]>(({ tenant }) => {
        const chosen = statement`tenant_id = ${tenant} ${filterOf(tenant, request.query)}`
        return [
          inOrder(chosen, sort, page.after, page.take),
          ...(includeTotal
            ? [statement`select count(*) as total from (select from users where ${chosen} limit 10001) counted`]
            : []),
        ]
      })
      const { data, nextCursor } = makePage(request, reply, caller.userId, page, rows, (row) => positionIn(row, sort))
      const [counted] = includeTotal ? counts : []
      const total = counted && {
        total: Math.min(counted.total, 10_000),
        ...(counted.total > 10_000 && { totalCapped: true }),
      }
      return { data, nextCursor, ...total }
    },
  )

  app.get(
    '/admin/users/:userId',
    {
      config: { access: 'tenant_admin', problems: ['not_found'] },
      schema: {
        operationId: 'getUser',
        summary: 'One user',
        description: 'Any user of the tenant, for its admins.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: { 200: ref(User) },
      },
    },
    async (request) => {
      const [, [user]] = await request.readAsTenantAdmin<[User]>(({ tenant }) => [
        statement`${selectUser} where tenant_id = ${tenant} and id = ${request.params.userId}`,
      ])
      if (!user) throw new Problem('not_found')
      return user
    },
  )
}

interface UserRow extends User {
  readonly nameKey: string | null
}

interface Filters {
  readonly query?: string
  readonly status?: string
  readonly role?: string
  readonly emailVerified?: boolean
  readonly organizationId?: string
  readonly createdAfter?: string
  readonly createdBefore?: string
}

function filterOf(tenant: string, filters: Filters): Statement {
  const { query, status, role, emailVerified, organizationId, createdAfter, createdBefore } = filters
  const key = query === undefined ? '' : searchKey(query)
  return statement`
    ${query === undefined ? empty : statement`and (starts_with(email, ${key}) or starts_with(name_key, ${key}))`}
    ${status ? statement`and status = ${status}` : empty}
    ${role ? statement`and role = ${role}` : empty}
    ${emailVerified === undefined ? empty : statement`and email_verified = ${emailVerified}`}
    ${
      organizationId
        ? statement`and id in (select user_id from memberships where tenant_id = ${tenant} and organization_id = ${organizationId})`
        : empty
    }
    ${createdAfter ? statement`and created_at >= ${createdAfter}::timestamptz` : empty}
    ${createdBefore ? statement`and created_at < ${createdBefore}::timestamptz` : empty}`
}

/** Keyset order, nulls last in both directions. Names may be null, so people without one come as a second stretch. */
function inOrder(
  chosen: Statement,
  sort: (typeof sorts)[number],
  after: Position | undefined,
  take: number,
): Statement {
  const descending = sort.startsWith('-')
  const direction = descending ? statement`desc` : statement`asc`
  const beyond = descending ? statement`<` : statement`>`
  const select = statement`select ${userColumns}, name_key from users where ${chosen}`
  if (!sort.endsWith('name')) {
    const column = sort.endsWith('email') ? statement`email` : statement`created_at`
    return statement`
      ${select} ${after ? statement`and (${column}, id) ${beyond} (${after[0]}, ${after[1]})` : empty}
      order by ${column} ${direction}, id ${direction}
      limit ${take}`
  }
  const isPastNames = after !== undefined && after[0] === null
  const unnamed = statement`
    (${select} and name_key is null ${isPastNames ? statement`and id ${beyond} ${after[1]}` : empty}
    order by id ${direction}
    limit ${take})`
  if (isPastNames) return unnamed
  return statement`
    (${select} and name_key is not null ${after ? statement`and (name_key, id) ${beyond} (${after[0]}, ${after[1]})` : empty}
    order by name_key ${direction}, id ${direction}
    limit ${take})
    union all
    ${unnamed}
    limit ${take}`
}

function positionIn(row: UserRow, sort: (typeof sorts)[number]): Position {
  if (sort.endsWith('name')) return [row.nameKey, row.id]
  return [sort.endsWith('email') ? row.email : row.createdAt, row.id]
}
