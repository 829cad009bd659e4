/**
 * Deliveries: the log of what a webhook has sent, or was to send, and what sends something of it again; and tests of a webhook.
 *
 * Nothing that an endpoint has answered is in it but the status: it may hold anything personal.
 */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Caller, KeyCaller } from '../../domain/access/actors.ts'
import { placeBefore } from '../../domain/events/feed.ts'
import { limits } from '../../domain/limits/limits.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { actionsIn } from '../../domain/record/entries.ts'
import { recheckCredential } from '../../domain/sessions/recheck.ts'
import { isSending, queueTest } from '../../domain/webhooks/schedule.ts'
import { lockWebhook, type OwnedWebhook, tryNow } from '../../domain/webhooks/webhook-states.ts'
import {
  Delivery,
  Webhook,
  type WebhookRow,
  webhooksOfOrganization,
  webhooksOfTenant,
} from '../../domain/webhooks/webhooks.ts'
import { empty, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { makePage, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { Page, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { checkKey, checkOffered, checkReader } from './changes.ts'
import { DeliveryList, Retried, Retry, selectOne, webhookPath } from './webhook-fields.ts'

const tenantPath = Type.Object(webhookPath)
const organizationPath = Type.Object({ orgId: OrganizationPath, ...webhookPath })
const ofTenant = '/admin/webhooks/:webhookId'
const ofOrganization = '/organizations/:orgId/webhooks/:webhookId'

/** How many of those that failed are sent again at once. */
const mostRetried = 500

const words = {
  list: {
    summary: 'List what a webhook sent',
    description: 'Newest first. Its times are those of the events.',
    querystring: DeliveryList,
    response: { 200: Page(Delivery) },
  },
  retry: {
    summary: 'Send events of a webhook again',
    description: `Those of \`sequences\` that are in its log; without a body, all that failed. ${mostRetried} at most. \`retried\` says how many.`,
    body: Retry,
    response: { 202: Retried },
  },
  test: {
    summary: 'Test a webhook',
    description: 'Sends an event of type `webhook.test`, which is not in the feed. `lastTest` then says how it went.',
    response: { 202: ref(Webhook) },
  },
} as const
const rates = ['webhook-test']

export async function deliveryRoutes(app: App): Promise<void> {
  app.addSchema(Delivery)

  app.get(
    `${ofTenant}/deliveries`,
    {
      config: { access: 'tenant_admin', scope: 'webhooks:read', problems: ['not_found', 'invalid_cursor'] },
      schema: {
        operationId: 'listTenantWebhookDeliveries',
        ...words.list,
        tags: ['Administration'],
        params: tenantPath,
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, webhooks, deliveries } = await request.readAsTenantAdmin<Rows>(({ tenant }) =>
        selectLog(tenant, webhooksOfTenant, request.params.webhookId, request.query, page),
      )
      const rows = toLog(found(webhooks[0]), deliveries)
      return makePage(request, reply, page, { owner: caller.id, rows, position: positionOf })
    },
  )

  app.get(
    `${ofOrganization}/deliveries`,
    {
      config: { access: 'webhooks:read', problems: ['invalid_cursor'] },
      schema: {
        operationId: 'listOrganizationWebhookDeliveries',
        ...words.list,
        tags: ['Events'],
        params: organizationPath,
      },
    },
    async (request, reply) => {
      const page = readPage(request)
      const { caller, webhooks, deliveries } = await request.readInOrganization<Rows>(({ tenant, organization }) =>
        selectLog(tenant, webhooksOfOrganization(organization), request.params.webhookId, request.query, page),
      )
      const rows = toLog(found(webhooks[0]), deliveries)
      return makePage(request, reply, page, { owner: caller.id, rows, position: positionOf })
    },
  )

  app.post(
    `${ofTenant}/retry`,
    {
      config: {
        access: 'tenant_admin',
        scope: 'webhooks:write',
        problems: ['not_found', 'webhook_disabled'],
      },
      schema: { operationId: 'retryTenantWebhook', ...words.retry, tags: ['Administration'], params: tenantPath },
    },
    async (request, reply) => {
      const { params, body } = request
      const retried = await request.asTenantAdmin((sql, caller) => {
        checkKey(caller)
        return retry(sql, caller, { owner: null, id: params.webhookId }, body)
      })
      reply.status(202)
      return { retried }
    },
  )

  app.post(
    `${ofOrganization}/retry`,
    {
      config: { access: 'webhooks:write', problems: ['not_offered', 'webhook_disabled'] },
      schema: { operationId: 'retryOrganizationWebhook', ...words.retry, tags: ['Events'], params: organizationPath },
    },
    async (request, reply) => {
      const { params, body } = request
      const retried = await request.inOrganization(async (sql, caller) => {
        await checkOffered(sql)
        checkReader(caller)
        return retry(sql, caller, { owner: caller.organizationId, id: params.webhookId }, body)
      })
      reply.status(202)
      return { retried }
    },
  )

  app.post(
    `${ofTenant}/test`,
    {
      config: { access: 'tenant_admin', scope: 'webhooks:write', problems: ['not_found', 'webhook_disabled'], rates },
      schema: { operationId: 'testTenantWebhook', ...words.test, tags: ['Administration'], params: tenantPath },
    },
    async (request, reply) => {
      const { webhookId } = request.params
      const { caller, webhooks } = await request.readAsTenantAdmin<{ webhooks: WebhookRow }>(({ tenant }) => ({
        webhooks: selectOne(tenant, webhooksOfTenant, webhookId),
      }))
      checkKey(caller)
      await countTest(request, caller, found(webhooks[0]))
      reply.status(202)
      return request.asTenantAdmin((sql, caller) => {
        checkKey(caller)
        return queueTestOf(sql, caller, { owner: null, id: webhookId })
      })
    },
  )

  app.post(
    `${ofOrganization}/test`,
    {
      config: { access: 'webhooks:write', problems: ['not_offered', 'webhook_disabled'], rates },
      schema: { operationId: 'testOrganizationWebhook', ...words.test, tags: ['Events'], params: organizationPath },
    },
    async (request, reply) => {
      const { webhookId } = request.params
      const { caller, webhooks } = await request.readInOrganization<{ webhooks: WebhookRow }>(
        ({ tenant, organization }) => ({
          webhooks: selectOne(tenant, webhooksOfOrganization(organization), webhookId),
        }),
      )
      checkReader(caller)
      await countTest(request, caller, found(webhooks[0]))
      reply.status(202)
      return request.inOrganization(async (sql, caller) => {
        await checkOffered(sql)
        checkReader(caller)
        return queueTestOf(sql, caller, { owner: caller.organizationId, id: webhookId })
      })
    },
  )
}

/** @throws Problem rate_limited */
function countTest({ context }: FastifyRequest, { tenantId }: Caller | KeyCaller, { id }: WebhookRow): Promise<void> {
  return context.rates.count(context, [
    { policy: 'webhook-test', rate: limits['webhook-test'].rateOf(), tenant: tenantId, whose: id },
  ])
}

/** @throws Problem not_found, webhook_disabled */
async function queueTestOf(sql: Sql, caller: Caller | KeyCaller, which: OwnedWebhook): Promise<WebhookRow> {
  const webhook = await lockEnabled(sql, caller, which)
  await queueTest(sql, which.id)
  return webhook
}

/**
 * Has events sent again, from the first wait of the schedule on. Those that age has removed from the feed are not. Each event is looked up
 * by itself, and not by `exists`: else PostgreSQL reads all that failed, and not the first ones.
 *
 * @returns how many
 * @throws Problem not_found, webhook_disabled
 */
async function retry(
  sql: Sql,
  caller: Caller | KeyCaller,
  which: OwnedWebhook,
  { sequences }: Static<typeof Retry>,
): Promise<number> {
  await lockEnabled(sql, caller, which)
  const { id } = which
  const rows = await sql`
    with wanted as (
      select d.sequence
      from webhook_deliveries d
      where d.tenant_id = ${sql.tenant} and d.webhook_id = ${id}
        and ${sequences ? statement`d.sequence = any(${sequences}::bigint[])` : statement`d.status = 'failed'`}
        and (select true from feed f where f.tenant_id = ${sql.tenant} and f.sequence = d.sequence)
      order by d.sequence
      limit ${mostRetried}
      for no key update)
    update webhook_deliveries d
    set status = 'retrying', attempts = 0, next_at = statement_timestamp()
    from wanted
    where d.tenant_id = ${sql.tenant} and d.webhook_id = ${id} and d.sequence = wanted.sequence
    returning d.sequence`
  if (rows.length > 0) await tryNow(sql, id)
  return rows.length
}

async function lockEnabled(sql: Sql, caller: Caller | KeyCaller, which: OwnedWebhook): Promise<WebhookRow> {
  const webhook = await lockWebhook(sql, which)
  await recheckCredential(sql, caller)
  if (webhook.status === 'disabled') throw new ApiProblem('webhook_disabled')
  return webhook
}

type Rows = { readonly webhooks: SenderRow; readonly deliveries: DeliveryRow }

/** A webhook, as far as its log depends on it. */
interface SenderRow {
  readonly isSending: boolean
  /** When a failing one is tried. */
  readonly nextTrialAt: string | null
}

interface DeliveryRow extends Omit<Static<typeof Delivery>, 'lastAttempt'> {
  readonly attemptedAt: string
  readonly responseStatus: number | null
  readonly error: Static<typeof Delivery>['lastAttempt']['error']
  readonly milliseconds: number
}

/** One that is set aside is due by its own time, but a failing webhook sends nothing before its trial. */
function toLog({ isSending, nextTrialAt }: SenderRow, rows: readonly DeliveryRow[]): Static<typeof Delivery>[] {
  const isEarly = (nextAt: string) => nextTrialAt !== null && Date.parse(nextAt) < Date.parse(nextTrialAt)
  return rows.map(({ attemptedAt: at, responseStatus: status, error, milliseconds, nextAt, ...delivery }) => ({
    ...delivery,
    lastAttempt: { at, status, error, milliseconds },
    nextAt: nextAt === null || !isSending ? null : isEarly(nextAt) ? nextTrialAt : nextAt,
  }))
}

function positionOf({ sequence }: Static<typeof Delivery>) {
  return [String(sequence)]
}

/** Each type is read by itself, so that a rare one is found soon; except of those that are not delivered, of which there are few. */
function selectLog(
  tenant: string,
  owned: Statement,
  id: string,
  { status, types, from, to }: Static<typeof DeliveryList>,
  { take, after }: PageRequest,
): { readonly webhooks: Statement; readonly deliveries: Statement } {
  const newest = (condition: Statement) => statement`
    select d.sequence, d.entry_id as event_id, d.action as type, d.status, greatest(d.attempts, 1) as attempts, d.attempted_at,
      d.response_status, d.error, d.milliseconds, d.next_at
    from webhook_deliveries d
    where d.tenant_id = ${tenant} and d.webhook_id = ${id} and ${condition}
      ${status ? withStatus[status] : empty}
      ${from ? statement`and d.sequence > ${placeBefore(from)}` : empty}
      ${to ? statement`and d.sequence <= ${placeBefore(to)}` : empty}
      ${after ? statement`and d.sequence < ${Number(after[0])}` : empty}
    order by d.sequence desc
    limit ${take}`
  const isThere = statement`exists (select from webhooks w where w.tenant_id = ${tenant} and w.id = ${id} and ${owned})`
  const webhooks = statement`
    select ${isSending} as is_sending, w.next_at as next_trial_at
    from webhooks w
    join tenants t on t.id = w.tenant_id
    where w.tenant_id = ${tenant} and w.id = ${id} and ${owned}`
  if (!types) return { webhooks, deliveries: newest(isThere) }
  const actions = statement`${actionsIn(types)}::text[]`
  const chosen =
    status === 'retrying' || status === 'failed'
      ? newest(statement`d.action = any(${actions}) and ${isThere}`)
      : statement`
          select found.*
          from unnest(${actions}) wanted (action)
          cross join lateral (${newest(statement`d.action = wanted.action and ${isThere}`)}) found
          order by found.sequence desc
          limit ${take}`
  return { webhooks, deliveries: chosen }
}

/** As constants, so that the index of those that are not delivered can be used. */
const withStatus = {
  delivered: statement`and d.status = 'delivered'`,
  retrying: statement`and d.status = 'retrying'`,
  failed: statement`and d.status = 'failed'`,
}
