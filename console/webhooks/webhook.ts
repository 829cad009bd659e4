/** Webhooks: of the tenant, and of an organization. Each has its own path, with the same operations below it. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask, type Body, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { useEndless } from '../parts/endless.tsx'
import { tenantLogKey } from '../tenants/log-key.ts'
import { readTenantAgain } from '../tenants/tenant.ts'

export type Webhook = Versioned<Schemas['Webhook']>
export type WebhookWithSecret = Schemas['WebhookWithSecret']
export type Delivery = Schemas['Delivery']
export type EventType = NonNullable<Body<'createTenantWebhook'>['types']>[number]

interface PageOf<Item> {
  readonly data: readonly Item[]
  readonly nextCursor: string | null
}

interface LogQuery {
  readonly status?: Delivery['status']
  readonly cursor?: string
}

type Retry = NonNullable<Body<'retryTenantWebhook'>>

/** The webhooks of the tenant, or of one organization. */
export interface WebhookList {
  /** The organization in the address; undefined is the tenant. */
  readonly orgId: string | undefined
  readonly queryKey: readonly string[]
  /** Of the log, where each change is an entry. */
  readonly logKey: readonly string[]
  readonly readAll: () => Promise<PageOf<Webhook>>
  readonly read: (webhookId: string) => Promise<Webhook>
  readonly create: (body: Body<'createTenantWebhook'>) => Promise<WebhookWithSecret>
  readonly change: (before: Webhook, body: Body<'updateTenantWebhook'>) => Promise<Webhook>
  readonly rotate: (webhookId: string, body: { readonly overlapSeconds: number }) => Promise<WebhookWithSecret>
  readonly end: (before: Webhook) => Promise<unknown>
  readonly test: (webhookId: string) => Promise<Webhook>
  readonly retry: (webhookId: string, body: Retry) => Promise<{ readonly retried: number }>
  readonly readLog: (webhookId: string, query: LogQuery) => Promise<PageOf<Delivery>>
}

const ofTenant = '/api/admin/webhooks'
const ofOrganization = '/api/organizations/{orgId}/webhooks'

export const tenantWebhooks: WebhookList = {
  orgId: undefined,
  queryKey: ['admin', 'webhooks'],
  logKey: tenantLogKey,
  readAll: () => ask(api.GET(ofTenant, { params: { query: { limit: 50 } } })), // all that there may be
  read: (webhookId) => ask(api.GET(`${ofTenant}/{webhookId}`, { params: { path: { webhookId } } })),
  create: (body) => ask(api.POST(ofTenant, { body })),
  change: (before, body) =>
    ask(
      api.PATCH(`${ofTenant}/{webhookId}`, {
        params: { path: { webhookId: before.id }, ...ifUnchanged(before) },
        body,
      }),
    ),
  rotate: (webhookId, body) =>
    ask(api.POST(`${ofTenant}/{webhookId}/rotate`, { params: { path: { webhookId } }, body })),
  end: (before) =>
    ask(api.DELETE(`${ofTenant}/{webhookId}`, { params: { path: { webhookId: before.id }, ...ifUnchanged(before) } })),
  test: (webhookId) => ask(api.POST(`${ofTenant}/{webhookId}/test`, { params: { path: { webhookId } } })),
  retry: (webhookId, body) => ask(api.POST(`${ofTenant}/{webhookId}/retry`, { params: { path: { webhookId } }, body })),
  readLog: (webhookId, query) =>
    ask(api.GET(`${ofTenant}/{webhookId}/deliveries`, { params: { path: { webhookId }, query } })),
}

export function webhooksOfOrganization(orgId: string): WebhookList {
  const path = (webhookId: string) => ({ path: { orgId, webhookId } })
  return {
    orgId,
    queryKey: ['organizations', orgId, 'webhooks'],
    logKey: ['organizations', orgId, 'audit'],
    readAll: () => ask(api.GET(ofOrganization, { params: { path: { orgId }, query: { limit: 50 } } })),
    read: (webhookId) => ask(api.GET(`${ofOrganization}/{webhookId}`, { params: path(webhookId) })),
    create: (body) => ask(api.POST(ofOrganization, { params: { path: { orgId } }, body })),
    change: (before, body) =>
      ask(api.PATCH(`${ofOrganization}/{webhookId}`, { params: { ...path(before.id), ...ifUnchanged(before) }, body })),
    rotate: (webhookId, body) =>
      ask(api.POST(`${ofOrganization}/{webhookId}/rotate`, { params: path(webhookId), body })),
    end: (before) =>
      ask(api.DELETE(`${ofOrganization}/{webhookId}`, { params: { ...path(before.id), ...ifUnchanged(before) } })),
    test: (webhookId) => ask(api.POST(`${ofOrganization}/{webhookId}/test`, { params: path(webhookId) })),
    retry: (webhookId, body) => ask(api.POST(`${ofOrganization}/{webhookId}/retry`, { params: path(webhookId), body })),
    readLog: (webhookId, query) =>
      ask(api.GET(`${ofOrganization}/{webhookId}/deliveries`, { params: { ...path(webhookId), query } })),
  }
}

/** All of a list: there are at most twenty. */
export const webhooksQuery = ({ queryKey, readAll }: WebhookList) =>
  queryOptions({ queryKey, queryFn: () => readAll().then(({ data }) => data) })

export const webhookQuery = ({ queryKey, read }: WebhookList, webhookId: string) =>
  queryOptions({ queryKey: [...queryKey, webhookId], queryFn: () => read(webhookId) })

/** Reads the latest version, not the cached one. */
export function readWebhook(list: WebhookList, webhookId: string): Promise<Webhook> {
  return queries.fetchQuery({ ...webhookQuery(list, webhookId), staleTime: 0 })
}

/** Of the log of a webhook, with all filters. */
export const deliveriesKey = ({ queryKey }: WebhookList, webhookId: string) => [...queryKey, webhookId, 'deliveries']

export function useDeliveries(list: WebhookList, webhookId: string, query: LogQuery) {
  return useEndless([...deliveriesKey(list, webhookId), query], (cursor) =>
    list.readLog(webhookId, { ...query, ...(cursor !== undefined && { cursor }) }),
  )
}

/** Reads everything again that shows a change of a webhook. */
export function readAgain({ queryKey, logKey }: WebhookList): void {
  void queries.invalidateQueries({ queryKey })
  void queries.invalidateQueries({ queryKey: logKey })
}

/** @throws Refusal version_mismatch if it has changed since `before` */
export async function changeWebhook(
  list: WebhookList,
  before: Webhook,
  body: Body<'updateTenantWebhook'>,
): Promise<Webhook> {
  const webhook = await list.change(before, body).catch(explain)
  queries.setQueryData(webhookQuery(list, before.id).queryKey, webhook)
  readAgain(list)
  return webhook
}

/** @throws Refusal webhooks_full, when there are as many as there may be */
export function createWebhook(list: WebhookList, body: Body<'createTenantWebhook'>): Promise<WebhookWithSecret> {
  return list.create(body).catch(explain)
}

/** For a refused change: webhooks may have been turned off meanwhile. */
export function explain(error: unknown): never {
  if (isRefusal(error, 'not_offered')) void readTenantAgain()
  throw isRefusal(error, 'limit_reached') ? new Refusal({ code: 'webhooks_full' }) : error
}
