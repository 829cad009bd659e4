/** Directory: every user of the tenant, for its admins. */
import { Type } from 'typebox'
import { beginExport, exportRates, type Named, selectSlugOfTenant } from '../../domain/limits/exports.ts'
import { ExternalId, externalIdOfUser } from '../../domain/people/external-ids.ts'
import { userStatuses } from '../../domain/people/fields.ts'
import { hasFactor, selectUserForAdmins, User, userColumns } from '../../domain/people/users.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import { tenantRoles } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { inOrder, type Order } from '../../platform/database/keyset.ts'
import { sendCsv, wantsCsv } from '../../platform/http/exports.ts'
import { makePage, type PageRequest, type Position, readPage, totalOf } from '../../platform/http/pagination.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import {
  addressKey,
  Email,
  Id,
  OneOf,
  Page,
  paging,
  ref,
  searchKey,
  Totals,
  totals,
} from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { csvColumns } from './user-columns.ts'

const sorts = ['createdAt', '-createdAt', 'email', '-email', 'name', '-name', 'lastActiveAt', '-lastActiveAt'] as const
const time = Type.String({ format: 'date-time', maxLength: 40 })

export async function directoryRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users',
    {
      config: {
        access: 'tenant_admin',
        scope: 'users:read',
        problems: ['invalid_cursor'],
        answersCsv: true,
        rates: exportRates,
      },
      schema: {
        operationId: 'listUsers',
        summary: 'List users',
        description: 'Every user of the tenant, for its admins. Newest first by default.',
        tags: ['Administration'],
        querystring: Type.Object(
          {
            ...paging,
            ...totals,
            query: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 254,
                description: 'The beginning of the email address or the name. No wildcards.',
              }),
            ),
            email: Type.Optional(
              Type.Array(Email, {
                maxItems: 100,
                description: 'A comma-separated list: users with one of these addresses.',
              }),
            ),
            id: Type.Optional(
              Type.Array(Id('user'), {
                maxItems: 100,
                description: 'A comma-separated list: users with one of these ids.',
              }),
            ),
            status: Type.Optional(OneOf(userStatuses, { description: 'Users with this status.' })),
            role: Type.Optional(OneOf(tenantRoles, { description: 'Users with this role in the tenant.' })),
            emailVerified: Type.Optional(
              Type.Boolean({ description: 'Users whose email address is verified (true) or not (false).' }),
            ),
            hasSecondFactor: Type.Optional(
              Type.Boolean({ description: 'Users who have a second factor (true) or not (false).' }),
            ),
            organizationId: Type.Optional({ ...Id('org'), description: 'Members of the organization with this id.' }),
            createdAfter: Type.Optional({ ...time, description: 'Created at or after this time.' }),
            createdBefore: Type.Optional({ ...time, description: 'Created before this time.' }),
            lastActiveAfter: Type.Optional({ ...time, description: 'Active at or after this time.' }),
            lastActiveBefore: Type.Optional({ ...time, description: 'Last active before this time, or never.' }),
            externalId: Type.Optional({ ...ExternalId, description: 'The user with this external id.' }),
            sort: Type.Optional(
              OneOf(sorts, { default: '-createdAt', description: 'The order. `-` means descending.' }),
            ),
          },
          { additionalProperties: false, explode: false }, // lists are in one parameter as `a,b`
        ),
        response: { 200: Page(User, Totals) },
      },
    },
    async (request, reply) => {
      const { sort = '-createdAt', includeTotal = false } = request.query
      const position = (row: UserRow) => positionIn(row, sort)
      const read = async (page: PageRequest) => {
        const { caller, users, counts } = await request.readAsTenantAdmin<{
          users: UserRow
          counts?: { total: number }
        }>(({ tenant }) => {
          const chosen = statement`
            select ${userColumns}, ${externalIdOfUser(tenant)}, name_key
            from users
            where tenant_id = ${tenant} ${filterOf(tenant, request.query)}`
          return {
            users: inOrder(chosen, orderOf(sort), page.after, page.take, isFiltered(request.query)),
            ...(includeTotal && { counts: countOf(tenant, request.query) }),
          }
        })
        return { caller, rows: users, show: (row: UserRow) => row, counts }
      }
      if (wantsCsv(request)) {
        const begin = async () =>
          beginExport(
            request.context,
            'users',
            await request.readAsTenantAdmin<Named>(selectSlugOfTenant, { byKey: true }),
          )
        return sendCsv(request, reply, { columns: csvColumns, begin, read, position })
      }
      const page = readPage(request)
      const { caller, rows, counts } = await read(page)
      const { data, nextCursor } = makePage(request, reply, caller.id, page, rows, position)
      return { data, nextCursor, ...totalOf(counts?.[0]) }
    },
  )

  app.get(
    '/admin/users/:userId',
    {
      config: { access: 'tenant_admin', scope: 'users:read', problems: ['not_found'] },
      schema: {
        operationId: 'getUser',
        summary: 'One user',
        description: 'Any user of the tenant, for its admins.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: { 200: ref(User) },
      },
    },
    async (request, reply) => {
      const { users } = await request.readAsTenantAdmin<{ users: User & Versioned }>(
        ({ tenant }) => ({
          users: statement`${selectUserForAdmins(tenant)} where tenant_id = ${tenant} and id = ${request.params.userId}`,
        }),
        { byKey: true },
      )
      const [user] = users
      if (!user) throw new ApiProblem('not_found')
      return withTag(reply, user)
    },
  )
}

