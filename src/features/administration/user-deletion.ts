import { Type } from 'typebox'
import { eraseAccount } from '../../domain/erasure/erasure.ts'
import { Deleted, deletedNow } from '../../domain/erasure/organizations.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { getUser } from './user-creation.ts'

export async function userDeletionRoutes(app: App): Promise<void> {
  app.delete(
    '/admin/users/:userId',
    {
      config: {
        access: 'tenant_admin',
        scope: 'users:delete',
        problems: ['not_found', 'role_above_yours', 'sole_owner', 'last_admin'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'deleteUser',
        summary: 'Delete user',
        description: 'Permanent. Organizations whose only member is the user are deleted as well.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: { 200: ref(Deleted) },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const { id, name, role } = await getUser(sql, request.params.userId)
        await eraseAccount(sql, request.context, caller, { userId: id, name, role })
        return deletedNow(sql)
      }),
  )
}
