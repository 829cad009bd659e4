/** Linked accounts of users, as tenant admins see and unlink them. */
import { Type } from 'typebox'
import { personOf } from '../../domain/access/actors.ts'
import { Identity, type IdentityRow, selectIdentities, toIdentity } from '../../domain/credentials/identities.ts'
import { caps } from '../../domain/limits/caps.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { unlinkIdentity } from '../../domain/sessions/linking.ts'
import { checkFactorChange } from '../../domain/sessions/ways-in.ts'
import { statement } from '../../platform/database/database.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { lockFor } from './factors.ts'

export async function userIdentityRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users/:userId/identities',
    {
      config: { access: 'tenant_admin', scope: 'users:read', problems: ['not_found'] },
      schema: {
        operationId: 'listUserIdentities',
        summary: 'List a user’s linked accounts',
        description: 'The whole list.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user') }),
        response: {
          200: Type.Object(
            { data: Type.Array(ref(Identity), { maxItems: caps.identities.most }) },
            { description: 'The whole list.' },
          ),
        },
      },
    },
    async (request) => {
      const { userId } = request.params
      const { users, identities } = await request.readAsTenantAdmin<{ users: object; identities: IdentityRow }>(
        ({ tenant }) => ({
          users: statement`select from users where tenant_id = ${tenant} and id = ${userId}`,
          identities: selectIdentities(tenant, userId),
        }),
        { byKey: true },
      )
      if (users.length === 0) throw new ApiProblem('not_found')
      return { data: identities.map(toIdentity) }
    },
  )

  app.delete(
    '/admin/users/:userId/identities/:identityId',
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        problems: ['not_found', 'last_way_in', 'second_factor_required'],
      },
      schema: {
        operationId: 'unlinkUserIdentity',
        summary: 'Unlink a user’s account',
        description: 'Ends the sessions that it began, and mails the user. A way to sign in must remain.',
        tags: ['Administration'],
        params: Type.Object({ userId: Id('user'), identityId: Id('idn') }),
        response: { 200: ref(Identity) },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const { userId, identityId } = request.params
        const admin = personOf(caller)
        const person = await lockFor(sql, admin, userId)
        if (userId === admin.userId) checkFactorChange(person, admin)
        return unlinkIdentity(sql, app, admin, person, identityId)
      }),
  )
}
