/** Retention of the logs of webhooks: rows go with the events that they are about, and those of webhooks that were deleted. */
import type { Purge, Sql } from '../../platform/database/database.ts'
import { lastExpired } from '../record/feed-erasure.ts'
import { noteDropped } from '../record/missed-events.ts'
import type { DeliveryStatus } from './webhooks.ts'

/** Deletes what is older than events are kept. An event that was set aside is then missed. */
export const purgeDeliveries: Purge = async (sql, batch) => {
  const webhooks = await lockLogged(sql, batch)
  const rows = await sql<{ webhookId: string; sequence: number; status: DeliveryStatus }>`
    with over as (
      select d.webhook_id, d.sequence
      from webhook_deliveries d
      where d.tenant_id = ${sql.tenant} and d.sequence <= ${lastExpired(sql.tenant)} and d.webhook_id = any(${webhooks}::text[])
      order by d.sequence
      limit ${batch}
      for update skip locked)
    delete from webhook_deliveries d
    using over
    where d.tenant_id = ${sql.tenant} and d.webhook_id = over.webhook_id and d.sequence = over.sequence
    returning d.webhook_id, d.sequence, d.status`
  const dropped = new Map<string, number>()
  for (const { webhookId, sequence, status } of rows)
    if (status === 'retrying') dropped.set(webhookId, Math.max(sequence, dropped.get(webhookId) ?? 0))
  if (dropped.size > 0) await noteDropped(sql, dropped)
  return rows
}

/**
 * Locks the webhooks of the oldest rows of the log before these, as do those who change a webhook.
 *
 * @returns their ids, also of those that are gone
 */
async function lockLogged(sql: Sql, batch: number): Promise<string[]> {
  const rows = await sql<{ webhookId: string }>`
    select distinct over.webhook_id
    from (
      select d.webhook_id
      from webhook_deliveries d
      where d.tenant_id = ${sql.tenant} and d.sequence <= ${lastExpired(sql.tenant)}
      order by d.sequence
      limit ${batch}) over`
  const webhooks = rows.map(({ webhookId }) => webhookId)
  if (webhooks.length > 0)
    await sql`
      select from webhooks w
      where w.tenant_id = ${sql.tenant} and w.id = any(${webhooks}::text[])
      order by w.id
      for no key update`
  return webhooks
}

/** Deletes the log of webhooks that are gone, which are found by looking up one webhook after another. */
export const purgeLostDeliveries: Purge = (sql, batch) => sql`
  with recursive logged (id) as (
    (select d.webhook_id from webhook_deliveries d where d.tenant_id = ${sql.tenant} order by d.webhook_id limit 1)
    union all
    select (
      select d.webhook_id from webhook_deliveries d
      where d.tenant_id = ${sql.tenant} and d.webhook_id > logged.id
      order by d.webhook_id
      limit 1)
    from logged
    where logged.id is not null),
  over as (
    select d.webhook_id, d.sequence
    from logged
    join webhook_deliveries d on d.tenant_id = ${sql.tenant} and d.webhook_id = logged.id
    where not exists (select from webhooks w where w.tenant_id = ${sql.tenant} and w.id = logged.id)
    limit ${batch})
  delete from webhook_deliveries d
  using over
  where d.tenant_id = ${sql.tenant} and d.webhook_id = over.webhook_id and d.sequence = over.sequence
  returning d.sequence`
