/** Creation: how an organization begins, with the caller as its owner. */
import { Type } from 'typebox'
import { insertOrganization, lockNewOwner } from '../../domain/organizations/creation.ts'
import { described } from '../../domain/organizations/fields.ts'
import { Organization, toOrganization } from '../../domain/organizations/organizations.ts'
import { slugOf } from '../../domain/organizations/slug-of-name.ts'
import { createWithFreeSlug } from '../../domain/organizations/slugs.ts'
import { checkPictureUrl } from '../../domain/pictures/urls.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { recheckCaller } from '../../domain/sessions/recheck.ts'
import { pipeline } from '../../platform/database/database.ts'
import { asStored, optional } from '../../platform/database/fields.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { newId, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function creationRoutes(app: App): Promise<void> {
  app.post(
    '/organizations',
    {
      config: {
        access: 'user',
        scope: 'organizations:create',
        problems: ['slug_taken', 'limit_reached'],
        takesIdempotencyKey: true,
      },
      schema: {
        operationId: 'createOrganization',
        summary: 'Create organization',
        description:
          'The caller becomes the owner, and with that an admin. A person who owns `MAX_ORGANIZATIONS` organizations cannot create another one, but can still receive one by transfer.',
        tags: ['Organizations'],
        body: Type.Object({ ...optional(described), name: described.name.schema }, { additionalProperties: false }),
        response: { 201: ref(Organization) },
      },
    },
    async (request, reply) => {
      const { slug } = request.body
      const metadata = mergeMetadata({}, request.body.metadata) // null is nothing, as in a PATCH
      const sent = asStored(described, { ...request.body, metadata })
      checkPictureUrl(app.config, '/logoUrl', null, sent.logoUrl)
      const create = (tried: string) =>
        request.asUser(async (sql, caller) => {
          const [isActive] = await pipeline([
            lockNewOwner(sql, caller.userId, app.config.maxOrganizations),
            recheckCaller(sql, caller),
          ])
          if (!isActive) throw new ApiProblem('unauthenticated') // suspended meanwhile
          const membership = { id: newId('mem'), role: 'owner', status: 'active', expiresAt: null } as const
          const ids = { id: newId('org'), ownerId: caller.userId, membershipId: membership.id }
          const [[[row]]] = await sql.commit([insertOrganization(sql, caller, { ...sent, ...ids, slug: tried })])
          return toOrganization(found(row), membership, caller.assurance)
        })

      const organization = slug === undefined ? await createWithFreeSlug(slugOf(sent.name), create) : await create(slug)
      reply.status(201).header('location', `/api/organizations/${organization.id}`)
      return withTag(reply, organization)
    },
  )
}
