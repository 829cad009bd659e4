/** Members of any organization of the tenant: an admin of the tenant lists, changes and removes them, as the organization’s owner could. */
import { Type } from 'typebox'
import { beginExport, exportRates, type Named, selectSlug } from '../../domain/limits/exports.ts'
import { inAnyOrganization, readInAnyOrganization } from '../../domain/organizations/administration.ts'
import {
  type HolderRow,
  Member,
  MemberDetails,
  type MemberRow,
  selectHolders,
  toMember,
} from '../../domain/organizations/members.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { selectMinimumRoles } from '../../domain/permissions/access-model.ts'
import type { OwnMinimumRole } from '../../domain/permissions/rules.ts'
import { found } from '../../domain/problems.ts'
import { statement } from '../../platform/database/database.ts'
import { answerList } from '../../platform/http/exports.ts'
import type { PageRequest } from '../../platform/http/pagination.ts'
import { Id, Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { type BeforeChange, changeMember, selectBeforeChange, Wanted } from './changes.ts'
import { MemberQuery, memberPosition, readMembers } from './list.ts'
import { memberColumns } from './member-columns.ts'
import { permissionsOf, removeMember, selectBeforeRemoval } from './members.ts'

const path = Type.Object({ orgId: OrganizationPath, memberId: Id('mem') })

export async function memberAdministrationRoutes(app: App): Promise<void> {
  app.get(
    '/admin/organizations/:orgId/members',
    {
      config: {
        access: 'tenant_admin',
        scope: 'members:read',
        problems: ['not_found', 'invalid_cursor'],
        answersCsv: true,
        rates: exportRates,
      },
      schema: {
        operationId: 'listTenantOrganizationMembers',
        summary: 'Members of an organization of the tenant',
        description: 'Every member of the organization, for admins of the tenant, who need not be members themselves.',
        tags: ['Administration'],
        params: Type.Object({ orgId: OrganizationPath }),
        querystring: MemberQuery,
        response: { 200: Page(Member) },
      },
    },
    async (request, reply) => {
      const { query } = request
      const read = async (page: PageRequest) => {
        const { caller, members } = await readMembers(query, page, (reading) => readInAnyOrganization(request, reading))
        return { caller, rows: members, show: (row: MemberRow) => toMember(row) }
      }
      const begin = async () =>
        beginExport(
          request.context,
          'members',
          await readInAnyOrganization<Named>(request, selectSlug, { byKey: true }),
        )
      return answerList(request, reply, { columns: memberColumns, begin, read, position: memberPosition(query) })
    },
  )

  app.get(
    '/admin/organizations/:orgId/members/:memberId',
    {
      config: { access: 'tenant_admin', scope: 'members:read', problems: ['not_found'] },
      schema: {
        operationId: 'getTenantOrganizationMember',
        summary: 'One member of an organization of the tenant',
        description: 'Any member, suspended ones too, with all that they may do in the organization.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(MemberDetails) },
      },
    },
    async (request) => {
      const { members, permissions } = await readInAnyOrganization<{ members: HolderRow; permissions: OwnMinimumRole }>(
        request,
        ({ tenant, organization }) => ({
          members: statement`${selectHolders(tenant, organization)} and m.id = ${request.params.memberId}`,
          permissions: selectMinimumRoles(tenant),
        }),
        { byKey: true },
      )
      const row = found(members[0])
      return { ...toMember(row), permissions: permissionsOf(row, permissions) }
    },
  )

  app.patch(
    '/admin/organizations/:orgId/members/:memberId',
    {
      config: {
        access: 'tenant_admin',
        scope: 'members:update',
        problems: [
          'not_found',
          'role_above_yours',
          'last_owner',
          'owner_cannot_end',
          'user_suspended',
          'confirmation_required',
        ],
      },
      schema: {
        operationId: 'updateTenantOrganizationMember',
        summary: 'Change a member of an organization of the tenant',
        description:
          'As an owner of the organization could. To give a role, a later end or a reactivation takes a fresh session; to take something does not. A key gives what its scopes cover.',
        tags: ['Administration'],
        params: path,
        body: Wanted,
        response: { 200: ref(Member) },
      },
    },
    async (request) =>
      inAnyOrganization(request, selectBeforeChange(request.params), (sql, caller, before: BeforeChange) =>
        changeMember(sql, caller, before, request.body),
      ),
  )

  app.delete(
    '/admin/organizations/:orgId/members/:memberId',
    {
      config: {
        access: 'tenant_admin',
        scope: 'members:remove',
        problems: ['not_found', 'role_above_yours', 'last_owner'],
      },
      schema: {
        operationId: 'removeTenantOrganizationMember',
        summary: 'Remove a member from an organization of the tenant',
        description: 'As an owner of the organization could. The last owner stays: transfer the ownership first.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Member) },
      },
    },
    async (request) => inAnyOrganization(request, selectBeforeRemoval(request.params), removeMember),
  )
}
