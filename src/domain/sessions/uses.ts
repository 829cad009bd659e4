/** Uses: that a secret of an application, and a grant, were used is noted at most once a minute, after the answer (lifetime.ts). */
import type { Sql } from '../../platform/database/database.ts'

/** @param hash of the secret */
export async function noteApplicationSecret(sql: Sql, hash: Buffer): Promise<void> {
  await sql`
    update application_secrets set last_used_at = date_trunc('minute', now())
    where tenant_id = ${sql.tenant} and secret_hash = ${hash}
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`
}

export async function noteGrant(sql: Sql, id: string): Promise<void> {
  await sql`
    update grants set last_used_at = now()
    where tenant_id = ${sql.tenant} and id = ${id} and ended_at is null and last_used_at < now() - interval '1 minute'`
}
