/** What few need: programs with a lock of their own, which are installed when they are first wanted. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs what a folder's lock pins, unless it is there.
 *
 * @param folder  where package.json and its lock are
 * @param name    of the package whose presence shows that all is installed
 * @param flags   more for npm
 * @throws Error where npm fails
 */
export function ensureInstalled(folder: string, name: string, ...flags: readonly string[]): void {
  if (existsSync(join(folder, 'node_modules', name))) return
  const { status } = spawnSync('npm', ['ci', ...flags, '--prefix', folder], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ci ended with ${status}.`)
}
