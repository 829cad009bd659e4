/** Holding rows and tables for tests: others wait for them until the test lets go, or ends. */
import type { TestContext } from 'node:test'
import { selectLockedTenant } from '../src/domain/access/tenant-lock.ts'
import { empty } from '../src/platform/database/database.ts'
import type { TestDatabase } from './database.ts'
import type { World } from './world.ts'

/**
 * Begins a transaction on the superuser's connection, and locks something in it. All that the test asks until the release is part of it.
 *
 * @param t    the test, at whose end the transaction is rolled back if it is still open
 * @param text the statement that locks
 * @returns what ends the transaction, once: it commits, unless `rollback` is wanted
 */
export async function hold(
  t: TestContext,
  { query }: Pick<TestDatabase, 'query'>,
  text: string,
  values?: unknown[],
): Promise<(end?: 'commit' | 'rollback') => Promise<void>> {
  let isOpen = true
  const release = async (end: 'commit' | 'rollback' = 'commit') => {
    if (!isOpen) return
    isOpen = false
    await query(end)
  }
  t.after(() => release('rollback'))
  await query('begin')
  await query(text, values)
  return release
}

/** Holds one row. On a cluster, only a row whose tenant is named can be locked. @param strength the clause that locks it */
export async function holdRow(
  t: TestContext,
  postgres: Pick<TestDatabase, 'query'>,
  table: string,
  id: string | undefined,
  strength: 'for update' | 'for no key update' = 'for update',
): Promise<(end?: 'commit' | 'rollback') => Promise<void>> {
  const [row] = await postgres.query<{ tenant: string }>(`select tenant_id as tenant from ${table} where id = $1`, [id])
  return hold(t, postgres, `select from ${table} where tenant_id = $1 and id = $2 ${strength}`, [row?.tenant, id])
}

/** Holds the row of a tenant, as for its deletion. */
export function holdTenant(t: TestContext, postgres: Pick<TestDatabase, 'query'>, id: string) {
  const { text, values } = selectLockedTenant(id, empty, 'update')
  return hold(t, postgres, text, values)
}

/** Locks the relay out of a tenant, as of the world's default one: what is written to its outbox stays there. */
export function holdRelay(t: TestContext, { postgres, tenantId }: Pick<World, 'postgres' | 'tenantId'>) {
  return hold(t, postgres, 'select from feeds where tenant_id = $1 for update', [tenantId])
}
