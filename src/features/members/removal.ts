/** Removal: how a membership ends, by an admin or by leaving. */
import { Type } from 'typebox'
import type { MemberCaller } from '../../domain/access/actors.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { revokeInvitationsBeyond } from '../../domain/organizations/invitation-states.ts'
import { getMember, Member, MembershipPath, shownTo } from '../../domain/organizations/members.ts'
import { dropMembership } from '../../domain/organizations/memberships.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { mayRemove } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function removalRoutes(app: App): Promise<void> {
  app.delete(
    '/organizations/:orgId/members/:memberId',
    {
      config: { access: 'members:remove', exemptsSelf: true, problems: ['role_above_yours', 'last_owner'] },
      schema: {
        operationId: 'removeMember',
        summary: 'Remove a member',
        description: 'An admin removes others. Every member may leave (`me` names the caller’s own membership).',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath, memberId: MembershipPath }),
        response: { 200: ref(Member) },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, caller) => {
        const { memberId } = request.params
        const member = await getMember(sql, caller.organizationId, memberId === 'me' ? caller.membershipId : memberId)
        const isLeaving = member.user.id === caller.userId
        if (!isLeaving && !mayRemove(caller.role, member.role)) throw new ApiProblem('role_above_yours')
        await removeMember(sql, caller, member)
        return shownTo(caller.role, member)
      }),
  )
}

/** Ends a membership, and with it what it gave the right to. The organization's row must be locked. */
async function removeMember(sql: Sql, caller: MemberCaller, { user, role }: Member): Promise<void> {
  const { organizationId } = caller
  const userId = user.id
  const isLeaving = userId === caller.userId
  await pipeline([
    dropMembership(sql, { organizationId, userId, role }),
    revokeInvitationsBeyond(sql, caller, { organizationId, userId, role: null }),
    !isLeaving && queueMail(sql, { kind: 'member_removed', userId, organizationId }),
    record(sql, caller, isLeaving ? 'member.left' : 'member.removed', {
      organizationId,
      target: { type: 'user', userId, name: user.name },
      details: { role },
    }),
  ])
}
