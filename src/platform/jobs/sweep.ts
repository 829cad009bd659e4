/** The sweep: finds what killed processes have left in the outboxes of all tenants. */
import { swept } from '../channels.ts'
import { type Database, statement } from '../database/database.ts'

/** How long a sweep takes at most, in milliseconds. The next one goes on where it has ended. */
const timeout = 2_000

/** Of a uuid: less than each tenant's. */
export const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Looks for rows in the outbox of each tenant, one by one because of the wall. If it fails in one, it goes on with the others.
 *
 * @param start   the tenant after which it begins
 * @param wake    is called with each tenant that has rows
 * @param onError is called once, at the end, if it failed in any
 * @returns where the next sweep begins
 */
export async function sweepAfter(
  start: string,
  database: Database,
  wake: (tenant: string) => void,
  onError: (error: Error) => void,
): Promise<string> {
  const end = performance.now() + timeout
  const tenants = await database.acrossTenants(
    (sql) => sql<{ id: string }>`select id from tenants where id > ${start} and deleted_at is null order by id`,
  )
  const errors: unknown[] = []
  let next = beforeAll
  let place = start
  let oldest = 0
  for (const { id } of tenants) {
    if (performance.now() >= end) {
      next = place
      break
    }
    place = id
    try {
      const { ages } = await database.read(id, {
        ages: statement`
          select extract(epoch from statement_timestamp() - min(written_at))::float8 as age from outbox where tenant_id = ${id}`,
      })
      const age = ages[0]?.age
      if (typeof age !== 'number') continue
      oldest = Math.max(oldest, age)
      wake(id)
    } catch (error) {
      errors.push(error)
    }
  }
  // 0 is published only if every outbox was read.
  if (oldest > 0 || errors.length === 0) swept.publish({ oldest })
  // The first error is enough: the others usually have the same reason.
  if (errors.length > 0)
    onError(new Error(`A sweep of the outboxes failed in ${errors.length} tenants.`, { cause: errors[0] }))
  return next
}
