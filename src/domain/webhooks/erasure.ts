/** Erasure of what webhooks know of a person, and of what waits for the webhooks of an organization. */
import type { Sent, Sql } from '../../platform/database/database.ts'
import { removeJobs } from '../../platform/jobs/queue.ts'
import { jobKeysOf } from './schedule.ts'

/** Forgets that somebody set URLs. The webhooks stay as they are: they are not theirs. */
export function eraseUrlSetter(sql: Sql, userId: string): Sent<unknown> {
  return sql`
    update webhooks set url_set_by = null
    where tenant_id = ${sql.tenant} and url_set_by = ${userId}`
}

/** Removes the waiting runs of an organization's webhooks. To be called before its row goes, and they with it. */
export async function removeRunsOfOrganization(sql: Sql, organizationId: string): Promise<void> {
  const webhooks = await sql<{ id: string }>`
    select id from webhooks where tenant_id = ${sql.tenant} and organization_id = ${organizationId}`
  await removeJobs(
    sql,
    webhooks.flatMap(({ id }) => jobKeysOf(id)),
  )
}