interface UserRow extends User {
  readonly nameKey: string | null
}

interface Filters {
  readonly query?: string
  readonly email?: readonly string[]
  readonly id?: readonly string[]
  readonly status?: string
  readonly role?: string
  readonly emailVerified?: boolean
  readonly hasSecondFactor?: boolean
  readonly organizationId?: string
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly lastActiveAfter?: string
  readonly lastActiveBefore?: string
  readonly externalId?: string
}

function isFiltered(asked: Filters & Readonly<Record<string, unknown>>): boolean {
  const { limit: _limit, cursor: _cursor, sort: _sort, includeTotal: _total, ...filters } = asked
  return Object.values(filters).some((each) => each !== undefined)
}

function filterOf(tenant: string, filters: Filters): Statement {
  const { query, status, role, emailVerified, hasSecondFactor, organizationId, createdAfter, createdBefore } = filters
  const { email, id, lastActiveAfter, lastActiveBefore, externalId } = filters
  return statement`
    ${
      query === undefined
        ? empty
        : statement`and (${beginsWith(statement`email`, addressKey(query))}
            or ${beginsWith(statement`name_key`, searchKey(query))})`
    }
    ${email ? statement`and email = any(${email.map(addressKey)})` : empty}
    ${id ? statement`and id = any(${id})` : empty}
    ${status ? statement`and status = ${status}` : empty}
    ${role ? statement`and role = ${role}` : empty}
    ${emailVerified === undefined ? empty : statement`and email_verified = ${emailVerified}`}
    ${hasSecondFactor === undefined ? empty : statement`and ${hasFactor(statement`users`)} = ${hasSecondFactor}`}
    ${
      organizationId
        ? statement`
          and id in (
            select m.user_id
            from memberships m
            where m.tenant_id = ${tenant} and m.organization_id = ${organizationId} and ${isCurrent})`
        : empty
    }
    ${createdAfter ? statement`and created_at >= ${createdAfter}::timestamptz` : empty}
    ${createdBefore ? statement`and created_at < ${createdBefore}::timestamptz` : empty}
    ${lastActiveAfter ? statement`and last_active_at >= ${lastActiveAfter}::timestamptz` : empty}
    ${lastActiveBefore ? statement`and (last_active_at is null or last_active_at < ${lastActiveBefore}::timestamptz)` : empty}
    ${
      externalId
        ? statement`
          and id = (select user_id from external_users where tenant_id = ${tenant} and external_id = ${externalId})`
        : empty
    }`
}

/** A range, which the column's index serves however the statement is planned. U+10FFFF is in no text that people write. */
function beginsWith(column: Statement, key: string): Statement {
  return statement`${column} >= ${key} and ${column} < ${`${key}\u{10ffff}`}`
}

/**
 * Counts to 10,001. The order makes an index the cheapest way, of which no more is read than is counted; of an organization the
 * members are read, and each looked up: `offset 0` keeps that from becoming a join, which would read all users of the tenant.
 */
function countOf(tenant: string, { organizationId, ...filters }: Filters): Statement {
  const users = statement`from users where tenant_id = ${tenant} ${filterOf(tenant, filters)}`
  const counted = organizationId
    ? statement`
        from memberships m
        where m.tenant_id = ${tenant} and m.organization_id = ${organizationId}
          and ${isCurrent} and exists (select ${users} and id = m.user_id offset 0)`
    : statement`${users} order by created_at, id`
  return statement`select count(*) as total from (select ${counted} limit 10001) counted`
}

function orderOf(sort: (typeof sorts)[number]): Order {
  const common = { id: statement`id`, descending: sort.startsWith('-') }
  if (sort.endsWith('name')) return { ...common, column: statement`name_key`, nullableAs: statement`name_key` }
  if (sort.endsWith('lastActiveAt'))
    return { ...common, column: statement`last_active_at`, nullableAs: statement`last_active_at` }
  return { ...common, column: sort.endsWith('email') ? statement`email` : statement`created_at` }
}

function positionIn(row: UserRow, sort: (typeof sorts)[number]): Position {
  if (sort.endsWith('name')) return [row.nameKey, row.id]
  if (sort.endsWith('lastActiveAt')) return [row.lastActiveAt, row.id]
  return [sort.endsWith('email') ? row.email : row.createdAt, row.id]
}
