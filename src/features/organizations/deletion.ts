/** Deletion: taking an organization away for good, and everything of it. */
import { Type } from 'typebox'
import { Deleted, deletedNow } from '../../domain/deleted.ts'
import { Confirmation, deleteOrganization } from '../../domain/erasure/organizations.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function deletionRoutes(app: App): Promise<void> {
  app.addSchema(Deleted)

  app.delete(
    '/organizations/:orgId',
    {
      config: { access: 'organization:delete', problems: ['confirmation_mismatch'], takesIfMatch: true },
      schema: {
        operationId: 'deleteOrganization',
        summary: 'Delete organization',
        description: 'Permanent: members, invitations and audit log are deleted as well. Owners and admins get a mail.',
        tags: ['Organizations'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: Confirmation,
        response: { 200: ref(Deleted) },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, caller) => {
        await deleteOrganization(sql, request.context, caller, caller.organizationId, request.body.confirm)
        return deletedNow(sql)
      }),
  )
}
