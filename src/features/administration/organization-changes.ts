/** Organizations that an admin of the tenant makes and changes. The admin need not be in them. */
import { Type } from 'typebox'
import type { ActingCaller } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { inAnyOrganization, recheckAdmin } from '../../domain/organizations/administration.ts'
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
import { checkChosen, createWithFreeSlug } from '../../domain/organizations/slugs.ts'
import { ExternalId, externalIdOfOrganization, setExternalIdOfOrganization } from '../../domain/people/external-ids.ts'
import { dropPicture, insertPicture, type NewPicture } from '../../domain/pictures/pictures.ts'
import { checkPictureUrl } from '../../domain/pictures/urls.ts'
import { found } from '../../domain/problems.ts'
import { changesBetween } from '../../domain/record/changes.ts'
import { record } from '../../domain/record/record.ts'
import { wordsOfOrganization } from '../../domain/search/words.ts'
import { indexOrganization, newWords, sameWords } from '../../domain/search/writing.ts'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { asStored, assignments, optional, patchOf } from '../../platform/database/fields.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { checkVersion, type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, Nullable, newId, ref, searchKey } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const { name: _required, slug: maybeSlug, ...others } = optional(described)

/** As `selectForAdmins` selects it. */
export type AdministeredRow = OrganizationRow & Versioned & { readonly externalId: string | null }

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
            memberLimit: Type.Optional(
              Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, format: 'int32', examples: [50] })),
            ),
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
        return changeOrganization(sql, caller, before, sent)
      })
      return withTag(reply, seenFromOutside(organization))
    },
  )
}

/** What is read with the door, as `selectBefore` selects it. */
export type Before = { organizations: AdministeredRow[] }

/** Selects what a change of an organization must know, after it was locked. */
export const selectBefore = ({ tenant, organization }: Names) => ({
  organizations: selectForAdmins(tenant, organization),
})

/** What is changed of an organization, as it is stored. */
type Changes = Partial<Pick<AdministeredRow, keyof typeof described | keyof typeof ofTenantAdmins | 'externalId'>>

/**
 * Writes what has changed of an organization whose row is locked.
 *
 * @param picture that `logoUrl` names, if it is a new one
 * @throws Problem slug_taken for one that the service keeps; ConstraintError for one that is taken
 */
export async function changeOrganization(
  sql: Sql,
  caller: ActingCaller,
  before: AdministeredRow,
  sent: Changes,
  picture?: NewPicture,
): Promise<AdministeredRow> {
  const { organizationId: id } = caller
  const details = changesBetween(before, sent)
  if (!details) return before
  if (sent.slug !== undefined && sent.slug !== before.slug) checkChosen(sent.slug)
  const wanted = { ...before, ...sent }
  const [isRenamed, words] = [Boolean(details.name ?? details.slug), wordsOfOrganization(wanted)]
  const owner = { organizationId: id }
  await pipeline([
    sql`
      update organizations
      set ${assignments({ ...described, ...ofTenantAdmins }, wanted)}, name_key = ${searchKey(wanted.name)},
        ${isRenamed ? newWords(words) : sameWords}, version = version + 1, updated_at = now()
      where tenant_id = ${sql.tenant} and id = ${id}`,
    isRenamed && indexOrganization(sql, { id, words }),
    Boolean(details.logoUrl) && dropPicture(sql, owner),
    picture && insertPicture(sql, owner, picture),
    Boolean(details.externalId) && setExternalIdOfOrganization(sql, id, wanted.externalId),
    record(sql, caller, 'organization.updated', {
      organizationId: id,
      target: { type: 'organization', id },
      details,
    }),
  ])
  return getRow(sql, id)
}

/** Of an organization whose row is locked. */
async function getRow(sql: Sql, id: string): Promise<AdministeredRow> {
  const [row] = await sql<AdministeredRow>`${selectForAdmins(sql.tenant, id)}`
  return row as AdministeredRow
}

/** Selects an organization as admins of the tenant see it. */
function selectForAdmins(tenant: string, id: Statement | string): Statement {
  return statement`
    select ${organizationColumns}, ${externalIdOfOrganization(tenant)}
    from organizations o
    where o.tenant_id = ${tenant} and o.id = ${id}`
}
