/** Webhooks of an organization, and those of the tenant. */
import {
  type Api,
  ask,
  askVersioned,
  type Body,
  type ChangeOptions,
  complete,
  type Deleted,
  type Delivery,
  type Filters,
  type RequestOptions,
  signalOf,
  tagOf,
  type Versioned,
  type Webhook,
  type WebhookWithSecret,
} from './api.ts'
import { type List, listOf } from './lists.ts'

/** Webhooks of an organization, whose tenant must offer them. Changing one needs `webhooks:write` and `events:read`. */
export function organizationWebhooksOf(api: Api) {
  const list = '/api/organizations/{orgId}/webhooks'
  const one = `${list}/{webhookId}` as const
  return {
    /** Oldest first. */
    list(
      orgId: string,
      filters: Filters<'listOrganizationWebhooks'> = {},
      options: RequestOptions = {},
    ): List<Webhook> {
      return listOf(filters, (query) =>
        ask(api.GET(list, { params: { path: { orgId }, query }, ...signalOf(options) })),
      )
    },

    /** The secret is shown once. Needs a fresh session. */
    create(
      orgId: string,
      body: Body<'createOrganizationWebhook'>,
      options: RequestOptions = {},
    ): Promise<WebhookWithSecret> {
      return ask(api.POST(list, { params: { path: { orgId } }, body, ...signalOf(options) }))
    },

    get(orgId: string, webhookId: string, options: RequestOptions = {}): Promise<Versioned<Webhook>> {
      return askVersioned(api.GET(one, { params: { path: { orgId, webhookId } }, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. `after` and `from` move its place. Another URL needs a fresh session. */
    update(
      orgId: string,
      webhookId: string,
      body: Body<'updateOrganizationWebhook'>,
      options: ChangeOptions = {},
    ): Promise<Versioned<Webhook>> {
      const params = { path: { orgId, webhookId }, header: tagOf(options) }
      return askVersioned(api.PATCH(one, { params, body, ...signalOf(options) }))
    },

    /** Makes another secret. The one before signs for `overlapSeconds` more. Needs a fresh session. */
    rotate(
      orgId: string,
      webhookId: string,
      body: Body<'rotateOrganizationWebhook'> = {},
      options: RequestOptions = {},
    ): Promise<WebhookWithSecret> {
      return ask(api.POST(`${one}/rotate`, { params: { path: { orgId, webhookId } }, body, ...signalOf(options) }))
    },

    /** Sends an event `webhook.test`. `lastTest` has the outcome. */
    test(orgId: string, webhookId: string, options: RequestOptions = {}): Promise<Webhook> {
      return ask(api.POST(`${one}/test`, { params: { path: { orgId, webhookId } }, ...signalOf(options) }))
    },

    /** What was sent, and what could not be sent, newest first. */
    deliveries(
      orgId: string,
      webhookId: string,
      filters: Filters<'listOrganizationWebhookDeliveries'> = {},
      options: RequestOptions = {},
    ): List<Delivery> {
      return listOf(filters, (query) =>
        ask(api.GET(`${one}/deliveries`, { params: { path: { orgId, webhookId }, query }, ...signalOf(options) })),
      )
    },

    /** Sends failed events again: those with `sequences`, or all. */
    retry(
      orgId: string,
      webhookId: string,
      body: Body<'retryOrganizationWebhook'> = {},
      options: RequestOptions = {},
    ): Promise<{ retried: number }> {
      return ask(
        api.POST(`${one}/retry`, {
          params: { path: { orgId, webhookId } },
          body: complete(body),
          ...signalOf(options),
        }),
      )
    },

    delete(orgId: string, webhookId: string, options: ChangeOptions = {}): Promise<Deleted> {
      const params = { path: { orgId, webhookId }, header: tagOf(options) }
      return ask(api.DELETE(one, { params, ...signalOf(options) }))
    },
  }
}

/** Webhooks of the tenant, to which all its events are sent. */
export function tenantWebhooksOf(api: Api) {
  const list = '/api/admin/webhooks'
  const one = `${list}/{webhookId}` as const
  return {
    /** Oldest first. */
    list(filters: Filters<'listTenantWebhooks'> = {}, options: RequestOptions = {}): List<Webhook> {
      return listOf(filters, (query) => ask(api.GET(list, { params: { query }, ...signalOf(options) })))
    },

    /** The secret is shown once. Needs a fresh session. */
    create(body: Body<'createTenantWebhook'>, options: RequestOptions = {}): Promise<WebhookWithSecret> {
      return ask(api.POST(list, { body, ...signalOf(options) }))
    },

    get(webhookId: string, options: RequestOptions = {}): Promise<Versioned<Webhook>> {
      return askVersioned(api.GET(one, { params: { path: { webhookId } }, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. `after` and `from` move its place. Another URL needs a fresh session. */
    update(
      webhookId: string,
      body: Body<'updateTenantWebhook'>,
      options: ChangeOptions = {},
    ): Promise<Versioned<Webhook>> {
      const params = { path: { webhookId }, header: tagOf(options) }
      return askVersioned(api.PATCH(one, { params, body, ...signalOf(options) }))
    },

    /** Makes another secret. The one before signs for `overlapSeconds` more. Needs a fresh session. */
    rotate(
      webhookId: string,
      body: Body<'rotateTenantWebhook'> = {},
      options: RequestOptions = {},
    ): Promise<WebhookWithSecret> {
      return ask(api.POST(`${one}/rotate`, { params: { path: { webhookId } }, body, ...signalOf(options) }))
    },

    /** Sends an event `webhook.test`. `lastTest` has the outcome. */
    test(webhookId: string, options: RequestOptions = {}): Promise<Webhook> {
      return ask(api.POST(`${one}/test`, { params: { path: { webhookId } }, ...signalOf(options) }))
    },

    /** What was sent, and what could not be sent, newest first. */
    deliveries(
      webhookId: string,
      filters: Filters<'listTenantWebhookDeliveries'> = {},
      options: RequestOptions = {},
    ): List<Delivery> {
      return listOf(filters, (query) =>
        ask(api.GET(`${one}/deliveries`, { params: { path: { webhookId }, query }, ...signalOf(options) })),
      )
    },

    /** Sends failed events again: those with `sequences`, or all. */
    retry(
      webhookId: string,
      body: Body<'retryTenantWebhook'> = {},
      options: RequestOptions = {},
    ): Promise<{ retried: number }> {
      return ask(
        api.POST(`${one}/retry`, { params: { path: { webhookId } }, body: complete(body), ...signalOf(options) }),
      )
    },

    delete(webhookId: string, options: ChangeOptions = {}): Promise<Deleted> {
      const params = { path: { webhookId }, header: tagOf(options) }
      return ask(api.DELETE(one, { params, ...signalOf(options) }))
    },
  }
}
