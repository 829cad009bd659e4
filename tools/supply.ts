/**
 * Supply: what we have from others. Like the checks of findings.ts, each answers what it found wrong, a finding a line.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Locked, nameOf, neededBy, type Packages, readPackages } from './lock.ts'
import { listFiles, root } from './tree.ts'

/** Licences that ask for no more than to be named. */
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
]

/** Others that were looked at, each for one purpose. */
const excepted: Readonly<Record<string, readonly RegExp[]>> = {
  // The typeface of the console: free to use and to pass on, as long as it is not sold by itself.
  'OFL-1.1': [/^@fontsource-variable\/inter$/],
  // It makes the console's styles smaller while these are built; nothing of it is in them.
  'MPL-2.0': [/^lightningcss(-|$)/],
}

const locks = ['package-lock.json', 'bench/package-lock.json', 'tools/on-demand/package-lock.json']

/** What runs in the service, comes with the client or is built into the console, with all that it needs, is under a licence of the lists above. */
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
    .map(({ name, license }) => `${name}: ${license ?? 'no licence is known'}`)
    .join('\n')
}

/** @param license an SPDX expression: of `A OR B` one will do, of `A AND B` all are needed; one with others in it is for people to read */
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

/** A build for another platform, which was not there when the lock was made, is under the licence of what it is a part of. */
function licenceOf(packages: Packages, path: string): string | undefined {
  const { license } = packages[path] ?? {}
  if (license) return license
  const whole = Object.values(packages).find((each) => each.license && each.optionalDependencies?.[nameOf(path)])
  return whole?.license
}

/**
 * Each package of a lock is one of the registry's, under its own name, and is what it was when it was locked; what it runs when it is
 * installed was decided about. None says where it is from: npm then asks the registry that is set, and never a file or a folder. (To
 * lockfile-lint, which looks at hosts, these are as good as the registry.)
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
    link && 'is a link, and to no workspace of its name',
    resolved !== undefined && `is from ${resolved}: let the registry answer for it`,
    !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version) && 'has no exact version',
    !isHashed && !isBuildForElsewhere(packages, path, entry) && 'has no SHA-512',
    name !== undefined && name !== nameOf(path) && `is ${name}`,
    hasInstallScript &&
      !Object.hasOwn(allowScripts, nameOf(path)) &&
      'runs a script when it is installed: say in allowScripts of package.json whether it may',
  ]
  return faults.filter((fault) => typeof fault === 'string')
}

/** What complete-lock.mjs adds has no hash: builds for platforms that the lock was not made on, in the version that their package pins. */
function isBuildForElsewhere(
  packages: Packages,
  path: string,
  { optional, os = [], cpu = [], libc = [], version }: Locked,
): boolean {
  const isHere = os.includes('linux') && cpu.includes('x64') && !libc.includes('musl')
  const isPinned = Object.values(packages).some((each) => each.optionalDependencies?.[nameOf(path)] === version)
  return optional === true && os.length > 0 && cpu.length > 0 && !isHere && isPinned
}

/** Nothing that looks like a secret is in a file of ours (.secretlintrc.json says what only looks like one). */
export async function findSecrets(): Promise<string> {
  const files = listFiles().filter((path) => existsSync(join(root, path)) && !path.endsWith('.png'))
  const program = join(root, 'node_modules/secretlint/bin/secretlint.js')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...files], { cwd: root }).catch(
    (failed) => failed,
  )
  return `${stdout}${stderr}`
}

/** What package.json says of a workspace, or of the whole. */
interface Manifest {
  readonly name?: string
  readonly workspaces?: readonly string[]
  readonly allowScripts?: object
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}
