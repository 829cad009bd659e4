/** Lock: the packages in package-lock.json, and which of them need which. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package's entry in package-lock.json. */
export interface Locked {
  readonly version?: string
  readonly name?: string
  readonly license?: string
  readonly integrity?: string
  /** The source; only a workspace's link has one. */
  readonly resolved?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  /** Only workspaces have these. */
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}
export type Packages = Readonly<Record<string, Locked>>

/** @param lock the path of the lock in the repository */
export function readPackages(lock: string): Packages {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', lock), 'utf8')).packages
}

/** @returns the paths in the lock of all packages that a workspace's dependencies of these kinds need, directly or not */
export function neededBy(
  packages: Packages,
  workspace: string,
  ...kinds: ('dependencies' | 'devDependencies' | 'optionalDependencies')[]
): string[] {
  const own = kinds
    .flatMap((kind) => Object.keys(packages[workspace]?.[kind] ?? {}))
    .map((name) => pathOf(packages, workspace, name))
  const found = new Set(own.filter((path) => path !== undefined))
  for (const path of found) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const needed = pathOf(packages, path, name)
      if (needed) found.add(needed)
    }
  }
  return [...found]
}

/** Finds a package as Node does: in the node_modules of the package that needs it, then in those of the folders above. */
function pathOf(packages: Packages, from: string, name: string): string | undefined {
  const folders = from.split('/')
  return folders
    .map((_, index) => folders.slice(0, folders.length - index))
    .concat([[]])
    .map((above) => [...above, 'node_modules', name].filter(Boolean).join('/'))
    .find((path) => packages[path])
}

/** The name of the package at a path in the lock. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
