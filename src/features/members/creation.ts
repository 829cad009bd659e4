/** Adding members: an admin of the tenant puts a user into an organization, without an invitation. */

import { Type } from 'typebox'
import { userIdOf } from '../../domain/access/actors.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { lockAnyOrganization, recheckAdmin } from '../../domain/organizations/administration.ts'
import { admit, readAdmissibility } from '../../domain/organizations/admission.ts'
import { End, readEnd, readGrants, WantedGrants } from '../../domain/organizations/grants.ts'
import { Member, type MemberRow, selectMembers, toMember } from '../../domain/organizations/members.ts'
import { giftsOf } from '../../domain/organizations/offers.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { selectOwners } from '../../domain/organizations/ownership.ts'
import { getAccessModel } from '../../domain/permissions/access-model.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import { roles } from '../../domain/permissions/roles.ts'
import { checkCover } from '../../domain/permissions/rules.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { pipeline } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, newId, OneOf, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function memberCreationRoutes(app: App): Promise<void> {
  app.post(
    '/admin/organizations/:orgId/members',
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        scope: 'invitations:write',
        problems: [
          'not_found',
          'role_above_yours',
          'user_suspended',
          'already_a_member',
          'owner_cannot_end',
          'members_full',
        ],
        takesIdempotencyKey: true,
      },
      schema: {
        operationId: 'addTenantOrganizationMember',
        summary: 'Add a member to an organization of the tenant',
        description:
          'The user is a member at once, even if somebody had removed them. The owners get a mail, since this opens the organization’s data.',
        tags: ['Administration'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: Type.Object(
          {
            userId: Id('user'),
            role: Type.Optional(OneOf(roles, { default: 'member' })),
            grants: Type.Optional(WantedGrants),
            expiresAt: Type.Optional(End),
          },
          { additionalProperties: false },
        ),
        response: { 201: ref(Member) },
      },
    },
    async (request, reply) => {
      const { userId, role = 'member' } = request.body
      const { member, organizationId } = await request.asTenantAdmin(async (sql, admin) => {
        const caller = await lockAnyOrganization(sql, admin, request.params.orgId)
        const { organizationId } = caller
        const [[user], , model, admissibility, existing, owners] = await pipeline([
          // A suspension of the user waits from now on.
          sql<{ name: string | null; status: string }>`
            select name, status from users where tenant_id = ${sql.tenant} and id = ${userId} for share`,
          recheckAdmin(sql, admin),
          getAccessModel(sql),
          readAdmissibility(sql, organizationId, userId),
          sql`
            select from memberships m
            where m.tenant_id = ${sql.tenant} and m.organization_id = ${organizationId} and m.user_id = ${userId} and ${isCurrent}`,
          sql<{ userId: string }>`${selectOwners(sql.tenant, organizationId)} limit 100`,
        ])
        const faults = user ? [] : [faultOf('/userId', 'not_allowed', 'The tenant has no such user.')]
        const expiresAt = readEnd('/expiresAt', request.body.expiresAt ?? null, model.now, faults)
        const grants = readGrants('/grants', request.body.grants ?? [], model, faults)
        if (!user || faults.length > 0) throw invalidRequest(faults)
        if (caller.type === 'key') {
          checkCover(caller, giftsOf({ role, grants, memberExpiresAt: expiresAt }, model), model.minimumRoles)
        }
        if (user.status !== 'active') throw new ApiProblem('user_suspended')
        if (existing.length > 0) throw new ApiProblem('already_a_member')
        if (role === 'owner' && expiresAt !== null) throw new ApiProblem('owner_cannot_end')
        const newcomer = {
          organizationId,
          userId,
          name: user.name,
          role,
          grants,
          expiresAt,
          invitedBy: userIdOf(caller),
        }
        const id = newId('mem')
        const [, [row]] = await sql.commit([
          admit(sql, caller, id, { ...newcomer, via: 'admin' }, admissibility),
          sql<MemberRow>`${selectMembers(sql.tenant, organizationId)} and m.id = ${id}`,
          ...owners.map((owner) =>
            queueMail(sql, { kind: 'member_added_by_admin', userId: owner.userId, organizationId }),
          ),
        ])
        request.about = 'admin'
        return { member: toMember(found(row)), organizationId }
      })
      reply.status(201).header('location', `/api/admin/organizations/${organizationId}/members/${member.id}`)
      return member
    },
  )
}
