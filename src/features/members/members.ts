/**
 * Members: the users who belong to an organization, each with one role.
 *
 * Invariant: an organization always keeps at least one owner (check on organizations.owner_count). Every change here happens under
 * the organization's row lock, which the door takes.
 */
import { Type } from 'typebox'
import { Grant } from '../../domain/organizations/grants.ts'
import { isForUpdaters, listMembers, MemberQuery, memberPosition } from '../../domain/organizations/member-list.ts'
import {
  heldBy,
  Member,
  MemberDetails,
  type MemberRow,
  MembershipPath,
  selectMembers,
  shownTo,
  toMember,
} from '../../domain/organizations/members.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { Person } from '../../domain/people/users.ts'
import { type ProductPermission, selectProductPermissions } from '../../domain/permissions/access-model.ts'
import { may } from '../../domain/permissions/held.ts'
import { holdingsOf, minimumRolesWith } from '../../domain/permissions/rules.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function memberRoutes(app: App): Promise<void> {
  app.addSchema(Person)
  app.addSchema(Grant)
  app.addSchema(Member)
  app.addSchema(MemberDetails)

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
      if (isForUpdaters(request.query) && !may(caller, 'members:update')) throw new ApiProblem('forbidden')
      const { data, nextCursor } = makePage(request, reply, caller.userId, page, members, memberPosition(request.query))
      return { data: data.map((row) => shownTo(caller, toMember(row))), nextCursor }
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
          'A member of the organization, by the id of the membership. `me` names the caller’s own membership. `permissions` is for the member and for callers with `members:update`.',
        tags: ['Members'],
        params: Type.Object({ orgId: OrganizationPath, memberId: MembershipPath }),
        response: { 200: ref(MemberDetails) },
      },
    },
    async (request) => {
      const { memberId } = request.params
      const { caller, members, permissions } = await request.readInOrganization<{
        members: MemberRow
        permissions: ProductPermission
      }>(({ tenant, organization, user }) => ({
        members: statement`
          ${selectMembers(tenant, organization)}
          and ${memberId === 'me' ? statement`m.user_id = ${user}` : statement`m.id = ${memberId}`}`,
        permissions: selectProductPermissions(tenant),
      }))
      const [row] = members
      if (!row) throw new ApiProblem('not_found')
      const member = shownTo(caller, toMember(row))
      if (row.id !== caller.membershipId && !may(caller, 'members:update')) return member
      const isActive = row.status === 'active' && row.user.status === 'active'
      const held = isActive ? [...holdingsOf(heldBy(row), minimumRolesWith(permissions)).keys()].sort() : []
      return { ...member, permissions: held }
    },
  )
}
