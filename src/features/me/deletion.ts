/** Deletion: how somebody deletes their own account, for good. */
import { Type } from 'typebox'
import { confirmPassword, Password } from '../../domain/credentials/passwords.ts'
import { eraseAccount } from '../../domain/erasure/erasure.ts'
import { Deleted, deletedNow } from '../../domain/erasure/organizations.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function accountDeletionRoutes(app: App): Promise<void> {
  app.delete(
    '/users/me',
    {
      config: {
        access: 'user',
        problems: ['wrong_password', 'too_many_attempts', 'overloaded', 'sole_owner', 'last_admin'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'deleteMe',
        summary: 'Delete account',
        description: 'Permanent. Organizations whose only member is the caller are deleted as well.',
        tags: ['Me'],
        body: Type.Object({ password: Password }, { additionalProperties: false }),
        response: { 200: ref(Deleted) },
      },
    },
    async (request) => {
      const { passwordHash } = await confirmPassword(request, request.body.password)
      return request.asUser(async (sql, caller) => {
        await eraseAccount(sql, request.context, caller, { ...caller, role: caller.tenantRole }, passwordHash)
        return deletedNow(sql)
      })
    },
  )
}
