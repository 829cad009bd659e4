/**
 * Retention: deletes what has had its time, in small batches.
 *
 * Any number of processes may run it at once: each batch is a transaction of its own, and skips rows that another one has locked.
 */
import type { Database, Purge } from '../database/database.ts'

/** How many rows a statement deletes at most, so that it ends well within its time. */
const batch = 1_000
/** How long a run may take, in milliseconds; the next run does the rest. */
const timeout = 120_000

/**
 * Runs through all tenants.
 *
 * @param purges what is over in a tenant, by name
 * @returns how many rows each of them deleted, by name, where it deleted any
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
