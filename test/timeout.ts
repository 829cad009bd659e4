/** How long tests wait. */
import { Database } from '../src/platform/database/database.ts'

/**
 * How long they wait for what must happen, in milliseconds. It is long, because only a failing test waits for its end: before it, the
 * machine is slow; after it, something is broken.
 */
export const timeout = 120_000

/**
 * A pool that waits for a minute where a service would answer 503: tests send more requests at once than it has connections, and are not
 * about its limits. Those that are open a `Database` with the limits of a service.
 */
export function openPatient(url: string, options: { readonly size?: number } = {}): Database {
  return new Database(url, {
    ...options,
    timeouts: { wait: 60_000, connect: 60_000, statement: 60_000, idle: 60_000, query: 61_000, pipeline: 121_000 },
  })
}
