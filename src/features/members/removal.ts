/** Removal: how a membership ends, by an admin or by leaving. */
import { Type } from 'typebox'
import type { MemberCaller } from '../../domain/access/actors.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { exclude } from '../../domain/organizations/admission.ts'
import { getMemberRow, heldBy, Member, MembershipPath, shownTo, toMember } from '../../domain/organizations/members.ts'
import { dropMembership } from '../../domain/organizations/memberships.ts'
import { endOffersBeyond } from '../../domain/organizations/offers.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { getMinimumRoles } from '../../domain/permissions/access-model.ts'
import { checkTouch } from '../../domain/permissions/rules.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function removalRoutes(app: App): Promise<void> {
  app.delete(
    '/organizations/:orgId/members/:memberId',
    {
      config: {
        access: { self: 'members:leave', others: 'members:remove' },
        whileSuspended: true,
        problems: ['role_above_yours', 'last_owner'],
      },
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
        const id = memberId === 'me' ? caller.membershipId : memberId
        const [row, minimumRoles] = await pipeline([getMemberRow(sql, caller.organizationId, id), getMinimumRoles(sql)])
        if (row.user.id !== caller.userId) checkTouch(caller, heldBy(row), minimumRoles)
        const member = toMember(row)
        await removeMember(sql, caller, member)
        return shownTo(caller, member)
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
    endOffersBeyond(sql, caller, { organizationId, userId }, isLeaving ? 'inviter_left' : 'inviter_removed'),
    !isLeaving && exclude(sql, organizationId, userId, caller.userId),
    !isLeaving && queueMail(sql, { kind: 'member_removed', userId, organizationId }),
    record(sql, caller, isLeaving ? 'member.left' : 'member.removed', {
      organizationId,
      target: { type: 'user', userId, name: user.name },
      details: { role },
    }),
  ])
}
