/**
 * Retention: deletes expired rows in small batches.
 *
 * Any number of processes may run it at once: each batch is a transaction, and skips rows that another one has locked.
 */
import type { Database, Purge } from '../database/database.ts'

/** The maximum number of rows that one statement deletes, so that it does not time out. */
const batch = 1_000
/** The time limit of a run, in milliseconds. The next run deletes the rest. */
const timeout = 120_000

/**
 * Runs every purge in every tenant.
 *
 * @param purges the functions that delete a batch of expired rows of a tenant, by name
 * @returns the number of rows that each purge deleted, by name, without zeros
 */
export async function applyRetention(
  database: Database,
  purges: Readonly<Record<string, Purge>>,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  const end = Date.now() + timeout
  const tenants = await database.acrossTenants((sql) => sql<{ id: string }>`select id from tenants order by id`)
  for (const { id } of tenants) {
    for (const [name, purge] of Object.entries(purges)) {
      for (let purged = batch; purged === batch && Date.now() < end; ) {
        purged = (await database.inTenant(id, (sql) => purge(sql, batch))).length
        if (purged > 0) counts[name] = (counts[name] ?? 0) + purged
      }
    }
  }
  return counts
}
