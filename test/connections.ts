/** Databases with pools of their own, on the database of a test file. */
import type { TestContext } from 'node:test'
import { Database } from '../src/platform/database/database.ts'
import type { World } from './world.ts'

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

export function onConnections({ postgres, tenantId }: World) {
  /** A pool of its own kind, closed with the test. */
  function open(
    t: TestContext,
    { url = postgres.url, ...options }: { size?: number; url?: string; onError?: (error: Error) => void } = {},
  ): Database {
    const database = new Database(url, options)
    t.after(() => database.close())
    return database
  }

  /** Which process of the server a pool of one connection has. */
  async function pidOf(database: Database): Promise<unknown> {
    const [row] = await database.inTenant(tenantId, (sql) => sql<{ pid: number }>`select pg_backend_pid() as pid`)
    return row?.pid
  }

  return { open, pidOf }
}
