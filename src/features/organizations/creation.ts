/** Creation: how an organization begins, with the caller as its owner. */
import { Type } from 'typebox'
import {
  Organization,
  type OrganizationRow,
  organizationColumns,
  toOrganization,
} from '../../domain/organizations/organizations.ts'
import { slugOf } from '../../domain/organizations/slug-of-name.ts'
import { checkChosen, createWithFreeSlug, Slug } from '../../domain/organizations/slugs.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import {
  HttpsUrl,
  Metadata,
  Nullable,
  newId,
  normalizeName,
  OrganizationName,
  ref,
  searchKey,
} from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function creationRoutes(app: App): Promise<void> {
  app.post(
    '/organizations',
    {
      config: { access: 'user', problems: ['slug_taken', 'limit_reached'], takesIdempotencyKey: true },
      schema: {
        operationId: 'createOrganization',
        summary: 'Create organization',
        description:
          'The caller becomes the owner, and with that an admin. A person who owns `MAX_ORGANIZATIONS` organizations cannot create another one, but can still receive one by transfer.',
        tags: ['Organizations'],
        body: Type.Object(
          {
            name: OrganizationName,
            slug: Type.Optional(Slug),
            logoUrl: Type.Optional(Nullable(HttpsUrl)),
            metadata: Type.Optional(Metadata),
          },
          { additionalProperties: false },
        ),
        response: { 201: ref(Organization) },
      },
    },
    async (request, reply) => {
      const { slug, logoUrl = null } = request.body
      if (slug !== undefined) checkChosen(slug)
      const metadata = mergeMetadata({}, request.body.metadata) // null is nothing, as in a PATCH
      const name = normalizeName(request.body.name)
      const create = (tried: string) =>
        request.asUser(async (sql, caller) => {
          await checkOwned(sql, caller.userId, app.config.maxOrganizations)
          const id = newId('org')
          const [[organization]] = await pipeline([
            sql<OrganizationRow>`
              insert into organizations as o (tenant_id, id, slug, name, name_key, logo_url, metadata, owner_count, member_count)
              values (${sql.tenant}, ${id}, ${tried}, ${name}, ${searchKey(name)}, ${logoUrl}, ${metadata}, 1, 1)
              returning ${organizationColumns}`,
            sql`
              insert into memberships (tenant_id, id, organization_id, user_id, role)
              values (${sql.tenant}, ${newId('mem')}, ${id}, ${caller.userId}, 'owner')`,
            record(sql, caller, 'organization.created', {
              organizationId: id,
              target: { type: 'organization', id },
              details: { name, slug: tried },
            }),
          ])
          return toOrganization(organization as OrganizationRow, 'owner') // as it was inserted
        })

      const organization = slug === undefined ? await createWithFreeSlug(slugOf(name), create) : await create(slug)
      reply.status(201).header('location', `/api/organizations/${organization.id}`)
      return withTag(reply, organization)
    },
  )
}

/**
 * The caller's own row is locked, so that parallel requests cannot pass the limit together.
 *
 * @throws Problem limit_reached, unauthenticated when they were suspended meanwhile
 */
async function checkOwned(sql: Sql, userId: string, limit: number): Promise<void> {
  const [[creator], [owned]] = await pipeline([
    sql<{ status: string }>`
      select status from users where tenant_id = ${sql.tenant} and id = ${userId} for no key update`,
    sql<{ count: number }>`
      select count(*) from memberships where tenant_id = ${sql.tenant} and user_id = ${userId} and role = 'owner'`,
  ])
  if (creator?.status !== 'active') throw new ApiProblem('unauthenticated')
  if ((owned?.count ?? 0) >= limit) throw new ApiProblem('limit_reached')
}
