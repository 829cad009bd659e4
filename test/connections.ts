/** Databases with pools of their own, on the database of a test file. */
import type { TestContext } from 'node:test'
import { Database } from '../src/platform/database/database.ts'
import type { World } from './world.ts'

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
