/** Keys of a user, for tenant admins: they see and end them. */
import { Type } from 'typebox'
import { Key, type KeyRow, toKey } from '../../domain/keys/keys.ts'
import { keysOfUser } from '../../domain/keys/making.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { Id, Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { endKey } from './changes.ts'
import { KeyList, keyPath, positionOf, selectPage } from './key-fields.ts'

const user = { userId: Id('user') }

export async function userKeyRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users/:userId/keys',
    {
      config: { access: 'tenant_admin', problems: ['not_found', 'invalid_cursor'] },
      schema: {
        operationId: 'listUserKeys',
        summary: 'A user’s keys',
        description: 'Live keys first, then newest first.',
        tags: ['Administration'],
        params: Type.Object(user),
        querystring: KeyList,
        response: { 200: Page(Key) },
      },
    },
    async (request, reply) => {
      const { userId } = request.params
      const page = readPage(request)
      const { caller, owners, keys } = await request.readAsTenantAdmin<{ owners: object; keys: KeyRow }>(
        ({ tenant }) => ({
          owners: statement`select from users where tenant_id = ${tenant} and id = ${userId}`,
          keys: selectPage(tenant, keysOfUser(userId), request.query, page),
        }),
      )
      if (owners.length === 0) throw new ApiProblem('not_found')
      return makePage(request, reply, page, {
        owner: caller.id,
        rows: keys.map((row) => toKey(caller.tenantId, row)),
        position: positionOf,
      })
    },
  )

  app.delete(
    '/admin/users/:userId/keys/:keyId',
    {
      config: { access: 'tenant_admin', problems: ['not_found'], takesIfMatch: true },
      schema: {
        operationId: 'endUserKey',
        summary: 'End a user’s key',
        description: 'The next request with it gets 401. Invitations and links that were made with it end, too.',
        tags: ['Administration'],
        params: Type.Object({ ...user, ...keyPath }),
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const { userId, keyId } = request.params
      const key = await request.asTenantAdmin((sql, caller) =>
        endKey(sql, request.context, caller, keysOfUser(userId), keyId),
      )
      return withTag(reply, key)
    },
  )
}
