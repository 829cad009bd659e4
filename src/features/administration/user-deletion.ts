import { Type } from 'typebox'
import { Deleted, deletedNow } from '../../domain/deleted.ts'
import { eraseAccount } from '../../domain/erasure/erasure.ts'
import { DeletionImpact, type ImpactRows, selectDeletionImpact, toDeletionImpact } from '../../domain/erasure/impact.ts'
import { claimOrganizationsOf } from '../../domain/organizations/memberships.ts'
import { keepAnAdmin } from '../../domain/people/admins.ts'
import type { TenantRole } from '../../domain/permissions/roles.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { statement } from '../../platform/database/database.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { getUser } from './user-creation.ts'

const path = Type.Object({ userId: Id('user') })

export async function userDeletionRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users/:userId/deletion-impact',
    {
      config: { access: 'tenant_admin', scope: 'users:read', problems: ['not_found'] },
      schema: {
        operationId: 'getUserDeletionImpact',
        summary: 'What deleting a user would do',
        description: 'What would be deleted with the account, and what prevents the deletion.',
        tags: ['Administration'],
        params: path,
        response: { 200: DeletionImpact },
      },
    },
    async (request) => {
      const { userId } = request.params
      const { users, ...rows } = await request.readAsTenantAdmin<ImpactRows & { users: { role: TenantRole } }>(
        ({ tenant }) => ({
          users: statement`select role from users where tenant_id = ${tenant} and id = ${userId}`,
          ...selectDeletionImpact(tenant, statement`${userId}`),
        }),
      )
      return toDeletionImpact(found(users[0]).role, rows)
    },
  )

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
        description:
          'Permanent. Organizations whose only member is the user are deleted as well. Admins delete their own accounts with `DELETE /api/users/me`, which requires a proof.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Deleted) },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const { id, name, role } = await getUser(sql, request.params.userId)
        // An open session is not enough to delete one's own account: `DELETE /users/me` requires a proof.
        if (id === caller.id) {
          await keepAnAdmin(sql, { userId: id, role }) // without another admin, that would not help either
          throw new ApiProblem('forbidden')
        }
        await claimOrganizationsOf(sql, id)
        await eraseAccount(sql, request.context, caller, { userId: id, name, role })
        return deletedNow(sql)
      }),
  )
}
