/**
 * Builds the client into `dist`, as it is published. The repository itself uses the sources. Run as a script, it builds.
 *
 *   npm run client               then: npm publish ./client/dist
 */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dropLinksOutOf } from '../tools/links.ts'

const folder = import.meta.dirname
const root = join(folder, '..')
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

if (import.meta.main) buildClient(join(folder, 'dist'))

/** @throws Error if the sources do not compile; the compiler prints why */
export function buildClient(dist: string): void {
  rmSync(dist, { recursive: true, force: true })
  execFileSync(process.execPath, [tsc, '--project', folder, '--outDir', dist], { stdio: 'inherit' })
  cpSync(join(folder, 'src', 'openapi.d.ts'), join(dist, 'openapi.d.ts')) // the compiler does not copy declarations
  cpSync(join(folder, 'README.md'), join(dist, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
  dropLinksOutOf(dist)
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`)
}

/** The workspace's package.json without what only the repository needs. */
function publishedManifest(): object {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { private: _private, devDependencies: _tools, ...kept } = manifest
  const built = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` })
  return { ...kept, exports: { '.': built('index'), './tokens': built('verifier'), './webhooks': built('receiver') } }
}
