/** How long tests wait. What is there sooner is not waited for, so a long time costs nothing when tests pass. */
import { Database } from '../src/platform/database/database.ts'

/** For a condition, in milliseconds. A machine that is slow or busy meets it in many times its usual time. */
export const patience = 120_000

/**
 * A pool that waits for a minute where a service would answer 503: tests send more requests at once than it has connections, and are not
 * about its limits. Those that are open a `Database` with the limits of a service.
 */
export function openPatient(url: string, options: { readonly size?: number } = {}): Database {
  return new Database(url, {
    ...options,
    timeouts: { connect: 60_000, statement: 60_000, idle: 60_000, query: 61_000, pipeline: 121_000 },
  })
}
