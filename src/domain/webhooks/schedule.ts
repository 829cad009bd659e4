/**
 * The schedule of webhooks: when a webhook’s run is queued, and where.
 *
 * A webhook has at most two waiting jobs: one that is due, by which the relay or a person wakes it, and one for later, when the next retry is
 * due. The first keeps its turn when more events come, so that webhooks with fewer events do not always go before one with many. A webhook is
 * always in the same of its tenant’s 8 queues, so that no tenant has more than 8 at work and no webhook two runs. Failing and slow ones have
 * 8 other queues and places of their own, so that they delay no others. One that begins to be slow gives its queue and its place back while it
 * waits for an answer (domain/delivery/waiting.ts). Tests have 8 queues and places of their own, too, because a
 * person waits for them.
 *
 * Invariant: a run reads what is due when it begins. So a job that comes twice does no harm, and `selectDue` finds the webhook of a lost one.
 */
import { type Database, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { addJobs, findKeys, type NewJob } from '../../platform/jobs/queue.ts'

declare module '../../platform/jobs/queue.ts' {
  interface Tasks {
    /** A run of a webhook that answers soon. */
    send_webhook: WebhookJob
    /** A run of one that is failing or slow. */
    send_failing_webhook: WebhookJob
    /** A test of a webhook. */
    test_webhook: WebhookJob
    /** Queues the runs that webhooks of a tenant need, of those that have none. */
    wake_webhooks: { readonly tenantId: string }
  }
}

/** Whose run a job is. */
export interface WebhookJob {
  readonly tenantId: string
  readonly webhookId: string
}

/** How many queues a tenant has in each lane. */
const queues = 8

/** Whether `webhooks w` is failing or slow, which decides in which lane its runs are. */
export const isLate = statement`(w.status = 'failing' or coalesce(w.slow_until > statement_timestamp(), false))`

/** When `webhooks w` is tried, in seconds since 1970; null: it is not failing. */
export const trialAt = statement`extract(epoch from w.next_at)::float8`

/** Whether `webhooks w` of the tenant `t` sends at all: organizations’ webhooks are paused while the tenant does not offer them. */
export const isSending = statement`
  (w.status <> 'disabled' and (w.organization_id is null or t.organization_webhooks))`

/**
 * Queues a webhook’s run. A waiting one is replaced: one for now keeps its turn, one for later gets the new time.
 *
 * @param isLate whether it is failing or slow
 * @param delay  in seconds; 0: now, and beside a run that is queued for later
 */
export function queueRun(sql: Sql, webhookId: string, isLate: boolean, delay = 0): Sent<unknown> {
  return addJobs(sql, [runOf(sql.tenant, webhookId, isLate, delay)])
}

function runOf(
  tenant: string,
  webhookId: string,
  isLate: boolean,
  delay: number,
): NewJob<'send_webhook' | 'send_failing_webhook'> {
  const [now, later] = jobKeysOf(webhookId)
  return {
    task: isLate ? 'send_failing_webhook' : 'send_webhook',
    payload: { tenantId: tenant, webhookId },
    key: delay > 0 ? later : now,
    queue: `${isLate ? 'webhooks-failing' : 'webhooks'}:${tenant}:${queueNumberOf(webhookId)}`,
    delay,
    isExact: delay > 0,
  }
}

/** Queues a test of a webhook. One that waits is replaced. */
export function queueTest(sql: Sql, webhookId: string): Sent<unknown> {
  const [, , key] = jobKeysOf(webhookId)
  return addJobs(sql, [
    {
      task: 'test_webhook',
      payload: { tenantId: sql.tenant, webhookId },
      key,
      queue: `webhook-tests:${sql.tenant}:${queueNumberOf(webhookId)}`,
    },
  ])
}

/** Has all webhooks of the tenant looked at that have something to send. */
export function queueWakes(sql: Sql): Sent<unknown> {
  return addJobs(sql, [
    { task: 'wake_webhooks', payload: { tenantId: sql.tenant }, key: `wake-webhooks:${sql.tenant}` },
  ])
}

/** @returns the keys of its waiting jobs: of the run that is due, of that for later, and of a test */
export function jobKeysOf(webhookId: string): readonly [now: string, later: string, test: string] {
  return [`webhook:${webhookId}`, `webhook-later:${webhookId}`, `webhook-test:${webhookId}`]
}

/** Which of its tenant’s queues a webhook is in. `selectWakes` says it again. */
function queueNumberOf(webhookId: string): number {
  return webhookId.charCodeAt(webhookId.length - 1) % queues
}

/**
 * Selects the runs that new events need: `task`, `payload`, `key` and `queue`. Failing webhooks have runs of their own.
 *
 * @param organizations those that have new events
 */
export function selectWakes(tenant: string, organizations: readonly string[]): Statement {
  return selectRuns(
    tenant,
    statement`w.status = 'active' and (w.organization_id is null or w.organization_id = any(${organizations}::text[]))`,
  )
}

/** @param condition on `webhooks w` */
function selectRuns(tenant: string, condition: Statement): Statement {
  return statement`
    select case when ${isLate} then 'send_failing_webhook' else 'send_webhook' end as task,
      json_build_object('tenantId', w.tenant_id, 'webhookId', w.id) as payload,
      'webhook:' || w.id as key,
      case when ${isLate} then 'webhooks-failing:' else 'webhooks:' end
        || w.tenant_id || ':' || ascii(right(w.id, 1)) % ${queues}::integer as queue
    from webhooks w
    join tenants t on t.id = w.tenant_id
    where w.tenant_id = ${tenant} and ${isSending} and ${condition}`
}

/** How many webhooks are woken in one transaction, whose jobs are one row of the outbox. */
const mostWoken = 500

/**
 * Queues runs of the tenant’s webhooks that have something to send and no run: of a lost job, of the time while they were paused, or while no
 * secret opened.
 *
 * @returns how many
 */
export async function wakeDue(database: Database, tenant: string): Promise<number> {
  let count = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { last, woken } = await database.inTenant(tenant, async (sql) => {
      const due = await sql<{ id: string; isLate: boolean }>`${selectDue(tenant, after ?? '')}`
      const waiting = await findKeys(
        sql,
        due.map(({ id }) => jobKeysOf(id)[0]),
      )
      const jobs = due
        .filter(({ id }) => !waiting.has(jobKeysOf(id)[0]))
        .map(({ id, isLate }) => ({ ...runOf(tenant, id, isLate, 0), isExact: true })) // if one waits, its time is to come
      if (jobs.length > 0) await addJobs(sql, jobs)
      return { last: due.length === mostWoken ? due.at(-1)?.id : undefined, woken: jobs.length }
    })
    after = last
    count += woken
    if (woken === mostWoken) await database.relay.drain(tenant) // so that the relay takes them bit by bit
  }
  return count
}

/** Selects webhooks that have something to send now: events after their place, events that were set aside, or a trial. */
function selectDue(tenant: string, after: string): Statement {
  // Not `exists`: PostgreSQL expects to find an event soon, and reads the whole feed if there is none.
  const next = (condition: Statement) => statement`(
    select f.sequence from feed f
    where f.tenant_id = ${tenant} and f.sequence > w.place and ${condition}
    order by f.sequence
    limit 1)`
  return statement`
    select w.id, ${isLate} as is_late
    from webhooks w
    join tenants t on t.id = w.tenant_id
    where w.tenant_id = ${tenant} and w.id > ${after} and ${isSending} and case when w.status = 'failing'
      then coalesce(w.next_at <= statement_timestamp(), true)
      else exists (
          select from webhook_deliveries d
          where d.tenant_id = ${tenant} and d.webhook_id = w.id and d.next_at <= statement_timestamp())
        or case when w.organization_id is null then ${next(statement`true`)}
          else ${next(statement`f.organization_id = w.organization_id`)} end is not null end
    order by w.id
    limit ${mostWoken}`
}
