/** Organizations that an admin of the tenant makes and changes. The admin need not be in them. */
import { Type } from 'typebox'
import type { Names } from '../../domain/access/authorization.ts'
import { inAnyOrganization, recheckAdmin } from '../../domain/organizations/administration.ts'
import { updateOrganization } from '../../domain/organizations/changes.ts'
import { insertOrganization, lockNewOwner } from '../../domain/organizations/creation.ts'
import { described, ofTenantAdmins } from '../../domain/organizations/fields.ts'
import {
  Organization,
  OrganizationPath,
  type OrganizationRow,
  organizationColumns,
  seenFromOutside,
} from '../../domain/organizations/organizations.ts'
import { slugOf } from '../../domain/organizations/slug-of-name.ts'
import { createWithFreeSlug } from '../../domain/organizations/slugs.ts'
import { ExternalId, externalIdOfOrganization, setExternalIdOfOrganization } from '../../domain/people/external-ids.ts'
import { checkPictureUrl } from '../../domain/pictures/urls.ts'
import { found } from '../../domain/problems.ts'
import { pipeline, type Statement, statement } from '../../platform/database/database.ts'
import { asStored, optional, patchOf } from '../../platform/database/fields.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { checkVersion, withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, Nullable, newId, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const { name: _required, slug: maybeSlug, ...others } = optional(described)

export async function organizationChangeRoutes(app: App): Promise<void> {
  app.post(
    '/admin/organizations',
    {
      config: {
        access: 'tenant_admin',
        scope: 'organizations:create',
        problems: ['slug_taken', 'limit_reached', 'external_id_taken'],
        takesIdempotencyKey: true,
      },
      schema: {
        operationId: 'createTenantOrganization',
        summary: 'Create an organization for a user',
        description:
          'The user becomes the owner. `MAX_ORGANIZATIONS` counts the organizations that the user owns, as if they had made it.',
        tags: ['Administration'],
        body: Type.Object(
          {
            name: described.name.schema,
            slug: maybeSlug,
            ownerId: { ...Id('user'), description: 'An active user of the tenant.' },
            ...others,
            externalId: Type.Optional(Nullable(ExternalId)),
          },
          { additionalProperties: false },
        ),
        response: { 201: ref(Organization) },
      },
    },
    async (request, reply) => {
      const { slug, ownerId, externalId = null, ...body } = request.body
      const metadata = mergeMetadata({}, body.metadata) // null is nothing, as in a PATCH
      const sent = asStored(described, { ...body, metadata })
      checkPictureUrl(app.config, '/logoUrl', null, sent.logoUrl)
      const create = (tried: string) =>
        request.asTenantAdmin(async (sql, caller) => {
          const [isActive] = await pipeline([
            lockNewOwner(sql, ownerId, app.config.maxOrganizations),
            recheckAdmin(sql, caller),
          ])
          if (!isActive) throw invalidRequest([faultOf('/ownerId', 'not_allowed', 'An active user is needed.')])
          const ids = { id: newId('org'), ownerId, membershipId: newId('mem') }
          const [[[row]]] = await sql.commit([
            insertOrganization(sql, caller, { ...sent, ...ids, slug: tried }),
            externalId !== null && setExternalIdOfOrganization(sql, ids.id, externalId),
          ])
          return { ...found(row), externalId }
        })
      const row = slug === undefined ? await createWithFreeSlug(slugOf(sent.name), create) : await create(slug)
      reply.status(201).header('location', `/api/admin/organizations/${row.id}`)
      return withTag(reply, seenFromOutside(row))
    },
  )

  app.patch(
    '/admin/organizations/:orgId',
    {
      config: {
        access: 'tenant_admin',
        scope: 'organization:update',
        problems: ['not_found', 'slug_taken', 'external_id_taken'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'updateTenantOrganization',
        summary: 'Update an organization of the tenant',
        description: 'Omitted fields keep their value; `null` clears a field. A limit below the count removes nobody.',
        tags: ['Administration'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: Type.Object(
          {
            ...patchOf(described),
            externalId: Type.Optional(Nullable(ExternalId)),
            ...patchOf(ofTenantAdmins),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(Organization) },
      },
    },
    async (request, reply) => {
      const organization = await inAnyOrganization(request, selectBefore, (sql, caller, read: Before) => {
        const before = found(read.organizations[0])
        checkVersion(request.context, before)
        const sent = asStored(described, {
          ...request.body,
          metadata: mergeMetadata(before.metadata, request.body.metadata),
        })
        checkPictureUrl(app.config, '/logoUrl', before.logoUrl, sent.logoUrl)
        return updateOrganization(sql, caller, before, sent)
      })
      return withTag(reply, seenFromOutside(organization))
    },
  )
}

/** What is read with the door, as `selectBefore` selects it. */
export type Before = { organizations: OrganizationRow[] }

/** Selects what a change of an organization must know, after it was locked. */
export const selectBefore = ({ tenant, organization }: Names) => ({
  organizations: selectForAdmins(tenant, organization),
})

/** Selects an organization as admins of the tenant see it. */
function selectForAdmins(tenant: string, id: Statement | string): Statement {
  return statement`
    select ${organizationColumns}, ${externalIdOfOrganization(tenant)}
    from organizations o
    where o.tenant_id = ${tenant} and o.id = ${id}`
}
