/** Programs that few developers need: they have their own lock, and are installed when they are first used. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Packages } from './lock.ts'

/**
 * Installs the packages of a folder's lock unless they are installed.
 *
 * @param folder  the folder with package.json and its lock
 * @param flags   further flags for npm
 * @throws Error if npm fails
 */
export function ensureInstalled(folder: string, ...flags: readonly string[]): void {
  if (isInstalled(folder)) return
  const { status } = spawnSync('npm', ['ci', ...flags, '--prefix', folder], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ci ended with ${status}.`)
}

/** Whether everything is there by the versions of the lock. What is optional may be missing on this platform. */
function isInstalled(folder: string): boolean {
  // npm writes this list last of all.
  const list = join(folder, 'node_modules/.package-lock.json')
  if (!existsSync(list)) return false
  const [{ '': _own, ...wanted }, installed] = [packagesIn(join(folder, 'package-lock.json')), packagesIn(list)]
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => optional || installed[path]?.version === version,
  )
}

function packagesIn(file: string): Packages {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}
