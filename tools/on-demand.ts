/** Programs that few developers need: they have their own lock, and are installed when they are first used. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs the packages of a folder's lock unless they are installed.
 *
 * @param folder  the folder with package.json and its lock
 * @param name    a package whose presence shows that all are installed
 * @param flags   further flags for npm
 * @throws Error if npm fails
 */
export function ensureInstalled(folder: string, name: string, ...flags: readonly string[]): void {
  if (existsSync(join(folder, 'node_modules', name))) return
  const { status } = spawnSync('npm', ['ci', ...flags, '--prefix', folder], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ci ended with ${status}.`)
}
