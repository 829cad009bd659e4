/** Webhooks of the tenant, which send events of all that is in it. Sessions of tenant admins alone make them, and set their URLs. */
import { Type } from 'typebox'
import { personOf } from '../../domain/access/actors.ts'
import { Deleted } from '../../domain/deleted.ts'
import { found } from '../../domain/problems.ts'
import { usualOverlap } from '../../domain/secrets.ts'
import { recheckCaller, recheckCredential } from '../../domain/sessions/recheck.ts'
import { deleteWebhook, makeWebhook, rotateWebhook } from '../../domain/webhooks/webhook-states.ts'
import {
  toWebhook,
  Webhook,
  type WebhookRow,
  WebhookWithSecret,
  webhooksOfTenant,
} from '../../domain/webhooks/webhooks.ts'
import { byCreation, makePage, readPage } from '../../platform/http/pagination.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { applyPatch, checkKey, checkSender, checkUrl } from './changes.ts'
import {
  latestPlace,
  NewWebhook,
  placeIn,
  selectOne,
  selectWebhookPage,
  WebhookList,
  WebhookPatch,
  WebhookRotation,
  webhookPath,
} from './webhook-fields.ts'

const path = Type.Object(webhookPath)
const list = '/admin/webhooks'

export async function tenantWebhookRoutes(app: App): Promise<void> {
  app.get(
    list,
    {
      config: { access: 'tenant_admin', scope: 'webhooks:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listTenantWebhooks',
        summary: 'List the tenant’s webhooks',
        description: 'Oldest first. Those of organizations are in the organizations.',
        tags: ['Administration'],
        querystring: WebhookList,
        response: { 200: Page(Webhook) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, webhooks } = await request.readAsTenantAdmin<{ webhooks: WebhookRow }>(({ tenant }) => ({
        webhooks: selectWebhookPage(tenant, webhooksOfTenant, page),
      }))
      return makePage(request, reply, page, {
        owner: caller.id,
        rows: webhooks.map(toWebhook),
        position: byCreation,
      })
    },
  )

  app.get(
    `${list}/:webhookId`,
    {
      config: { access: 'tenant_admin', scope: 'webhooks:read', problems: ['not_found'] },
      schema: {
        operationId: 'getTenantWebhook',
        summary: 'Get a webhook of the tenant',
        description: 'With its place in the feed, and how sending goes.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Webhook) },
      },
    },
    async (request, reply) => {
      const { webhookId } = request.params
      const { webhooks } = await request.readAsTenantAdmin<{ webhooks: WebhookRow }>(
        ({ tenant }) => ({
          webhooks: selectOne(tenant, webhooksOfTenant, webhookId),
        }),
        { byKey: true },
      )
      return withTag(reply, toWebhook(found(webhooks[0])))
    },
  )

  app.post(
    list,
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        problems: ['limit_reached', 'events_expired'],
      },
      schema: {
        operationId: 'createTenantWebhook',
        summary: 'Make a webhook of the tenant',
        description:
          'All events of the tenant are sent to its URL from then on, signed with the secret, which is shown once. The tenant’s admins get a mail.',
        tags: ['Administration'],
        body: NewWebhook,
        response: { 201: ref(WebhookWithSecret) },
      },
    },
    async (request, reply) => {
      const { name, url, types = [], status = 'active', ...begin } = request.body
      const { caller } = await request.readAsTenantAdmin(() => ({}))
      await checkUrl(app, caller, 'tenant', url)
      const made = await request.asTenantAdmin(async (sql, caller) => {
        const person = personOf(caller)
        const place = (await placeIn(sql, begin)) ?? (await latestPlace(sql))
        const wanted = { name, url, types, status, place, setBy: person.userId }
        const made = await makeWebhook(sql, app, caller, null, wanted)
        await recheckCaller(sql, person) // the feed may have been waited for
        return made
      })
      reply.status(201).header('location', `/api/admin/webhooks/${made.webhook.id}`)
      withTag(reply, made.webhook)
      return made
    },
  )

  app.patch(
    `${list}/:webhookId`,
    {
      config: {
        access: 'tenant_admin',
        scope: 'webhooks:write',
        problems: ['not_found', 'events_expired', 'confirmation_required'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'updateTenantWebhook',
        summary: 'Change a webhook of the tenant',
        description:
          'Omitted fields keep their value. `after` or `from` moves its place: back to send events again, forward to skip them. Another URL needs a fresh session; the tenant’s admins get a mail. A key needs `events:read`, too.',
        tags: ['Administration'],
        params: path,
        body: WebhookPatch,
        response: { 200: ref(Webhook) },
      },
    },
    async (request, reply) => {
      const { webhookId } = request.params
      const { url } = request.body
      const { caller, webhooks } = await request.readAsTenantAdmin<{ webhooks: WebhookRow }>(({ tenant }) => ({
        webhooks: selectOne(tenant, webhooksOfTenant, webhookId),
      }))
      checkKey(caller)
      const judged = found(webhooks[0]).url === url ? undefined : url
      if (judged !== undefined) {
        checkSender(caller)
        await checkUrl(app, caller, 'tenant', judged)
      }
      const webhook = await request.asTenantAdmin(async (sql, caller) => {
        checkKey(caller)
        const which = { owner: null, id: webhookId }
        return applyPatch(sql, request.context, caller, which, { body: request.body, isJudged: judged !== undefined })
      })
      return withTag(reply, webhook)
    },
  )

  app.delete(
    `${list}/:webhookId`,
    {
      config: { access: 'tenant_admin', scope: 'webhooks:write', problems: ['not_found'], takesIfMatch: true },
      schema: {
        operationId: 'deleteTenantWebhook',
        summary: 'Delete a webhook of the tenant',
        description:
          'Permanent, with its log. For about a second, attempts may still begin. A key needs `events:read`, too.',
        tags: ['Administration'],
        params: path,
        response: { 200: ref(Deleted) },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        checkKey(caller)
        const which = { owner: null, id: request.params.webhookId }
        const deletedAt = await deleteWebhook(sql, request.context, caller, which)
        await recheckCredential(sql, caller)
        return { deleted: true, deletedAt }
      }),
  )

  app.post(
    `${list}/:webhookId/rotate`,
    {
      config: { access: 'tenant_admin', proof: 'fresh', problems: ['not_found'] },
      schema: {
        operationId: 'rotateTenantWebhook',
        summary: 'Rotate the secret of a webhook of the tenant',
        description:
          'Makes another secret, which is shown once. Meanwhile both sign: the one before for `overlapSeconds` more. An older one ends at once.',
        tags: ['Administration'],
        params: path,
        body: WebhookRotation,
        response: { 200: ref(WebhookWithSecret) },
      },
    },
    async (request, reply) => {
      const { overlapSeconds = usualOverlap } = request.body
      const made = await request.asTenantAdmin(async (sql, caller) => {
        const which = { owner: null, id: request.params.webhookId }
        const rotated = await rotateWebhook(sql, app, caller, which, overlapSeconds)
        await recheckCredential(sql, caller)
        return rotated
      })
      withTag(reply, made.webhook)
      return made
    },
  )
}
