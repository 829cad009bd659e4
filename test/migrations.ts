/** Migrations that a later release may have. */
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { migrationsFolder } from '../src/platform/database/migrate.ts'

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
