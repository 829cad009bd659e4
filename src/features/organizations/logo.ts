/** The logo of an organization: uploaded and taken away. That of another server is set by `logoUrl` (organizations.ts). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Names } from '../../domain/access/authorization.ts'
import { updateOrganization } from '../../domain/organizations/changes.ts'
import {
  Organization,
  OrganizationPath,
  type OrganizationRow,
  seenBy,
  selectOrganization,
} from '../../domain/organizations/organizations.ts'
import { newPicture } from '../../domain/pictures/pictures.ts'
import { receivePicture } from '../../domain/pictures/uploads.ts'
import { found } from '../../domain/problems.ts'
import { pictureIn, takePictures } from '../../platform/http/pictures.ts'
import { checkVersion, withTag } from '../../platform/http/preconditions.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const params = Type.Object({ orgId: OrganizationPath })
const config = { access: 'organization:update', takesIfMatch: true } as const

export async function logoRoutes(app: App): Promise<void> {
  await takePictures(app, (scope) => {
    scope.put(
      '/organizations/:orgId/logo',
      {
        config: { ...config, problems: ['overloaded'], takesPicture: true },
        schema: {
          operationId: 'putOrganizationLogo',
          summary: 'Upload logo',
          description:
            'The body is the picture. It becomes one in WebP without metadata that fits into 512 × 512 pixels, and `logoUrl` its URL, a new one each time.',
          tags: ['Organizations'],
          params,
          response: { 200: ref(Organization) },
        },
      },
      async (request, reply) => {
        const { caller } = await request.readInOrganization(selectBefore, { byKey: true })
        return changeLogo(request, reply, await receivePicture(request.context, caller.id, pictureIn(request), 'logo'))
      },
    )
  })

  app.delete(
    '/organizations/:orgId/logo',
    {
      config,
      schema: {
        operationId: 'deleteOrganizationLogo',
        summary: 'Remove logo',
        description: 'Clears `logoUrl`, and deletes the logo if it was uploaded.',
        tags: ['Organizations'],
        params,
        response: { 200: ref(Organization) },
      },
    },
    async (request, reply) => changeLogo(request, reply, undefined),
  )
}

const selectBefore = ({ tenant, organization }: Names) => ({ organizations: selectOrganization(tenant, organization) })

async function changeLogo(request: FastifyRequest, reply: FastifyReply, content: Buffer | undefined) {
  type Before = { organizations: OrganizationRow[] }
  const organization = await request.inOrganization(selectBefore, async (sql, caller, { organizations }: Before) => {
    const before = found(organizations[0])
    checkVersion(request.context, before)
    const named = content && newPicture(request.context.config, sql.tenant, content)
    const sent = { logoUrl: named?.url ?? null }
    return seenBy(caller, await updateOrganization(sql, caller, before, sent, named?.picture))
  })
  return withTag(reply, organization)
}
