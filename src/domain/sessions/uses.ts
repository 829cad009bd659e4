/** Uses: that a secret of an application, and a grant, were used is noted at most once a minute, after the answer (lifetime.ts). */
import type { Sent, Sql } from '../../platform/database/database.ts'

/** @param hash of the secret */
export function noteApplicationSecret(sql: Sql, hash: Buffer): Sent<unknown> {
  return sql`
    update application_secrets set last_used_at = date_trunc('minute', now())
    where tenant_id = ${sql.tenant} and secret_hash = ${hash}
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`
}

export function noteGrant(sql: Sql, id: string): Sent<unknown> {
  return sql`
    update grants set last_used_at = now()
    where tenant_id = ${sql.tenant} and id = ${id} and ended_at is null and last_used_at < now() - interval '1 minute'`
}
