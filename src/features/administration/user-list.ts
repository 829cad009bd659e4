/** The list of the tenant’s users: its filters, its orders, and its statements. */
import { type Static, Type } from 'typebox'
import { ExternalId, externalIdOfUser } from '../../domain/people/external-ids.ts'
import { userStatuses } from '../../domain/people/fields.ts'
import { hasFactor, type User, userColumns } from '../../domain/people/users.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import { tenantRoles } from '../../domain/permissions/roles.ts'
import {
  conditionsOf,
  countByWords,
  foundInKeptOrder,
  type KeptOrder,
  mostBeforeWords,
  mostInOrder,
  PeopleQuery,
  type Search,
  searchedUsers,
} from '../../domain/search/search.ts'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { inOrder, nextInOrder, type Order, sorted } from '../../platform/database/keyset.ts'
import type { PageRequest, Position } from '../../platform/http/pagination.ts'
import { addressKey, Email, Id, OneOf, paging, Timestamp, totals } from '../../platform/http/schemas.ts'

const sorts = ['createdAt', '-createdAt', 'email', '-email', 'name', '-name', 'lastActiveAt', '-lastActiveAt'] as const

/** What the list can be asked for. */
export type UserQuery = Static<typeof UserQuery>
export const UserQuery = Type.Object(
  {
    ...paging,
    ...totals,
    query: PeopleQuery,
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
    createdAfter: Type.Optional({ ...Timestamp, description: 'Created at or after this time.' }),
    createdBefore: Type.Optional({ ...Timestamp, description: 'Created before this time.' }),
    lastActiveAfter: Type.Optional({ ...Timestamp, description: 'Active at or after this time.' }),
    lastActiveBefore: Type.Optional({ ...Timestamp, description: 'Last active before this time, or never.' }),
    externalId: Type.Optional({ ...ExternalId, description: 'The user with this external id.' }),
    sort: Type.Optional(OneOf(sorts, { default: '-createdAt', description: 'The order. `-` means descending.' })),
  },
  { additionalProperties: false, explode: false }, // lists are in one parameter as `a,b`
)

/** A user as `selectUsers` selects them. */
export interface UserRow extends User {
  readonly nameKey: string | null
}

/** A page of users. @param search how to find what the query asks for, if there is one */
export function selectUsers(tenant: string, query: UserQuery, page: PageRequest, search?: Search): Statement {
  const { after, take } = page
  const order = orderOf(query)
  const { query: _words, ...others } = query
  // Of rows with other conditions few may match, of which each would be looked up.
  const kept = search?.isFilled && !isFiltered(others) ? keptOrderOf(query) : undefined
  const filter = statement`${filterOf(tenant, query)} ${conditionsOf(searchedUsers, tenant, search)}`
  const selectFrom = (users: Statement, filter: Statement) => statement`
    select ${userColumns(tenant)}, ${externalIdOfUser(tenant)}, name_key
    from ${users} users
    where tenant_id = ${tenant} ${filter}`
  if (!search) return inOrder(selectFrom(empty, filter), order, after, take, isFiltered(query))
  const all = statement`select * from users where tenant_id = ${tenant}`
  if (search.way.kind === 'many') {
    const { column, id, descending } = order
    const isByTime = (query.sort ?? '-createdAt').endsWith('createdAt')
    const next = statement`(${nextInOrder(all, order, after, kept && !isByTime ? mostBeforeWords : mostInOrder)})`
    return nextInOrder(selectFrom(next, filter), { column, id, descending }, undefined, take)
  }
  const isKept = kept && search.way.kind === 'all'
  const next = isKept
    ? foundInKeptOrder(searchedUsers, tenant, search, kept, page, { select: all, isOfAll: true })
    : sorted(statement`${all} ${filter}`, order, after, take)
  // What is looked up for a row is looked up for the page alone.
  return sorted(selectFrom(statement`(${next})`, empty), order, undefined, take)
}

function isFiltered({
  limit: _limit,
  cursor: _cursor,
  sort: _sort,
  includeTotal: _total,
  ...filters
}: UserQuery): boolean {
  return Object.values(filters).some((each) => each !== undefined)
}

function filterOf(tenant: string, query: UserQuery): Statement {
  const { status, role, emailVerified, hasSecondFactor, organizationId, createdAfter, createdBefore } = query
  const { email, id, lastActiveAfter, lastActiveBefore, externalId } = query
  return statement`
    ${email ? statement`and email = any(${email.map(addressKey)})` : empty}
    ${id ? statement`and id = any(${id})` : empty}
    ${status ? statement`and status = ${status}` : empty}
    ${role ? statement`and role = ${role}` : empty}
    ${emailVerified === undefined ? empty : statement`and email_verified = ${emailVerified}`}
    ${hasSecondFactor === undefined ? empty : statement`and ${hasFactor(tenant, statement`users`)} = ${hasSecondFactor}`}
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

/**
 * Counts to 10,001. The order makes an index the cheapest way, of which no more is read than is counted; of an organization the
 * members are read, and each looked up: `offset 0` keeps that from becoming a join, which would read all users of the tenant.
 *
 * @param search how to find what the query asks for, if there is one
 */
export function countUsers(tenant: string, { organizationId, ...query }: UserQuery, search?: Search): Statement {
  const { query: _words, ...others } = query
  const isPlain = organizationId === undefined && !isFiltered(others)
  const byWords = search && isPlain ? countByWords(searchedUsers, tenant, search) : undefined
  if (byWords) return byWords
  const counting = search && { terms: search.terms, way: search.toCount }
  const isInOrder = counting === undefined || counting.way.kind === 'many'
  const inMembers = organizationId !== undefined && isInOrder
  const filters = inMembers || organizationId === undefined ? query : { ...query, organizationId }
  const users = statement`
    from users where tenant_id = ${tenant} ${filterOf(tenant, filters)} ${conditionsOf(searchedUsers, tenant, counting)}`
  const inOrderOfTime = isInOrder ? statement`order by created_at, id` : empty
  const counted = inMembers
    ? statement`
        from memberships m
        where m.tenant_id = ${tenant} and m.organization_id = ${organizationId}
          and ${isCurrent} and exists (select ${users} and id = m.user_id offset 0)`
    : statement`${users} ${inOrderOfTime}`
  return statement`select count(*) as total from (select ${counted} limit 10001) counted`
}

function orderOf({ sort = '-createdAt' }: UserQuery): Order {
  const common = { id: statement`id`, descending: sort.startsWith('-') }
  if (sort.endsWith('name')) return { ...common, column: statement`name_key`, nullableAs: statement`name_key` }
  if (sort.endsWith('lastActiveAt'))
    return { ...common, column: statement`last_active_at`, nullableAs: statement`last_active_at` }
  return { ...common, column: sort.endsWith('email') ? statement`email` : statement`created_at` }
}

function keptOrderOf(query: UserQuery): KeptOrder | undefined {
  return query.sort?.endsWith('lastActiveAt') ? undefined : orderOf(query)
}

/** @returns what a cursor of the list that was asked for keeps of a user */
export function positionOfUser({ sort = '-createdAt' }: UserQuery): (row: UserRow) => Position {
  return (row) => {
    if (sort.endsWith('name')) return [row.nameKey, row.id]
    if (sort.endsWith('lastActiveAt')) return [row.lastActiveAt, row.id]
    return [sort.endsWith('email') ? row.email : row.createdAt, row.id]
  }
}
