/** Erasure of what webhooks know of a person, and of what waits for the webhooks of an organization. */
import type { Sent, Sql } from '../../platform/database/database.ts'
import { jobKeysOf } from './schedule.ts'

/** Forgets that somebody set URLs. The webhooks stay as they are: they are not theirs. */
export function eraseUrlSetter(sql: Sql, userId: string): Sent<unknown> {
  return sql`
    with theirs as (
      select id from webhooks
      where tenant_id = ${sql.tenant} and url_set_by = ${userId}
      order by id
      for no key update)
    update webhooks w set url_set_by = null
    from theirs
    where w.tenant_id = ${sql.tenant} and w.id = theirs.id`
}

/**
 * Locks an organization's webhooks. To be called before its row goes, and they with it.
 *
 * @returns the keys of the jobs by which they run
 */
export async function lockWebhooksOf(sql: Sql, organizationId: string): Promise<string[]> {
  const webhooks = await sql<{ id: string }>`
    select id from webhooks
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId}
    order by id
    for update`
  return webhooks.flatMap(({ id }) => jobKeysOf(id))
}
