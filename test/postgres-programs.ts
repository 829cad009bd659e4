/** The programs of an installed PostgreSQL: npm's has no `pg_dump`. */
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** @returns the folder that has all of these, of the newest version that has; undefined without one */
export function findPrograms(names: readonly string[]): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...versions.map((each) => join(debian, each, 'bin'))]
  return folders.find((folder) => names.every((name) => existsSync(join(folder, name))))
}
