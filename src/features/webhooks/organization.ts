/** Webhooks of an organization, while the tenant offers them. */
import { Type } from 'typebox'
import { personOf } from '../../domain/access/actors.ts'
import { Deleted } from '../../domain/deleted.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { found } from '../../domain/problems.ts'
import { usualOverlap } from '../../domain/secrets.ts'
import { recheckCaller, recheckCredential } from '../../domain/sessions/recheck.ts'
import { deleteWebhook, makeWebhook, noteWebhooks, rotateWebhook } from '../../domain/webhooks/webhook-states.ts'
import {
  toWebhook,
  Webhook,
  type WebhookRow,
  WebhookWithSecret,
  webhooksOfOrganization,
} from '../../domain/webhooks/webhooks.ts'
import { byCreation, makePage, readPage } from '../../platform/http/pagination.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { applyPatch, checkOffered, checkReader, checkSender, checkUrl } from './changes.ts'
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

const organization = { orgId: OrganizationPath }
const path = Type.Object({ ...organization, ...webhookPath })
const list = '/organizations/:orgId/webhooks'

export async function organizationWebhookRoutes(app: App): Promise<void> {
  app.addSchema(Webhook)
  app.addSchema(WebhookWithSecret)

  app.get(
    list,
    {
      config: { access: 'webhooks:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listOrganizationWebhooks',
        summary: 'List an organization’s webhooks',
        description: 'Oldest first. While the tenant offers organizations no webhooks, theirs are paused.',
        tags: ['Events'],
        params: Type.Object(organization),
        querystring: WebhookList,
        response: { 200: Page(Webhook) },
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, webhooks } = await request.readInOrganization<{ webhooks: WebhookRow }>(
        ({ tenant, organization }) => ({
          webhooks: selectWebhookPage(tenant, webhooksOfOrganization(organization), page),
        }),
      )
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
      config: { access: 'webhooks:read' },
      schema: {
        operationId: 'getOrganizationWebhook',
        summary: 'Get an organization’s webhook',
        description: 'With its place in the feed, and how sending goes.',
        tags: ['Events'],
        params: path,
        response: { 200: ref(Webhook) },
      },
    },
    async (request, reply) => {
      const { webhookId } = request.params
      const { webhooks } = await request.readInOrganization<{ webhooks: WebhookRow }>(
        ({ tenant, organization }) => ({
          webhooks: selectOne(tenant, webhooksOfOrganization(organization), webhookId),
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
        access: 'webhooks:write',
        proof: 'fresh',
        problems: ['not_offered', 'limit_reached', 'events_expired'],
      },
      schema: {
        operationId: 'createOrganizationWebhook',
        summary: 'Make a webhook of an organization',
        description:
          'Events of the organization are sent to its URL from then on, signed with the secret, which is shown once. Needs `events:read`, too. The owners get a mail.',
        tags: ['Events'],
        params: Type.Object(organization),
        body: NewWebhook,
        response: { 201: ref(WebhookWithSecret) },
      },
    },
    async (request, reply) => {
      const { name, url, types = [], status = 'active', ...begin } = request.body
      const { caller } = await request.readInOrganization(() => ({}))
      checkReader(caller)
      await checkUrl(app, caller, 'organization', url)
      // In a transaction of its own, which waits for the tenant before the door locks the organization.
      await app.database.inTenant(caller.tenantId, async (sql) => {
        await checkOffered(sql)
        await noteWebhooks(sql)
      })
      const made = await request.inOrganization(async (sql, caller) => {
        checkReader(caller)
        const person = personOf(caller)
        await checkOffered(sql)
        const place = (await placeIn(sql, begin)) ?? (await latestPlace(sql))
        const wanted = { name, url, types, status, place, setBy: person.userId }
        const made = await makeWebhook(sql, app, caller, caller.organizationId, wanted)
        await recheckCaller(sql, person) // the feed may have been waited for
        return made
      })
      reply
        .status(201)
        .header('location', `/api/organizations/${made.webhook.organizationId}/webhooks/${made.webhook.id}`)
      withTag(reply, made.webhook)
      return made
    },
  )

  app.patch(
    `${list}/:webhookId`,
    {
      config: {
        access: 'webhooks:write',
        problems: ['not_offered', 'events_expired', 'confirmation_required'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'updateOrganizationWebhook',
        summary: 'Change an organization’s webhook',
        description:
          'Omitted fields keep their value. `after` or `from` moves its place: back to send events again, forward to skip them. Another URL needs a fresh session; the owners get a mail. Needs `events:read`, too.',
        tags: ['Events'],
        params: path,
        body: WebhookPatch,
        response: { 200: ref(Webhook) },
      },
    },
    async (request, reply) => {
      const { webhookId } = request.params
      const { url } = request.body
      const { caller, webhooks } = await request.readInOrganization<{ webhooks: WebhookRow }>(
        ({ tenant, organization }) => ({
          webhooks: selectOne(tenant, webhooksOfOrganization(organization), webhookId),
        }),
      )
      checkReader(caller)
      const judged = found(webhooks[0]).url === url ? undefined : url
      if (judged !== undefined) {
        checkSender(caller)
        await checkUrl(app, caller, 'organization', judged)
      }
      const webhook = await request.inOrganization(async (sql, caller) => {
        checkReader(caller)
        await checkOffered(sql)
        const which = { owner: caller.organizationId, id: webhookId }
        return applyPatch(sql, request.context, caller, which, { body: request.body, isJudged: judged !== undefined })
      })
      return withTag(reply, webhook)
    },
  )

  app.delete(
    `${list}/:webhookId`,
    {
      config: { access: 'webhooks:write', takesIfMatch: true },
      schema: {
        operationId: 'deleteOrganizationWebhook',
        summary: 'Delete an organization’s webhook',
        description: 'Permanent, with its log. For about a second, attempts may still begin. Needs `events:read`, too.',
        tags: ['Events'],
        params: path,
        response: { 200: ref(Deleted) },
      },
    },
    async (request) =>
      request.inOrganization(async (sql, caller) => {
        checkReader(caller)
        const which = { owner: caller.organizationId, id: request.params.webhookId }
        const deletedAt = await deleteWebhook(sql, request.context, caller, which)
        await recheckCredential(sql, caller)
        return { deleted: true, deletedAt }
      }),
  )

  app.post(
    `${list}/:webhookId/rotate`,
    {
      config: { access: 'webhooks:write', proof: 'fresh', problems: ['not_offered'] },
      schema: {
        operationId: 'rotateOrganizationWebhook',
        summary: 'Rotate the secret of an organization’s webhook',
        description:
          'Makes another secret, which is shown once. Meanwhile both sign: the one before for `overlapSeconds` more. An older one ends at once. Needs `events:read`, too.',
        tags: ['Events'],
        params: path,
        body: WebhookRotation,
        response: { 200: ref(WebhookWithSecret) },
      },
    },
    async (request, reply) => {
      const { overlapSeconds = usualOverlap } = request.body
      const made = await request.inOrganization(async (sql, caller) => {
        checkReader(caller)
        await checkOffered(sql)
        const which = { owner: caller.organizationId, id: request.params.webhookId }
        const rotated = await rotateWebhook(sql, app, caller, which, overlapSeconds)
        await recheckCredential(sql, caller)
        return rotated
      })
      withTag(reply, made.webhook)
      return made
    },
  )
}
