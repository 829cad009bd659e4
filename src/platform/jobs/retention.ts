/**
 * Retention: deletes expired rows in small batches.
 *
 * Any number of processes may run it at once: each batch is a transaction, and skips rows that another one has locked.
 *
 * Invariant: no purge and no tenant delays the others for long. In each round every purge deletes one batch in every tenant. A purge
 * that fails in a tenant is over there until the next run. The order of the tenants is random, in case the time is over before the round.
 */
import type { Database, Purge } from '../database/database.ts'

/** The maximum number of rows that one statement deletes, so that it does not time out. */
const batch = 1_000
/** The time limit of a run, in milliseconds. The next run deletes the rest. */
const timeout = 120_000

/** A purge in one tenant, or one of rows that belong to no tenant. */
interface TenantPurge {
  readonly name: string
  /** @returns the number of rows that it deleted */
  readonly purge: () => Promise<number>
}

/**
 * Runs every purge in every tenant.
 *
 * @param purges     the functions that delete a batch of expired rows of a tenant, by name
 * @param tenantless those of global tables
 * @returns the number of rows that each purge deleted, by name, without zeros
 * @throws AggregateError of what failed, after everything else has run
 */
export async function applyRetention(
  database: Database,
  purges: Readonly<Record<string, Purge>>,
  tenantless: Readonly<Record<string, Purge>> = {},
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  const failed: { name: string; error: unknown }[] = []
  const end = performance.now() + timeout
  let remaining = await purgesByTenant(database, purges, tenantless)
  while (remaining.length > 0) {
    const unfinished: TenantPurge[] = []
    for (const each of remaining) {
      if (performance.now() >= end) break
      try {
        const purged = await each.purge()
        if (purged > 0) counts[each.name] = (counts[each.name] ?? 0) + purged
        if (purged === batch) unfinished.push(each)
      } catch (error) {
        failed.push({ name: each.name, error })
      }
    }
    remaining = performance.now() < end ? unfinished : []
  }
  if (failed.length > 0) throw failureOf(failed)
  return counts
}

/** Every purge once for each tenant. */
async function purgesByTenant(
  database: Database,
  purges: Readonly<Record<string, Purge>>,
  tenantless: Readonly<Record<string, Purge>>,
): Promise<TenantPurge[]> {
  const tenants = await database.acrossTenants((sql) => sql<{ id: string }>`select id from tenants order by random()`)
  const everywhere = Object.entries(tenantless).map(([name, purge]) => ({
    name,
    purge: async () => (await database.acrossTenants((sql) => purge(sql, batch))).length,
  }))
  const inTenants = tenants.flatMap(({ id }) =>
    Object.entries(purges).map(([name, purge]) => ({
      name,
      purge: async () => (await database.inTenant(id, (sql) => purge(sql, batch))).length,
    })),
  )
  return [...everywhere, ...inTenants]
}

/** It has the first error of each purge: a purge fails in many tenants for the same reason. */
function failureOf(failed: readonly { readonly name: string; readonly error: unknown }[]): AggregateError {
  const first = new Map([...failed].reverse().map(({ name, error }) => [name, error]))
  return new AggregateError(
    [...first.values()],
    `${failed.length} purges failed: ${[...first.keys()].sort().join(', ')}.`,
  )
}
