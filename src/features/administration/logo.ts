/** The logo of the tenant: uploaded and taken away. That of another server is set by `brand.logoUrl` (settings.ts). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newPicture } from '../../domain/pictures/pictures.ts'
import { receivePicture } from '../../domain/pictures/uploads.ts'
import { statement } from '../../platform/database/database.ts'
import { pictureIn, takePictures } from '../../platform/http/pictures.ts'
import { checkVersion, withTag } from '../../platform/http/preconditions.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { getSettings, shown, TenantSettings, updateSettings } from './settings.ts'

const config = { access: 'tenant_admin', takesIfMatch: true } as const

export async function tenantLogoRoutes(app: App): Promise<void> {
  await takePictures(app, (scope) => {
    scope.put(
      '/admin/tenant/logo',
      {
        config: { ...config, problems: ['overloaded'], takesPicture: true },
        schema: {
          operationId: 'putTenantLogo',
          summary: 'Upload the tenant’s logo',
          description:
            'The body is the picture. It becomes one in WebP without metadata that fits into 512 × 512 pixels, and `brand.logoUrl` its URL, a new one each time.',
          tags: ['Administration'],
          response: { 200: ref(TenantSettings) },
        },
      },
      async (request, reply) => {
        const { caller } = await request.readAsTenantAdmin<{ tenants: object }>(
          ({ tenant }) => ({ tenants: statement`select id from tenants where id = ${tenant}` }),
          { byKey: true },
        )
        return changeLogo(request, reply, await receivePicture(request.context, caller.id, pictureIn(request), 'logo'))
      },
    )
  })

  app.delete(
    '/admin/tenant/logo',
    {
      config,
      schema: {
        operationId: 'deleteTenantLogo',
        summary: 'Remove the tenant’s logo',
        description: 'Clears `brand.logoUrl`, and deletes the logo if it was uploaded.',
        tags: ['Administration'],
        response: { 200: ref(TenantSettings) },
      },
    },
    async (request, reply) => changeLogo(request, reply, undefined),
  )
}

async function changeLogo(request: FastifyRequest, reply: FastifyReply, content: Buffer | undefined) {
  const settings = await request.asTenantAdmin(async (sql, caller) => {
    const before = await getSettings(sql)
    checkVersion(request.context, shown(before))
    const named = content && newPicture(request.context.config, sql.tenant, content)
    const brand = { ...before.brand, logoUrl: named?.url ?? null }
    return updateSettings(sql, caller, before, { brand }, named?.picture)
  })
  return withTag(reply, settings)
}
