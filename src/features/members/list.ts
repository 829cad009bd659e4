/** The list of an organization’s members: its filters, its orders, and its statement. */
import { type Static, Type } from 'typebox'
import type { ActingCaller } from '../../domain/access/actors.ts'
import type { Read, Reading, Selected } from '../../domain/access/authorization.ts'
import { type MemberRow, membershipStatuses, selectMembers } from '../../domain/organizations/members.ts'
import { hasFactor } from '../../domain/people/users.ts'
import { PermissionKey } from '../../domain/permissions/access-model.ts'
import { holds, holdsOfProduct, isCurrent } from '../../domain/permissions/held.ts'
import { isPermission } from '../../domain/permissions/permissions.ts'
import { Role } from '../../domain/permissions/roles.ts'
import {
  foundInKeptOrder,
  idsIn,
  isFilledIn,
  type KeptOrder,
  matching,
  measureTerms,
  mostBeforeWords,
  PeopleQuery,
  readBy,
  type Search,
  type Size,
  searchedUsers,
  wayInPart,
} from '../../domain/search/search.ts'
import { readQuery } from '../../domain/search/words.ts'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { inOrder, nextInOrder, type Order, sorted } from '../../platform/database/keyset.ts'
import type { PageRequest, Position } from '../../platform/http/pagination.ts'
import { Id, OneOf, paging, Timestamp } from '../../platform/http/schemas.ts'

const columns = ['joinedAt', 'name', 'email', 'lastActiveAt', 'expiresAt'] as const
type Column = (typeof columns)[number]
const listed = [...columns, ...columns.map((column): `-${Column}` => `-${column}`)] as const

