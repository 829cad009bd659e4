/** The list of an organization’s members: its filters, its orders, and its statement. */
import { type Static, Type } from 'typebox'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { inOrder } from '../../platform/database/keyset.ts'
import type { PageRequest, Position } from '../../platform/http/pagination.ts'
import { Id, OneOf, paging, Timestamp } from '../../platform/http/schemas.ts'
import { hasFactor } from '../people/users.ts'
import { PermissionKey } from '../permissions/access-model.ts'
import { holds, holdsOfProduct } from '../permissions/held.ts'
import { isPermission } from '../permissions/permissions.ts'
import { Role } from '../permissions/roles.ts'
import {
  idsIn,
  matching,
  measureTerms,
  type Size,
  searchedUsers,
  type Way,
  wayInPart,
  wordsOfPeople,
} from '../search/search.ts'
import { readQuery, type Term } from '../search/words.ts'
import { type MemberRow, membershipStatuses, selectMembers } from './members.ts'

const columns = ['joinedAt', 'name', 'email', 'lastActiveAt', 'expiresAt'] as const
type Column = (typeof columns)[number]
const listed = [...columns, ...columns.map((column): `-${Column}` => `-${column}`)] as const

/** What a list of members can be asked for. */
export type MemberQuery = Static<typeof MemberQuery>
export const MemberQuery = Type.Object(
  {
    ...paging,
    query: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: wordsOfPeople })),
    role: Type.Optional({ ...Role, description: 'Members with this role.' }),
    userId: Type.Optional({ ...Id('user'), description: 'The member who is this user.' }),
    hasSecondFactor: Type.Optional(
      Type.Boolean({ description: 'Members who have a second factor (true) or not (false). For owners and admins.' }),
    ),
    status: Type.Optional(
      OneOf([...membershipStatuses, 'all'], {
        default: 'active',
        description: 'Members whose membership is active or suspended. For callers with `members:update`.',
      }),
    ),
    permission: Type.Optional({
      ...PermissionKey,
      description: 'Members who have this permission now: a noun and a verb. For callers with `members:update`.',
    }),
    expiresBefore: Type.Optional({
      ...Timestamp,
      description: 'Members whose membership ends before. For callers with `members:update`.',
    }),
    lastActiveBefore: Type.Optional({
      ...Timestamp,
      description: 'Members who were last active before, or never. For callers with `members:update`.',
    }),
    lastActiveAfter: Type.Optional({
      ...Timestamp,
      description: 'Members who were active at or after. For callers with `members:update`.',
    }),
    sort: Type.Optional(OneOf(listed, { default: 'joinedAt', description: 'The order. `-` means descending.' })),
  },
  { additionalProperties: false },
)

/** What decides how members are searched: how many there are, and how much each term matches in the tenant. */
export type MemberSizes = {
  readonly members: Size
  readonly sizes: Size
}

export function measureMembers(tenant: string, organization: Statement | string, terms: readonly Term[]) {
  return {
    members: statement`select member_count as size from organizations where tenant_id = ${tenant} and id = ${organization}`,
    sizes: measureTerms(searchedUsers, tenant, terms),
  }
}

/** @returns how to find members: by a rare word, or among all members. @param measure reads what `measureMembers` selects */
export async function wayToMembers(
  { query = '' }: MemberQuery,
  measure: (terms: readonly Term[]) => Promise<{ readonly [Name in keyof MemberSizes]: readonly Size[] }>,
): Promise<Way> {
  const terms = readQuery(query)
  if (terms.length === 0) return { kind: 'many' }
  const { members, sizes } = await measure(terms)
  return wayInPart(terms, sizes, members[0]?.size ?? 0)
}

/**
 * A page of members.
 *
 * @param way as `wayToMembers` says
 */
export function listMembers(
  tenant: string,
  organization: Statement | string,
  { query, role, userId, hasSecondFactor, sort = 'joinedAt', status = 'active', permission, ...times }: MemberQuery,
  page: PageRequest,
  way: Way,
): Statement {
  const { expiresBefore, lastActiveBefore, lastActiveAfter } = times
  const terms = query === undefined ? [] : readQuery(query)
  const filter = statement`
    ${status === 'all' ? empty : statement`and m.status = ${status}`}
    ${permission === undefined ? empty : havingPermission(tenant, permission)}
    ${expiresBefore ? statement`and m.expires_at < ${expiresBefore}` : empty}
    ${lastActiveBefore ? statement`and (m.last_active_at is null or m.last_active_at < ${lastActiveBefore})` : empty}
    ${lastActiveAfter ? statement`and m.last_active_at >= ${lastActiveAfter}` : empty}
    ${role ? statement`and m.role = ${role}` : empty}
    ${userId ? statement`and m.user_id = ${userId}` : empty}
    ${hasSecondFactor === undefined ? empty : statement`and ${hasFactor(statement`u`)} = ${hasSecondFactor}`}
    ${way.kind === 'few' ? statement`and m.user_id = any(${idsIn(searchedUsers, tenant, { terms, way })})` : empty}
    ${query === undefined ? empty : matching(statement`u.`, terms)}`
  return inOrder(
    statement`${selectMembers(tenant, organization)} ${filter}`,
    { ...orders[columnOf(sort)], id: statement`m.id`, descending: sort.startsWith('-') },
    page.after,
    page.take,
    [query, role, userId, hasSecondFactor, permission, ...Object.values(times)].some((each) => each !== undefined) ||
      status !== 'active',
  )
}

/** Whether only callers with `members:update` may ask for it. */
export function isForUpdaters({ sort = 'joinedAt', ...query }: MemberQuery): boolean {
  const { hasSecondFactor, status, permission, expiresBefore, lastActiveBefore, lastActiveAfter } = query
  return (
    [hasSecondFactor, permission, expiresBefore, lastActiveBefore, lastActiveAfter].some(
      (each) => each !== undefined,
    ) ||
    (status !== undefined && status !== 'active') ||
    ['lastActiveAt', 'expiresAt'].includes(columnOf(sort))
  )
}

/** Members who have a permission now: neither they nor their accounts are suspended. */
function havingPermission(tenant: string, permission: string): Statement {
  const held = isPermission(permission) ? holds(tenant, permission) : holdsOfProduct(tenant, permission)
  return statement`and m.status = 'active' and u.status = 'active' and ${held}`
}

function columnOf(sort: (typeof listed)[number]): Column {
  return sort.replace('-', '') as Column // `sort` is one of `listed`
}

const orders = {
  joinedAt: { column: statement`m.joined_at` },
  name: { column: statement`u.name_key`, nullableAs: statement`name_key` },
  email: { column: statement`u.email` },
  lastActiveAt: { column: statement`m.last_active_at`, nullableAs: statement`last_active_at` },
  expiresAt: { column: statement`m.expires_at`, nullableAs: statement`expires_at` },
}

/** @returns what a cursor of the list that was asked for keeps of a member */
export function memberPosition({ sort = 'joinedAt' }: MemberQuery): (row: MemberRow) => Position {
  const column = columnOf(sort)
  const positions: Record<Column, (row: MemberRow) => string | null> = {
    joinedAt: (row) => row.joinedAt,
    name: (row) => row.nameKey,
    email: (row) => row.userEmail,
    lastActiveAt: (row) => row.lastActiveAt,
    expiresAt: (row) => row.expiresAt,
  }
  return (row) => [positions[column](row), row.id]
}
