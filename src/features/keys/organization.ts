/**
 * Keys of an organization. They belong to it and to no person, so they work on when somebody leaves.
 *
 * Invariant: nobody gives a key what they do not hold, nor for longer: who makes or rotates one covers all its scopes until its end.
 */
import { Type } from 'typebox'
import { personOf } from '../../domain/access/actors.ts'
import { Key, type KeyRow, KeyWithSecret, selectKeys, toKey } from '../../domain/keys/keys.ts'
import {
  checkKeysOffered,
  judgeKey,
  keysOfOrganization,
  lockLiveKey,
  makeKey,
  renewSecret,
} from '../../domain/keys/making.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { getMinimumRoles } from '../../domain/permissions/access-model.ts'
import { checkCover } from '../../domain/permissions/rules.ts'
import { found } from '../../domain/problems.ts'
import { SecretRotation, usualOverlap } from '../../domain/secrets.ts'
import { lockOwn } from '../../domain/sessions/ways-in.ts'
import { pipeline, statement } from '../../platform/database/database.ts'
import { makePage, readPage } from '../../platform/http/pagination.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { changeKey, endKey } from './changes.ts'
import { KeyChange, KeyList, keyPath, NewKey, positionOf, selectPage } from './key-fields.ts'

const organization = { orgId: OrganizationPath }
const path = Type.Object({ ...organization, ...keyPath })

export async function organizationKeyRoutes(app: App): Promise<void> {
  app.get(
    '/organizations/:orgId/keys',
    {
      config: { access: 'keys:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listOrganizationKeys',
        summary: 'List an organization’s keys',
        description: 'Live keys first, then newest first.',
        tags: ['Keys'],
        params: Type.Object(organization),
        querystring: KeyList,
        response: { 200: Page(Key) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, keys } = await request.readInOrganization<{ keys: KeyRow }>(({ tenant, organization }) => ({
        keys: selectPage(tenant, keysOfOrganization(organization), request.query, page),
      }))
      return makePage(request, reply, page, {
        owner: caller.id,
        rows: keys.map((row) => toKey(caller.tenantId, row)),
        position: positionOf,
      })
    },
  )

  app.get(
    '/organizations/:orgId/keys/:keyId',
    {
      config: { access: 'keys:read' },
      schema: {
        operationId: 'getOrganizationKey',
        summary: 'Get an organization’s key',
        description: 'Its secret was shown when it was made, and is not shown again.',
        tags: ['Keys'],
        params: path,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const { keyId } = request.params
      const { caller, keys } = await request.readInOrganization<{ keys: KeyRow }>(
        ({ tenant, organization }) => ({
          keys: statement`${selectKeys(tenant)} and k.id = ${keyId} and ${keysOfOrganization(organization)}`,
        }),
        { byKey: true },
      )
      return withTag(reply, toKey(caller.tenantId, found(keys[0])))
    },
  )

  app.post(
    '/organizations/:orgId/keys',
    {
      config: { access: 'keys:write', proof: 'fresh', problems: ['not_offered', 'role_above_yours', 'limit_reached'] },
      schema: {
        operationId: 'createOrganizationKey',
        summary: 'Make a key of an organization',
        description:
          'A program may do with it in the organization what its scopes say. You must hold all of them, until the key ends. The secret is shown once.',
        tags: ['Keys'],
        params: Type.Object(organization),
        body: NewKey,
        response: { 201: ref(KeyWithSecret) },
      },
    },
    async (request, reply) => {
      const made = await request.inOrganization(async (sql, caller) => {
        const maker = personOf(caller)
        const { organizationId } = maker
        await lockOwn(sql, maker)
        const { key, minimumRoles } = await judgeKey(sql, 'organization', request.body)
        checkCover(maker, [{ permissions: key.scopes, until: key.expiresAt }], minimumRoles)
        return makeKey(sql, app, maker, { type: 'organization', userId: null, organizationId }, key)
      })
      reply.status(201).header('location', `/api/organizations/${made.key.organizationId}/keys/${made.key.id}`)
      withTag(reply, made.key)
      return made
    },
  )

  app.patch(
    '/organizations/:orgId/keys/:keyId',
    {
      config: { access: 'keys:write', problems: ['key_ended'], takesIfMatch: true },
      schema: {
        operationId: 'updateOrganizationKey',
        summary: 'Narrow an organization’s key',
        description: 'Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more.',
        tags: ['Keys'],
        params: path,
        body: KeyChange,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const key = await request.inOrganization((sql, caller) =>
        changeKey(
          sql,
          request.context,
          caller,
          keysOfOrganization(caller.organizationId),
          request.params.keyId,
          request.body,
        ),
      )
      return withTag(reply, key)
    },
  )

  app.post(
    '/organizations/:orgId/keys/:keyId/rotate',
    {
      config: {
        access: 'keys:write',
        proof: 'fresh',
        problems: ['not_offered', 'role_above_yours', 'key_ended'],
      },
      schema: {
        operationId: 'rotateOrganizationKey',
        summary: 'Rotate an organization’s key',
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
      const made = await request.inOrganization(async (sql, caller) => {
        const maker = personOf(caller)
        await lockOwn(sql, maker)
        const key = await lockLiveKey(sql, keysOfOrganization(maker.organizationId), request.params.keyId)
        // A rotation hands out a secret: it is judged like making the key.
        const [, minimumRoles] = await pipeline([checkKeysOffered(sql, 'organization'), getMinimumRoles(sql)])
        checkCover(maker, [{ permissions: key.scopes, until: key.chosenEnd }], minimumRoles)
        return renewSecret(sql, maker, key, overlapSeconds)
      })
      withTag(reply, made.key)
      return made
    },
  )

  app.delete(
    '/organizations/:orgId/keys/:keyId',
    {
      config: { access: 'keys:write', takesIfMatch: true },
      schema: {
        operationId: 'endOrganizationKey',
        summary: 'End an organization’s key',
        description: 'The next request with it gets 401. Invitations and links that were made with it end, too.',
        tags: ['Keys'],
        params: path,
        response: { 200: ref(Key) },
      },
    },
    async (request, reply) => {
      const key = await request.inOrganization((sql, caller) =>
        endKey(sql, request.context, caller, keysOfOrganization(caller.organizationId), request.params.keyId),
      )
      return withTag(reply, key)
    },
  )
}
