/**
 * Organizations: groups of users in a tenant.
 *
 * Invariant: an organization keeps at least one owner (check on owner_count). Whatever changes its members locks its row first, so
 * both counts are exact.
 */

import { Type } from 'typebox'
import { personOf, sessionIdOf } from '../../domain/access/actors.ts'
import { type Names, withinLimit } from '../../domain/access/authorization.ts'
import { checkFresh } from '../../domain/credentials/confirmation.ts'
import { updateOrganization } from '../../domain/organizations/changes.ts'
import { described, ofOwners } from '../../domain/organizations/fields.ts'
import {
  Organization,
  OrganizationPath,
  type OrganizationRow,
  type OwnMembership,
  organizationColumns,
  seenBy,
  selectOrganization,
  toOrganization,
} from '../../domain/organizations/organizations.ts'
import { selectMinimumRoles } from '../../domain/permissions/access-model.ts'
import { isCurrent, may } from '../../domain/permissions/held.ts'
import { Role } from '../../domain/permissions/roles.ts'
import { type OwnMinimumRole, permissionsHeldBy } from '../../domain/permissions/rules.ts'
import { checkPictureUrl } from '../../domain/pictures/urls.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { matching, OrganizationsQuery } from '../../domain/search/search.ts'
import { readWords } from '../../domain/search/words.ts'
import { checkTwoFactors } from '../../domain/sessions/ways-in.ts'
import { empty, statement } from '../../platform/database/database.ts'
import { asStored, patchOf } from '../../platform/database/fields.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { checkVersion, withTag } from '../../platform/http/preconditions.ts'
import { inUtc, Page, paging, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const path = Type.Object({ orgId: OrganizationPath })

export async function organizationRoutes(app: App): Promise<void> {
  app.addSchema(Organization)

  app.get(
    '/organizations',
    {
      config: { access: 'user', scope: 'me:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listOrganizations',
        summary: 'List user organizations',
        description: 'The organizations of which the caller is a member, sorted by name.',
        tags: ['Organizations'],
        querystring: Type.Object(
          {
            ...paging,
            limit: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: 100,
                default: 100,
                format: 'int32',
                description: 'The maximum number of items on a page.',
              }),
            ),
            query: OrganizationsQuery,
            role: Type.Optional({ ...Role, description: 'Organizations in which the caller has this role.' }),
          },
          { additionalProperties: false },
        ),
        response: { 200: Page(Organization) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { query } = request.query
      const { caller, organizations } = await request.readAsUser<{ organizations: Listed }>((names) => ({
        organizations: statement`
          select ${organizationColumns}, o.name_key, ${membershipColumns}
          from memberships m
          join organizations o on o.tenant_id = ${names.tenant} and o.id = m.organization_id
          where m.tenant_id = ${names.tenant} and m.user_id = ${names.user} and ${isCurrent}
            ${withinLimit(names, statement`m.organization_id`)}
            ${request.query.role ? statement`and m.role = ${request.query.role}` : empty}
            ${query === undefined ? empty : matching(statement`o.`, readWords(query))}
            ${page.after ? statement`and (o.name_key, o.id) > (${page.after[0]}, ${page.after[1]})` : empty}
          order by o.name_key, o.id
          limit ${page.take}`,
      }))
      const { data, nextCursor } = makePage(request, reply, page, {
        owner: caller.userId,
        rows: organizations,
        position: ({ nameKey, id }) => [nameKey, id],
      })
      return { data: data.map((row) => toOrganization(row, ownOf(row), caller.assurance)), nextCursor }
    },
  )

  app.get(
    '/organizations/:orgId',
    {
      config: { access: 'organization:read' },
      schema: {
        operationId: 'getOrganization',
        summary: 'Get organization',
        description: 'For its members. Everybody else gets 404.',
        tags: ['Organizations'],
        params: path,
        response: { 200: ref(Organization) },
      },
    },
    async (request, reply) => {
      const { caller, organizations, own } = await request.readInOrganization<{
        organizations: OrganizationRow
        own: OwnMinimumRole
      }>(
        ({ tenant, organization }) => ({
          organizations: selectOrganization(tenant, organization),
          own: selectMinimumRoles(tenant),
        }),
        { byKey: true },
      )
      const organization = withTag(reply, seenBy(caller, found(organizations[0])))
      if (caller.type === 'key') return organization
      return { ...organization, permissions: permissionsHeldBy(caller, own) }
    },
  )

  app.patch(
    '/organizations/:orgId',
    {
      config: {
        access: 'organization:update',
        problems: ['slug_taken', 'confirmation_required'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'updateOrganization',
        summary: 'Update organization',
        description: 'Omitted fields keep their value; `null` clears a field.',
        tags: ['Organizations'],
        params: path,
        body: Type.Object(
          {
            ...patchOf(described),
            ...patchOf(ofOwners),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(Organization) },
      },
    },
    async (request, reply) => {
      const selectBefore = ({ tenant, organization }: Names) => ({
        organizations: selectOrganization(tenant, organization),
      })
      type Before = { organizations: OrganizationRow[] }
      const organization = await request.inOrganization(
        selectBefore,
        async (sql, caller, { organizations }: Before) => {
          const before = found(organizations[0])
          const { secondFactor = before.secondFactor } = request.body
          if (secondFactor !== before.secondFactor) {
            const person = personOf(caller)
            sessionIdOf(person)
            if (!may(caller, 'organization:delete')) throw new ApiProblem('forbidden')
            if (secondFactor === 'required') await checkTwoFactors(sql, person, 'organization')
            checkFresh(person)
          }
          checkVersion(request.context, before)
          const sent = asStored(described, {
            ...request.body,
            metadata: mergeMetadata(before.metadata, request.body.metadata),
          })
          checkPictureUrl(app.config, '/logoUrl', before.logoUrl, sent.logoUrl)
          return seenBy(caller, await updateOrganization(sql, caller, before, sent))
        },
      )
      return withTag(reply, organization)
    },
  )
}

const membershipColumns = statement`
  json_build_object('id', m.id, 'role', m.role, 'status', m.status, 'expiresAt', m.expires_at) as membership`

interface Listed extends OrganizationRow {
  readonly membership: OwnMembership
  readonly nameKey: string
}

function ownOf({ membership: { expiresAt, ...own } }: Listed): OwnMembership {
  return { ...own, expiresAt: expiresAt && inUtc(expiresAt) }
}
