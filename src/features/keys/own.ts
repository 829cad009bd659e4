/** Keys of a person: one’s own, with which programs do what the person may. Sessions alone make and change them. */
import { Type } from 'typebox'
import { organizationTurn } from '../../domain/access/turns.ts'
import { Key, type KeyRow, KeyWithSecret, selectKeys, toKey } from '../../domain/keys/keys.ts'
import { checkKeysOffered, judgeKey, keysOfUser, lockLiveKey, makeKey, renewSecret } from '../../domain/keys/making.ts'
import { findHeld } from '../../domain/organizations/memberships.ts'
import { found } from '../../domain/problems.ts'
import { SecretRotation, usualOverlap } from '../../domain/secrets.ts'
import { lockOwn } from '../../domain/sessions/ways-in.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { changeKey, endKey } from './changes.ts'
import { KeyChange, KeyList, keyPath, NewPersonalKey, positionOf, selectPage } from './key-fields.ts'

const path = Type.Object(keyPath)

export async function ownKeyRoutes(app: App): Promise<void> {
  app.addSchema(Key)
  app.addSchema(KeyWithSecret)

  app.get(
    '/users/me/keys',
    {
      config: { access: 'user', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listKeys',
        summary: 'List your keys',
        description: 'Live keys first, then newest first.',
        tags: ['Keys'],
        querystring: KeyList,
        response: { 200: Page(Key) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, keys } = await request.readAsUser<{ keys: KeyRow }>(({ tenant, user }) => ({
        keys: selectPage(tenant, keysOfUser(user), request.query, page),
      }))
      return makePage(request, reply, page, {
        owner: caller.id,
        rows: keys.map((row) => toKey(caller.tenantId, row)),
        position: positionOf,
      })
    },
  )

  app.get(
    '/users/me/keys/:keyId',
    {
      config: { access: 'user', problems: ['not_found'] },
      schema: {
        operationId: 'getKey',
        summary: 'Get a key of yours',
        description: 'Its secret was shown when it was made, and is not shown again.',
        tags: ['Keys'],
        params: path,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const { keyId } = request.params
      const { caller, keys } = await request.readAsUser<{ keys: KeyRow }>(
        ({ tenant, user }) => ({
          keys: statement`${selectKeys(tenant)} and k.id = ${keyId} and ${keysOfUser(user)}`,
        }),
        { byKey: true },
      )
      return withTag(reply, toKey(caller.tenantId, found(keys[0])))
    },
  )

  app.post(
    '/users/me/keys',
    {
      config: { access: 'user', proof: 'fresh', problems: ['not_offered', 'not_found', 'limit_reached'] },
      schema: {
        operationId: 'createKey',
        summary: 'Make a key of yours',
        description:
          'With the key, a program may do what its scopes say and what you may do at that moment, whichever is less. The secret is shown once.',
        tags: ['Keys'],
        body: NewPersonalKey,
        response: { 201: ref(KeyWithSecret) },
      },
    },
    async (request, reply) => {
      const { organizationId = null } = request.body
      const made = await request.asUser(async (sql, caller) => {
        const { userId } = caller
        if (organizationId !== null) await lockOrganization(sql, organizationId, userId)
        await lockOwn(sql, caller)
        const { key } = await judgeKey(sql, 'user', request.body)
        if (organizationId !== null) found(await findHeld(sql, organizationId, userId)) // as it is after the locks
        return makeKey(sql, app, caller, { type: 'user', userId, organizationId }, key)
      })
      reply.status(201).header('location', `/api/users/me/keys/${made.key.id}`)
      withTag(reply, made.key)
      return made
    },
  )

  app.patch(
    '/users/me/keys/:keyId',
    {
      config: { access: 'user', problems: ['not_found', 'key_ended'], takesIfMatch: true },
      schema: {
        operationId: 'updateKey',
        summary: 'Narrow a key of yours',
        description: 'Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more.',
        tags: ['Keys'],
        params: path,
        body: KeyChange,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const key = await request.asUser((sql, caller) =>
        changeKey(sql, request.context, caller, keysOfUser(caller.userId), request.params.keyId, request.body),
      )
      return withTag(reply, key)
    },
  )

  app.post(
    '/users/me/keys/:keyId/rotate',
    {
      config: {
        access: 'user',
        proof: 'fresh',
        problems: ['not_offered', 'not_found', 'key_ended'],
      },
      schema: {
        operationId: 'rotateKey',
        summary: 'Rotate a key of yours',
        description:
          'Makes another secret, which is shown once. The one before works for `overlapSeconds` more, and an older one ends at once.',
        tags: ['Keys'],
        params: path,
        body: SecretRotation,
        response: { 200: ref(KeyWithSecret) },
      },
    },
    async (request, reply) => {
      const { overlapSeconds = usualOverlap } = request.body
      const made = await request.asUser(async (sql, caller) => {
        await lockOwn(sql, caller)
        const key = await lockLiveKey(sql, keysOfUser(caller.userId), request.params.keyId)
        await checkKeysOffered(sql, 'user')
        return renewSecret(sql, caller, key, overlapSeconds)
      })
      withTag(reply, made.key)
      return made
    },
  )

  app.delete(
    '/users/me/keys/:keyId',
    {
      config: { access: 'user', problems: ['not_found'], takesIfMatch: true },
      schema: {
        operationId: 'endKey',
        summary: 'End a key of yours',
        description: 'The next request with it gets 401. Invitations and links that were made with it end, too.',
        tags: ['Keys'],
        params: path,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const key = await request.asUser((sql, caller) =>
        endKey(sql, request.context, caller, keysOfUser(caller.userId), request.params.keyId),
      )
      return withTag(reply, key)
    },
  )
}

/**
 * Locks an organization of a person, to which a key is to be limited. The end of a membership locks its organization, and an organization is
 * locked before a person.
 *
 * @throws Problem not_offered, not_found
 */
async function lockOrganization(sql: Sql, organizationId: string, userId: string): Promise<void> {
  // Judged before, too: nobody locks an organization that they are not in, or keeps its members waiting.
  const [, held] = await pipeline([checkKeysOffered(sql, 'user'), findHeld(sql, organizationId, userId)])
  found(held)
  sql.claimTurn(organizationTurn(organizationId))
  await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${organizationId} for share`
}
