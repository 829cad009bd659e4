/** Keys of the tenant, for the back end of its product. Sessions of tenant admins alone make and change them, and the operator. */
import { Type } from 'typebox'
import { personOf } from '../../domain/access/actors.ts'
import { Key, type KeyRow, KeyWithSecret, selectKeys, toKey } from '../../domain/keys/keys.ts'
import { judgeKey, keysOfTenant, lockLiveKey, makeKey, renewSecret, tenantItself } from '../../domain/keys/making.ts'
import { found } from '../../domain/problems.ts'
import { SecretRotation, usualOverlap } from '../../domain/secrets.ts'
import { lockOwn } from '../../domain/sessions/ways-in.ts'
import { statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { changeKey, endKey } from './changes.ts'
import { KeyChange, KeyList, keyPath, NewKey, positionOf, selectPage } from './key-fields.ts'

const path = Type.Object(keyPath)

export async function tenantKeyRoutes(app: App): Promise<void> {
  app.get(
    '/admin/keys',
    {
      config: { access: 'tenant_admin', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listTenantKeys',
        summary: 'List the tenant’s keys',
        description: 'Live keys first, then newest first.',
        tags: ['Administration'],
        querystring: KeyList,
        response: { 200: Page(Key) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, keys } = await request.readAsTenantAdmin<{ keys: KeyRow }>(({ tenant }) => ({
        keys: selectPage(tenant, keysOfTenant, request.query, page),
      }))
      return makePage(request, reply, page, {
        owner: caller.id,
        rows: keys.map((row) => toKey(caller.tenantId, row)),
        position: positionOf,
      })
    },
  )

  app.get(
    '/admin/keys/:keyId',
    {
      config: { access: 'tenant_admin', problems: ['not_found'] },
      schema: {
        operationId: 'getTenantKey',
        summary: 'Get a key of the tenant',
        description: 'Its secret was shown when it was made, and is not shown again.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const { keyId } = request.params
      const { caller, keys } = await request.readAsTenantAdmin<{ keys: KeyRow }>(
        ({ tenant }) => ({
          keys: statement`${selectKeys(tenant)} and k.id = ${keyId} and ${keysOfTenant}`,
        }),
        { byKey: true },
      )
      return withTag(reply, toKey(caller.tenantId, found(keys[0])))
    },
  )

  app.post(
    '/admin/keys',
    {
      config: { access: 'tenant_admin', proof: 'fresh', problems: ['limit_reached'] },
      schema: {
        operationId: 'createTenantKey',
        summary: 'Make a key of the tenant',
        description:
          'The back end of a product may do with it in the tenant, and in all its organizations, what its scopes say. The secret is shown once.',
        tags: ['Administration'],
        body: NewKey,
        response: { 201: ref(KeyWithSecret) },
      },
    },
    async (request, reply) => {
      const made = await request.asTenantAdmin(async (sql, caller) => {
        const maker = personOf(caller)
        await lockOwn(sql, maker)
        const { key } = await judgeKey(sql, 'tenant', request.body)
        return makeKey(sql, app, maker, tenantItself, key)
      })
      reply.status(201).header('location', `/api/admin/keys/${made.key.id}`)
      withTag(reply, made.key)
      return made
    },
  )

  app.patch(
    '/admin/keys/:keyId',
    {
      config: { access: 'tenant_admin', problems: ['not_found', 'key_ended'], takesIfMatch: true },
      schema: {
        operationId: 'updateTenantKey',
        summary: 'Narrow a key of the tenant',
        description: 'Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more.',
        tags: ['Administration'],
        params: path,
        body: KeyChange,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const key = await request.asTenantAdmin((sql, caller) =>
        changeKey(sql, request.context, caller, keysOfTenant, request.params.keyId, request.body),
      )
      return withTag(reply, key)
    },
  )

  app.post(
    '/admin/keys/:keyId/rotate',
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        problems: ['not_found', 'key_ended'],
      },
      schema: {
        operationId: 'rotateTenantKey',
        summary: 'Rotate a key of the tenant',
        description:
          'Makes another secret, which is shown once. The one before works for `overlapSeconds` more, and an older one ends at once.',
        tags: ['Administration'],
        params: path,
        body: SecretRotation,
        response: { 200: ref(KeyWithSecret) },
      },
    },
    async (request, reply) => {
      const { overlapSeconds = usualOverlap } = request.body
      const made = await request.asTenantAdmin(async (sql, caller) => {
        const maker = personOf(caller)
        await lockOwn(sql, maker)
        const key = await lockLiveKey(sql, keysOfTenant, request.params.keyId)
        return renewSecret(sql, maker, key, overlapSeconds)
      })
      withTag(reply, made.key)
      return made
    },
  )

  app.delete(
    '/admin/keys/:keyId',
    {
      config: { access: 'tenant_admin', problems: ['not_found'], takesIfMatch: true },
      schema: {
        operationId: 'endTenantKey',
        summary: 'End a key of the tenant',
        description: 'The next request with it gets 401. Invitations and links that were made with it end, too.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const key = await request.asTenantAdmin((sql, caller) =>
        endKey(sql, request.context, caller, keysOfTenant, request.params.keyId),
      )
      return withTag(reply, key)
    },
  )
}
