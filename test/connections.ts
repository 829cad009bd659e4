/** Databases with pools of their own, on the database of a test file. */
import type { TestContext } from 'node:test'
import { Database } from '../src/platform/database/database.ts'
import type { Timeouts } from '../src/platform/database/pool.ts'
import { patient } from './timeout.ts'
import type { World } from './world.ts'

export function onConnections({ postgres, tenantId }: World) {
  /** A pool of its own kind, closed with the test. @param options.timeouts patient ones, unless the test is about a limit */
  function open(
    t: TestContext,
    {
      url = postgres.url,
      timeouts = patient,
      ...options
    }: { size?: number; url?: string; onError?: (error: Error) => void; timeouts?: Timeouts } = {},
  ): Database {
    const database = new Database(url, { ...options, timeouts })
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
