/**
 * Members: the users who belong to an organization, each with one role.
 *
 * Invariant: an organization always keeps at least one owner (check on organizations.owner_count). Every change here happens under
 * the organization's row lock, which the door takes.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { countMembers } from '../../domain/organizations/memberships.ts'
import { revokeInvitationsBeyond } from '../../domain/organizations/revocation.ts'
import { Person, userStatuses } from '../../domain/people/users.ts'
import { mayChangeRole, Role, rolesOf } from '../../domain/permissions/roles.ts'
import { recordEvent } from '../../domain/record/record.ts'
import { empty, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { inOrder } from '../../platform/database/keyset.ts'
import { makePage, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { Problem } from '../../platform/http/problems.ts'
import {
  HttpsUrl,
  Id,
  Name,
  Nullable,
  OneOf,
  Page,
  paging,
  ref,
  searchKey,
  Timestamp,
} from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { queueMail } from '../../platform/jobs/queue.ts'
import { OrganizationPath } from '../organizations/organizations.ts'

export type Member = Static<typeof Member>
export const Member = Type.Object(
  {
    id: Id('mem'),
    user: Type.Object({
      id: Id('user'),
      name: Nullable(Name),
      email: Type.String({ maxLength: 254, examples: ['ann@example.com'] }),
      avatarUrl: Nullable(HttpsUrl),
      status: OneOf(userStatuses),
    }),
    role: Role,
    roles: Type.Array(Role, { maxItems: 3, description: 'Everything that the role counts as.' }),
    joinedAt: Timestamp,
    invitedBy: Nullable(ref(Person)),
  },
  { $id: 'Member', description: 'A membership: a user in an organization, with a role.' },
)

const path = Type.Object({ orgId: OrganizationPath, memberId: Id('mem') })
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
        description: 'Prefix of the name or the email address, letters taken literally.',
      }),
    ),
    role: Type.Optional({ ...Role, description: 'Members with this role.' }),
    sort: Type.Optional(
      OneOf(listed, { default: 'joinedAt', description: 'What they are sorted by; `-` for descending.' }),
    ),
  },
  { additionalProperties: false },
)

export async function memberRoutes(app: App): Promise<void> {
  app.addSchema(Person)
  app.addSchema(Member)

  app.get(
    '/organizations/:orgId/members',
    {
      config: { access: 'members:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Everybody in the organization, in the order in which they joined unless `sort` says otherwise.',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: MemberQuery,
        response: { 200: Page(Member) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const [caller, rows] = await request.readInOrganization<[MemberRow]>(({ tenant, organization }) => [
        listMembers(tenant, organization, request.query, page),
      ])
      return memberPage(request, reply, caller.userId, page, rows)
    },
  )

  app.get(
    '/organizations/:orgId/members/:memberId',
    {
      config: { access: 'members:read' },
      schema: {
        operationId: 'getMember',
        summary: 'Get member',
        description: 'Anybody in the organization, by the id of their membership.',
        tags: ['Members'],
        params: path,
        response: { 200: ref(Member) },
      },
    },
    async (request) => {
      const [, [member]] = await request.readInOrganization<[MemberRow]>(({ tenant, organization }) => [
        statement`${selectMembers(tenant, organization)} and m.id = ${request.params.memberId}`,
      ])
      if (!member) throw new Problem('not_found')
      return toMember(member)
    },
  )

  app.patch(
    '/organizations/:orgId/members/:memberId',
    {
      config: { access: 'members:update', problems: ['role_above_yours', 'last_owner'] },
      schema: {
        operationId: 'updateMember',
        summary: 'Change a member’s role',
        description: 'Nobody touches someone above them, nor grants a role above their own.',
        tags: ['Members'],
        params: path,
        body: Type.Object({ role: Role }, { additionalProperties: false }),
        response: { 200: ref(Member) },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, caller) => {
        const member = await getMember(sql, caller.organizationId, request.params.memberId)
        const { role } = request.body
        if (!mayChangeRole(caller.role, member.role, role)) throw new Problem('role_above_yours')
        if (member.role === role) return member

        const { organizationId } = caller
        const { id: userId, name } = member.user
        await Promise.all([
          sql`update memberships set role = ${role} where tenant_id = ${sql.tenant} and id = ${member.id}`,
          // The check on owner_count answers `last_owner`.
          countMembers(sql, organizationId, { owners: Number(role === 'owner') - Number(member.role === 'owner') }),
          revokeInvitationsBeyond(sql, caller, { organizationId, userId, role }),
          userId !== caller.userId && queueMail(sql, { kind: 'member_role_changed', userId, organizationId, role }),
          recordEvent(sql, caller, 'member.role_changed', {
            organizationId,
            target: { type: 'user', userId, name },
            details: { role: { from: member.role, to: role } },
          }),
        ])
        return toMember(member, role)
      }),
  )
}

export interface MemberRow extends Omit<Member, 'roles'> {
  readonly nameKey: string | null
}

/** @param role the one they have now, where another one was read */
export function toMember(row: Omit<Member, 'roles'>, role = row.role): Member {
  return { ...row, role, roles: rolesOf(role) }
}

