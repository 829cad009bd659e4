/** Supply: checks of our dependencies. Like the checks of findings.ts, each returns its findings, one per line. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Locked, nameOf, neededBy, type Packages, readPackages } from './lock.ts'
import { listFiles, root } from './tree.ts'

/** Licences that require only attribution. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]

/** Other licences that we have checked, each for one purpose. */
const excepted: Readonly<Record<string, readonly RegExp[]>> = {
  // The typeface of the console: free to use and to redistribute, but not to sell on its own.
  'OFL-1.1': [/^@fontsource-variable\/inter$/],
  // It minifies the console's styles during the build, and is not part of them.
  'MPL-2.0': [/^lightningcss(-|$)/],
  // The decoder of pictures: a library of its own, linked as it comes from the registry, which anybody can replace.
  'LGPL-3.0-or-later': [/^@img\/sharp-/],
}

const locks = [
  'package-lock.json',
  'bench/package-lock.json',
  'tools/helm/package-lock.json',
  'tools/on-demand/package-lock.json',
]

/** Everything that runs in the service, comes with the client or is built into the console has a licence of the lists above. */
export async function findForeignLicences(): Promise<string> {
  const packages = readPackages('package-lock.json')
  return [
    ...neededBy(packages, '', 'dependencies', 'optionalDependencies'),
    ...neededBy(packages, 'client', 'dependencies'),
    ...neededBy(packages, 'console', 'devDependencies'),
  ]
    .filter((path, index, all) => all.indexOf(path) === index)
    .map((path) => ({ name: nameOf(path), license: licenceOf(packages, path) }))
    .filter(({ name, license }) => !isAllowed(name, license))
    .map(({ name, license }) => `${name}: ${license ?? 'has no known licence'}`)
    .join('\n')
}

/**
 * @param license an SPDX expression: `A OR B` needs one of them, `A AND B` needs both; a person has to read an expression with other terms
 */
function isAllowed(name: string, license = ''): boolean {
  const expression = license.replace(/^\(([^()]*)\)$/, '$1')
  if (/[()]/.test(expression)) return false
  return expression
    .split(' OR ')
    .some((choice) =>
      choice
        .split(' AND ')
        .every((each) => permissive.includes(each) || excepted[each]?.some((pattern) => pattern.test(name))),
    )
}

/** A build for another platform, which was missing when the lock was made, has the licence of the package that it belongs to. */
function licenceOf(packages: Packages, path: string): string | undefined {
  const { license } = packages[path] ?? {}
  if (license) return license
  const whole = Object.values(packages).find((each) => each.license && each.optionalDependencies?.[nameOf(path)])
  return whole?.license
}

/**
 * Each package of a lock comes from the registry under its own name and is unchanged since it was locked, and a person has decided whether
 * its install script may run. No package names its source, so npm uses the configured registry, and never a file or a folder.
 * (lockfile-lint, which checks hosts, accepts that.)
 */
export async function findLooseLocks(): Promise<string> {
  return locks
    .flatMap((lock) => {
      const packages = readPackages(lock)
      const folder = dirname(lock)
      const { allowScripts = {}, workspaces = [] } = readManifest(folder)
      const links = workspaces.map((workspace) => [
        `node_modules/${readManifest(join(folder, workspace)).name}`,
        workspace,
      ])
      const isWorkspace = (path: string, { link, resolved }: Locked) =>
        link && links.some(([place, workspace]) => path === place && resolved === workspace)
      return Object.entries(packages)
        .filter(([path, entry]) => path.includes('node_modules/') && !isWorkspace(path, entry))
        .flatMap(([path, entry]) =>
          faultsOf(packages, allowScripts, path, entry).map((fault) => `${lock}: ${path} ${fault}`),
        )
    })
    .join('\n')
}

function faultsOf(packages: Packages, allowScripts: object, path: string, entry: Locked): string[] {
  const { version = '', integrity = '', name, resolved, link, hasInstallScript } = entry
  const isHashed = /^sha512-[\w+/]{86}==$/.test(integrity)
  const faults = [
    link && 'is a link, but not to the workspace of its name',
    resolved !== undefined && `comes from ${resolved}; it must come from the registry`,
    !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version) && 'has no exact version',
    !isHashed && !isBuildForElsewhere(packages, path, entry) && 'has no SHA-512',
    name !== undefined && name !== nameOf(path) && `is ${name}`,
    hasInstallScript &&
      !Object.hasOwn(allowScripts, nameOf(path)) &&
      'has an install script: decide in allowScripts of package.json whether it may run',
  ]
  return faults.filter((fault) => typeof fault === 'string')
}

/** The additions of complete-lock.mjs have no hash: they are builds for other platforms, in the version that their package pins. */
function isBuildForElsewhere(
  packages: Packages,
  path: string,
  { optional, os = [], cpu = [], libc = [], version }: Locked,
): boolean {
  const isHere = os.includes('linux') && cpu.includes('x64') && !libc.includes('musl')
  const isPinned = Object.values(packages).some((each) => each.optionalDependencies?.[nameOf(path)] === version)
  return optional === true && os.length > 0 && cpu.length > 0 && !isHere && isPinned
}

/** No file of ours has anything that looks like a secret (.secretlintrc.json lists exceptions). */
export async function findSecrets(): Promise<string> {
  const files = listFiles().filter((path) => existsSync(join(root, path)) && !path.endsWith('.png'))
  const program = join(root, 'node_modules/secretlint/bin/secretlint.js')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...files], { cwd: root }).catch(
    (failed) => failed,
  )
  return `${stdout}${stderr}`
}

/** The package.json of a workspace, or of the repository. */
interface Manifest {
  readonly name?: string
  readonly workspaces?: readonly string[]
  readonly allowScripts?: object
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}