/** What a list of members can be asked for. */
export type MemberQuery = Static<typeof MemberQuery>
export const MemberQuery = Type.Object(
  {
    ...paging,
    query: PeopleQuery,
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

/** A door to an organization. */
type Door = <Rows extends Selected>(reading: Reading<Rows>) => Promise<Read<ActingCaller, Rows>>

/** What a query asks of members, and how to find them: by a rare word, or as in any list if there are many members. */
type MemberSearch = Pick<Search, 'terms' | 'way' | 'isFilled'>

/** A page of members, and who asked for it. */
type Page = Read<ActingCaller, { members: MemberRow }>

/**
 * Reads a page of members.
 *
 * @param door opens the organization to the caller
 */
export async function readMembers(query: MemberQuery, page: PageRequest, door: Door): Promise<Page> {
  const read = (search?: MemberSearch) =>
    door<{ members: MemberRow }>(({ tenant, organization }) => ({
      members: listMembers(tenant, organization, query, page, search),
    }))
  if (query.query === undefined) return read()
  const terms = readQuery(query.query)
  if (terms.length === 0) return read({ terms, way: { kind: 'part' }, isFilled: false })
  const { counts, sizes } = await door<{ counts: Pick<Size, 'size'>; sizes: Size }>(({ tenant, organization }) => ({
    counts: statement`select member_count as size from organizations where tenant_id = ${tenant} and id = ${organization}`,
    sizes: measureTerms(searchedUsers, tenant, terms),
  }))
  const [first, isFilled] = [wayInPart(terms, sizes, counts[0]?.size ?? 0), isFilledIn(sizes)]
  return readBy(
    first,
    (way) => read({ terms, way, isFilled }),
    ({ members }) => members.length === page.take,
  )
}

/** A page of members. @param search as `readMembers` gives it */
function listMembers(
  tenant: string,
  organization: Statement,
  query: MemberQuery,
  { after, take }: PageRequest,
  search?: MemberSearch,
): Statement {
  const { role, userId, hasSecondFactor, sort = 'joinedAt', status = 'active', permission } = query
  const { expiresBefore, lastActiveBefore, lastActiveAfter } = query
  const others = statement`
    ${status === 'all' ? empty : statement`and m.status = ${status}`}
    ${permission === undefined ? empty : havingPermission(tenant, permission)}
    ${expiresBefore ? statement`and m.expires_at < ${expiresBefore}` : empty}
    ${lastActiveBefore ? statement`and (m.last_active_at is null or m.last_active_at < ${lastActiveBefore})` : empty}
    ${lastActiveAfter ? statement`and m.last_active_at >= ${lastActiveAfter}` : empty}
    ${role ? statement`and m.role = ${role}` : empty}
    ${userId ? statement`and m.user_id = ${userId}` : empty}
    ${hasSecondFactor === undefined ? empty : statement`and ${hasFactor(tenant, statement`u`)} = ${hasSecondFactor}`}`
  const { keptAs, ...order } = orderOf(sort)
  if (search && search.way.kind !== 'part') {
    // Of members with other conditions few may match, of which each would be looked up.
    const kept = search.isFilled && !isFiltered(query) ? keptAs : undefined
    const page = selectPage(tenant, organization, search, others, order, { after, take }, kept)
    return sorted(selectMembers(tenant, organization, statement`(${page})`), order, undefined, take)
  }
  const matches = search ? matching(statement`u.`, search.terms) : empty
  const select = statement`${selectMembers(tenant, organization)} ${others} ${matches}`
  return inOrder(select, order, after, take, search !== undefined || isFiltered(query))
}

/** Whether other conditions than words may match few of many members. */
function isFiltered({ status = 'active', role, userId, hasSecondFactor, permission, ...rest }: MemberQuery): boolean {
  const { expiresBefore, lastActiveBefore, lastActiveAfter } = rest
  const conditions = [role, userId, hasSecondFactor, permission, expiresBefore, lastActiveBefore, lastActiveAfter]
  return status !== 'active' || conditions.some((each) => each !== undefined)
}

/**
 * Selects the memberships of a page that a search finds. Their users are read once, to compare and to sort them: others are looked up for
 * the page alone.
 */
function selectPage(
  tenant: string,
  organization: Statement,
  search: MemberSearch,
  others: Statement,
  order: Order,
  page: Pick<PageRequest, 'after' | 'take'>,
  kept: KeptOrder | undefined,
): Statement {
  const { after, take } = page
  const memberships = statement`
    select m.*, u.email, u.name_key, u.words, u.status as user_status
    from memberships m
    join users u on u.tenant_id = ${tenant} and u.id = m.user_id
    where m.tenant_id = ${tenant} and m.organization_id = ${organization} and ${isCurrent}`
  const matches = matching(statement`u.`, search.terms)
  if (kept && search.way.kind === 'all') {
    const rows = { select: statement`${memberships} ${others}`, row: statement`u.`, isOfAll: false }
    return foundInKeptOrder(searchedUsers, tenant, search, kept, page, rows)
  }
  const found = (rows: Statement) => statement`
    select m.*
    from (${rows}) m,
      lateral (select m.tenant_id, m.user_id as id, m.email, m.name_key, m.words, m.user_status as status) u
    where true ${others} ${matches}`
  if (search.way.kind === 'many') {
    const { column, id, descending } = order
    const next = nextInOrder(memberships, order, after, mostBeforeWords)
    return nextInOrder(found(next), { column, id, descending }, undefined, take)
  }
  const isByWords = statement`and m.user_id = any(${idsIn(searchedUsers, tenant, search)})`
  return sorted(statement`${found(memberships)} ${isByWords}`, order, after, take)
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

/** An order of members. @property keptAs how the words of the users have it */
interface MemberOrder extends Order {
  readonly keptAs?: KeptOrder
}

function orderOf(sort: (typeof listed)[number]): MemberOrder {
  const descending = sort.startsWith('-')
  const [ofMember, ofUser] = [
    { id: statement`m.id`, descending },
    { id: statement`u.id`, idAs: statement`user_id`, descending },
  ]
  const nullableAs = statement`name_key`
  const orders: Record<Column, MemberOrder> = {
    joinedAt: { ...ofMember, column: statement`m.joined_at` },
    name: {
      ...ofUser,
      column: statement`u.name_key`,
      nullableAs,
      keptAs: { column: nullableAs, nullableAs, descending },
    },
    email: { ...ofUser, column: statement`u.email`, keptAs: { column: statement`email`, descending } },
    lastActiveAt: { ...ofMember, column: statement`m.last_active_at`, nullableAs: statement`last_active_at` },
    expiresAt: { ...ofMember, column: statement`m.expires_at`, nullableAs: statement`expires_at` },
  }
  return orders[columnOf(sort)]
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
  const isOfUser = column === 'name' || column === 'email'
  return (row) => [positions[column](row), isOfUser ? row.userId : row.id]
}
