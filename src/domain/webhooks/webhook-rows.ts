/** Rows of webhooks: how one begins. */
import type { Sent, Sql } from '../../platform/database/database.ts'
import type { Webhook } from './webhooks.ts'

/** A webhook that is to be stored. */
export interface NewWebhook extends Pick<Webhook, 'id' | 'organizationId' | 'name' | 'url' | 'types' | 'status'> {
  /** The id of the person who has set the URL. Null: nobody of the tenant; then no mail says that they have left. */
  readonly urlSetBy: string | null
}

/** Stores a webhook, which sends what happens from now on. A disabled one was disabled by a person. */
export function insertWebhook(
  sql: Sql,
  { id, organizationId, name, url, urlSetBy, types, status }: NewWebhook,
): Sent<unknown> {
  const because = status === 'disabled' ? 'person' : null
  return sql`
    insert into webhooks (tenant_id, id, organization_id, name, url, url_set_by, setter_left, types, place, status, disabled_because)
    select t.id, ${id}, ${organizationId}, ${name}, ${url}, ${urlSetBy}, ${urlSetBy === null},
      ${types}::text[], coalesce(f.head, 0), ${status}, ${because}
    from tenants t
    left join feeds f on f.tenant_id = t.id
    where t.id = ${sql.tenant}`
}

/** Notes that the tenant has webhooks, so that its events are relayed at once. */
export function noteWebhooks(sql: Sql): Sent<unknown> {
  return sql`update tenants set has_webhooks = true where id = ${sql.tenant} and not has_webhooks`
}
