/**
 * Members: the users who belong to an organization, each with one role.
 *
 * Invariant: an organization always keeps at least one owner (check on organizations.owner_count). Every change here happens under
 * the organization's row lock, which the door takes.
 */
import { Type } from 'typebox'
import { queueRoleMail } from '../../domain/mail/queue.ts'
import { revokeInvitationsBeyond } from '../../domain/organizations/invitation-states.ts'
import { listMembers, MemberQuery, memberPosition } from '../../domain/organizations/member-list.ts'
import {
  getMember,
  Member,
  type MemberRow,
  MembershipPath,
  selectMembers,
  shownTo,
  toMember,
} from '../../domain/organizations/members.ts'
import { setRole } from '../../domain/organizations/memberships.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { Person } from '../../domain/people/users.ts'
import { may, mayChangeRole, Role } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { Id, Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const path = Type.Object({ orgId: OrganizationPath, memberId: Id('mem') })

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
        description: 'Every member of the organization. Sorted by date of joining by default.',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: MemberQuery,
        response: { 200: Page(Member) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, members } = await request.readInOrganization<{ members: MemberRow }>(
        ({ tenant, organization }) => ({ members: listMembers(tenant, organization, request.query, page) }),
      )
      if (request.query.hasSecondFactor !== undefined && !may(caller, 'members:update'))
        throw new ApiProblem('forbidden')
      const { data, nextCursor } = makePage(request, reply, caller.userId, page, members, memberPosition(request.query))
      return { data: data.map((row) => shownTo(caller.role, toMember(row))), nextCursor }
    },
  )

  app.get(
    '/organizations/:orgId/members/:memberId',
    {
      config: { access: 'members:read' },
      schema: {
        operationId: 'getMember',
        summary: 'Get member',
        description:
          'A member of the organization, by the id of the membership. `me` names the caller’s own membership.',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath, memberId: MembershipPath }),
        response: { 200: ref(Member) },
      },
    },
    async (request) => {
      const { memberId } = request.params
      const { caller, members } = await request.readInOrganization<{ members: MemberRow }>(
        ({ tenant, organization, user }) => ({
          members: statement`
            ${selectMembers(tenant, organization)}
            and ${memberId === 'me' ? statement`m.user_id = ${user}` : statement`m.id = ${memberId}`}`,
        }),
      )
      const [member] = members
      if (!member) throw new ApiProblem('not_found')
      return shownTo(caller.role, toMember(member))
    },
  )

  app.patch(
    '/organizations/:orgId/members/:memberId',
    {
      config: { access: 'members:update', problems: ['role_above_yours', 'last_owner'] },
      schema: {
        operationId: 'updateMember',
        summary: 'Change a member’s role',
        description: 'You can neither change a member above you nor grant a role above your own.',
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
        if (!mayChangeRole(caller.role, member.role, role)) throw new ApiProblem('role_above_yours')
        if (member.role === role) return member

        const { organizationId } = caller
        const { id: userId, name } = member.user
        const isOwn = userId === caller.userId
        await pipeline([
          // The check on owner_count answers `last_owner`.
          setRole(sql, { id: member.id, organizationId, role: member.role }, role, isOwn),
          revokeInvitationsBeyond(sql, caller, { organizationId, userId, role }),
          !isOwn && queueRoleMail(sql, { kind: 'member_role_changed', userId, organizationId, role }),
          record(sql, caller, 'member.role_changed', {
            organizationId,
            target: { type: 'user', userId, name },
            details: { role: { from: member.role, to: role } },
          }),
        ])
        return toMember(member, role)
      }),
  )
}
