/** Migrations that a later release may have, and processes that wait to migrate. */
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import { migrationsFolder } from '../src/platform/database/migrate.ts'
import { until } from './smtp.ts'

/**
 * @param added what each is called, and its text
 * @returns a folder with the present and further migrations, until the test ends, and the names of the latter
 */
export async function addMigrations(
  t: TestContext,
  added: readonly (readonly [string, string])[],
): Promise<{ folder: string; names: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  await cp(migrationsFolder, folder, { recursive: true })
  const { length: latest } = await readdir(migrationsFolder)
  const names = added.map(([word], index) => `${String(latest + 1 + index).padStart(4, '0')}_${word}.sql`)
  for (const [index, name] of names.entries()) await writeFile(join(folder, name), added[index]?.[1] ?? '')
  return { folder, names }
}

/** Waits until processes that wait to migrate, or to distribute, have looked a number of times whether they can, all together. */
export async function haveTried(query: (text: string) => Promise<pg.QueryResultRow[]>, times: number): Promise<void> {
  const ends = new Set<string>()
  const haveEnded = async () => {
    await query('select pg_stat_clear_snapshot()') // a transaction would otherwise see the same snapshot
    const idle = await query(`
      select concat(pid, ' ', state_change) as "end" from pg_stat_activity
      where datname = current_database() and application_name = 'guildhall migrate'
        and state = 'idle' and query in ('commit', 'rollback')`)
    for (const { end } of idle) ends.add(end)
    return ends.size >= times
  }
  await until(haveEnded, `${times} attempts`)
}
