/** The list of an organization’s members: its filters, its orders, and its statement. */
import { type Static, Type } from 'typebox'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { inOrder } from '../../platform/database/keyset.ts'
import type { PageRequest, Position } from '../../platform/http/pagination.ts'
import { addressKey, Id, OneOf, paging, searchKey } from '../../platform/http/schemas.ts'
import { hasFactor } from '../people/users.ts'
import { Role } from '../permissions/roles.ts'
import { type MemberRow, selectMembers } from './members.ts'

const listed = ['joinedAt', 'name', 'email', '-joinedAt', '-name', '-email'] as const

/** What a list of members can be asked for. */
export type MemberQuery = Static<typeof MemberQuery>
export const MemberQuery = Type.Object(
  {
    ...paging,
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The beginning of the name or the email address. No wildcards.',
      }),
    ),
    role: Type.Optional({ ...Role, description: 'Members with this role.' }),
    userId: Type.Optional({ ...Id('user'), description: 'The member who is this user.' }),
    hasSecondFactor: Type.Optional(
      Type.Boolean({ description: 'Members who have a second factor (true) or not (false). For owners and admins.' }),
    ),
    sort: Type.Optional(OneOf(listed, { default: 'joinedAt', description: 'The order. `-` means descending.' })),
  },
  { additionalProperties: false },
)

/** A page of members. */
export function listMembers(
  tenant: string,
  organization: Statement | string,
  { query, role, userId, hasSecondFactor, sort = 'joinedAt' }: MemberQuery,
  page: PageRequest,
): Statement {
  const filter = statement`
    ${role ? statement`and m.role = ${role}` : empty}
    ${userId ? statement`and m.user_id = ${userId}` : empty}
    ${hasSecondFactor === undefined ? empty : statement`and ${hasFactor(statement`u`)} = ${hasSecondFactor}`}
    ${query === undefined ? empty : statement`and (starts_with(u.name_key, ${searchKey(query)}) or starts_with(u.email, ${addressKey(query)}))`}`
  return inOrder(
    statement`${selectMembers(tenant, organization)} ${filter}`,
    { ...orders[columnOf(sort)], id: statement`m.id`, descending: sort.startsWith('-') },
    page.after,
    page.take,
    [query, role, userId, hasSecondFactor].some((each) => each !== undefined),
  )
}

function columnOf(sort: (typeof listed)[number]): keyof typeof orders {
  return sort.replace('-', '') as keyof typeof orders // `sort` is one of `listed`
}

const orders = {
  joinedAt: { column: statement`m.joined_at` },
  name: { column: statement`u.name_key`, nullableAs: statement`name_key` },
  email: { column: statement`u.email` },
}

/** @returns what a cursor of the list that was asked for keeps of a member */
export function memberPosition({ sort = 'joinedAt' }: MemberQuery): (row: MemberRow) => Position {
  const column = columnOf(sort)
  return (row) => [column === 'joinedAt' ? row.joinedAt : column === 'name' ? row.nameKey : row.user.email, row.id]
}
