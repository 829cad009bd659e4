/**
 * Ownership: handing an organization on, by its owner or by a tenant admin.
 *
 * Invariant: one becomes an owner and one an admin in the same statement, so there are as many owners as before at every moment.
 */

import { Type } from 'typebox'
import { isTenantAdmin, personOf } from '../../domain/access/actors.ts'
import { lockAnyOrganization, tellOwners } from '../../domain/organizations/administration.ts'
import { getMember } from '../../domain/organizations/members.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { getFirstOwner, lockNamed, Transfer, transfer } from '../../domain/organizations/ownership.ts'
import { pipeline } from '../../platform/database/database.ts'
import { Id } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { getCandidate } from './candidates.ts'

const path = Type.Object({ orgId: OrganizationPath })
const body = Type.Object({ memberId: Id('mem') }, { additionalProperties: false })

export async function ownershipRoutes(app: App): Promise<void> {
  app.post(
    '/organizations/:orgId/transfer',
    {
      config: {
        access: 'ownership:transfer',
        scope: null, // the caller hands on what is theirs
        problems: ['already_owner', 'user_suspended', 'owner_cannot_end'],
        takesIdempotencyKey: true,
        replayAccess: 'organization:read',
      },
      schema: {
        operationId: 'transferOwnership',
        summary: 'Transfer ownership',
        description: 'In one step, the member becomes an owner and the caller an admin. Both get a mail.',
        tags: ['Members'],
        params: path,
        body,
        response: { 200: Transfer },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, caller) => {
        const { organizationId, membershipId } = personOf(caller)
        const { memberId } = request.body
        const [, to, from] = await pipeline([
          lockNamed(sql, [memberId, membershipId]),
          getCandidate(sql, caller, memberId),
          getMember(sql, organizationId, membershipId),
        ])
        return transfer(sql, caller, organizationId, { from, to })
      }),
  )

  app.post(
    '/admin/organizations/:orgId/transfer',
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        scope: 'ownership:transfer',
        problems: ['not_found', 'already_owner', 'user_suspended', 'owner_cannot_end'],
        takesIdempotencyKey: true,
      },
      schema: {
        operationId: 'transferTenantOrganization',
        summary: 'Transfer an organization’s ownership',
        description:
          'For admins of the tenant, who need not be members. The member becomes an owner, and the owner who joined first becomes an admin, even if suspended. Both get a mail, and so do the other owners if a person does it.',
        tags: ['Administration'],
        params: path,
        body,
        response: { 200: Transfer },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, admin) => {
        const caller = await lockAnyOrganization(sql, admin, request.params.orgId)
        const { organizationId } = caller
        const { memberId } = request.body
        const ownerId = await getFirstOwner(sql, organizationId)
        await lockNamed(sql, [memberId, ownerId])
        const to = await getCandidate(sql, caller, memberId)
        const from = await getMember(sql, organizationId, ownerId)
        if (isTenantAdmin(caller)) await tellOwners(sql, caller, from.user.id)
        return transfer(sql, caller, organizationId, { from, to })
      }),
  )
}
