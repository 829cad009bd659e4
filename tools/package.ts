/**
 * Builds the service into `dist`: the package as it is published, with the console. The service and most of its packages are bundled. Those
 * that are not are what it was tested with: its dependencies by their versions, and theirs by the lock, which npm follows where it installs
 * from a registry.
 *
 *   npm run package              then: npm publish ./dist
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../console/build.ts'
import { apart, bundleService } from './bundle.ts'
import { dropLinksOutOf } from './links.ts'
import { neededBy, type Packages, readPackages } from './lock.ts'

const root = join(import.meta.dirname, '..')
/** What is published as it is. */
const asItIs = [
  'src/**/*.{css,html,js,svg}',
  'migrations',
  'console/dist',
  'tools/node.mjs',
  '{README,CHANGELOG,SECURITY}.md',
  'docs/{build,operate,screenshots,security}',
  'docs/performance*',
  'LICENSE',
  '.env.example',
]

if (import.meta.main) {
  await buildPackage(join(root, 'dist'))
  console.log('The package is in dist/. npm pack ./dist makes a file of it.')
}

/** @throws Error when the console cannot be built */
export async function buildPackage(dist: string): Promise<void> {
  await buildConsole()
  rmSync(dist, { recursive: true, force: true })
  for (const path of globSync(asItIs, { cwd: root })) cpSync(join(root, path), join(dist, path), { recursive: true })
  const ofService = await bundleService(join(dist, 'src'))
  const ofConsole = globSync('console/dist/assets/licences-*.txt', { cwd: dist }).map((file) =>
    readFileSync(join(dist, file), 'utf8'),
  )
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), [ofService, ...ofConsole].join('\n'))
  dropLinksOutOf(dist)
  cpSync(join(root, 'tools', 'published.mjs'), join(dist, 'tools', 'guildhall.mjs'))
  const packages = readPackages('package-lock.json')
  const manifest = publishedManifest(packages)
  writeJson(join(dist, 'package.json'), manifest)
  writeJson(join(dist, 'npm-shrinkwrap.json'), lockOf(manifest, packages))
}

interface Manifest {
  readonly name: string
  readonly version: string
}

/** That of the repository, but for what is of the repository, and for the packages that are bundled. */
function publishedManifest(packages: Packages): Manifest {
  const {
    private: _private,
    workspaces,
    scripts,
    devDependencies,
    allowScripts,
    overrides,
    ...kept
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const exactly = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`]?.version]))
  return {
    ...kept,
    dependencies: exactly(apart),
    optionalDependencies: exactly(Object.keys(kept.optionalDependencies)),
  }
}

function lockOf(manifest: Manifest, packages: Packages): object {
  const needed = neededBy({ ...packages, '': manifest }, '', 'dependencies', 'optionalDependencies').sort()
  const { name, version } = manifest
  const locked = Object.fromEntries(needed.map((path) => [path, packages[path]]))
  return { name, version, lockfileVersion: 3, requires: true, packages: { '': manifest, ...locked } }
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
