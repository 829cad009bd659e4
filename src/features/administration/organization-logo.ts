/** The logo of any organization of the tenant: an admin of the tenant uploads it and takes it away, as the organization’s owner could. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { inAnyOrganization, readInAnyOrganization } from '../../domain/organizations/administration.ts'
import { updateOrganization } from '../../domain/organizations/changes.ts'
import { Organization, OrganizationPath, seenFromOutside } from '../../domain/organizations/organizations.ts'
import { newPicture } from '../../domain/pictures/pictures.ts'
import { receivePicture } from '../../domain/pictures/uploads.ts'
import { found } from '../../domain/problems.ts'
import { pictureIn, takePictures } from '../../platform/http/pictures.ts'
import { checkVersion, withTag } from '../../platform/http/preconditions.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { type Before, selectBefore } from './organization-changes.ts'

const params = Type.Object({ orgId: OrganizationPath })
const config = { access: 'tenant_admin', scope: 'organization:update', takesIfMatch: true } as const

export async function organizationLogoRoutes(app: App): Promise<void> {
  await takePictures(app, (scope) => {
    scope.put(
      '/admin/organizations/:orgId/logo',
      {
        config: { ...config, problems: ['not_found', 'overloaded'], takesPicture: true },
        schema: {
          operationId: 'putTenantOrganizationLogo',
          summary: 'Upload the logo of an organization of the tenant',
          description:
            'The body is the picture. It becomes one in WebP without metadata that fits into 512 × 512 pixels, and `logoUrl` its URL, a new one each time.',
          tags: ['Administration'],
          params,
          response: { 200: ref(Organization) },
        },
      },
      async (request, reply) => {
        const { caller } = await readInAnyOrganization(request, selectBefore, { byKey: true })
        return changeLogo(request, reply, await receivePicture(request.context, caller.id, pictureIn(request), 'logo'))
      },
    )
  })

  app.delete(
    '/admin/organizations/:orgId/logo',
    {
      config: { ...config, problems: ['not_found'] },
      schema: {
        operationId: 'deleteTenantOrganizationLogo',
        summary: 'Remove the logo of an organization of the tenant',
        description: 'Clears `logoUrl`, and deletes the logo if it was uploaded.',
        tags: ['Administration'],
        params,
        response: { 200: ref(Organization) },
      },
    },
    async (request, reply) => changeLogo(request, reply, undefined),
  )
}

async function changeLogo(
  request: FastifyRequest<{ Params: { orgId: string } }>,
  reply: FastifyReply,
  content: Buffer | undefined,
) {
  const organization = await inAnyOrganization(request, selectBefore, async (sql, caller, read: Before) => {
    const before = found(read.organizations[0])
    checkVersion(request.context, before)
    const named = content && newPicture(request.context.config, sql.tenant, content)
    return updateOrganization(sql, caller, before, { logoUrl: named?.url ?? null }, named?.picture)
  })
  return withTag(reply, seenFromOutside(organization))
}
