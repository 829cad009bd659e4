/** The published package: built, packed, and installed into a folder by npm. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../tools/package.ts'

const modules = join(import.meta.dirname, '..', 'node_modules')

/**
 * Links the dependencies to the installed ones, so that no network is used and 300 MB are not written.
 *
 * @param folder an empty one
 */
export async function installPublished(folder: string): Promise<void> {
  const dist = join(folder, 'dist')
  await buildPackage(dist)
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--silent', '--ignore-scripts'], { cwd: folder, encoding: 'utf8' }).trim()
  const tarball = npm('pack', dist)
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'))
  const linked = Object.keys({ ...dependencies, ...optionalDependencies })
    .map((name) => [name, join(modules, name)] as const)
    .filter(([, place]) => existsSync(place)) // builds for other platforms are missing
    .map(([name, place]) => [name, `file:${place}`])
  const overrides = { guildhall: Object.fromEntries(linked) }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ overrides }))
  npm('install', '--offline', '--no-audit', '--no-fund', join(folder, tarball))
}