/** Members of an organization, in the shape of `Member`; more conditions may follow. */
export function selectMembers(tenant: string, organization: Statement | string): Statement {
  return statement`
    select m.id, m.role, m.joined_at, u.name_key,
      json_build_object('id', u.id, 'name', u.name, 'email', u.email, 'avatarUrl', u.avatar_url, 'status', u.status) as user,
      case when i.id is not null then json_build_object('id', i.id, 'name', i.name) end as invited_by
    from memberships m
    join users u on u.tenant_id = ${tenant} and u.id = m.user_id
    left join users i on i.tenant_id = ${tenant} and i.id = m.invited_by
    where m.tenant_id = ${tenant} and m.organization_id = ${organization}`
}

/** A page of members. */
export function listMembers(
  tenant: string,
  organization: Statement | string,
  { query, role, sort = 'joinedAt' }: MemberQuery,
  page: PageRequest,
): Statement {
  const filter = statement`
    ${role ? statement`and m.role = ${role}` : empty}
    ${query === undefined ? empty : statement`and (starts_with(u.name_key, ${searchKey(query)}) or starts_with(u.email, ${searchKey(query)}))`}`
  return inOrder(
    statement`${selectMembers(tenant, organization)} ${filter}`,
    { ...orders[columnOf(sort)], id: statement`m.id`, descending: sort.startsWith('-') },
    page.after,
    page.take,
    query !== undefined || role !== undefined,
  )
}

/** @param asker the id of whoever asks: a cursor is good for nobody else */
export function memberPage(
  request: FastifyRequest<{ Querystring: MemberQuery }>,
  reply: FastifyReply,
  asker: string,
  page: PageRequest,
  rows: readonly MemberRow[],
) {
  const column = columnOf(request.query.sort ?? 'joinedAt')
  const { data, nextCursor } = makePage(request, reply, asker, page, rows, (row) => [positionIn(row, column), row.id])
  return { data: data.map((row) => toMember(row)), nextCursor }
}

function columnOf(sort: (typeof listed)[number]): keyof typeof orders {
  return sort.replace('-', '') as keyof typeof orders // `sort` is one of `listed`
}

const orders = {
  joinedAt: { column: statement`m.joined_at` },
  name: { column: statement`u.name_key`, nullableAs: statement`name_key` },
  email: { column: statement`u.email` },
}

function positionIn(row: MemberRow, column: keyof typeof orders): string | null {
  return column === 'joinedAt' ? row.joinedAt : column === 'name' ? row.nameKey : row.user.email
}

/** @throws Problem not_found */
export async function getMember(sql: Sql, organizationId: string, memberId: string): Promise<Member> {
  const [member] = await sql<MemberRow>`${selectMembers(sql.tenant, organizationId)} and m.id = ${memberId}`
  if (!member) throw new Problem('not_found')
  return toMember(member)
}
