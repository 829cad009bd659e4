/** The published package: packed, installed into an empty folder without a network, imported and type-checked. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { findDeadLinks } from '../test/links.ts'
import { buildClient } from './build.ts'

const root = join(import.meta.dirname, '..')
/** The most bytes that the client and its dependency add to a product, gzipped but not minified. */
const heaviest = 17_000

const product = `
import { createGuildhall, type ErrorCode, isGuildhallError, type Member } from '@guildhall/client'

const guildhall = createGuildhall({ url: 'http://127.0.0.1:1', retries: 0 })
const code: ErrorCode = await guildhall.me.get().then(
  () => 'unexpected',
  (error: unknown) => (isGuildhallError(error) ? error.code : 'internal'),
)
console.log(code)

export async function namesOf(orgId: string): Promise<string[]> {
  const names: string[] = []
  const roles: Member['role'][] = ['owner']
  for await (const { user } of guildhall.organizations.members.list(orgId, { role: roles[0] })) names.push(user.email)
  // @ts-expect-error an unknown role
  await guildhall.organizations.members.update(orgId, 'me', { role: 'king' })
  return names
}
`

/** Compiled like a product without Node's types. */
const settings = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: [],
    strict: true,
  },
  files: ['product.ts'],
}

test('the package can be installed, imported and compiled with, and contains only what it needs', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-client-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const dist = join(folder, 'dist')
  const app = join(folder, 'app')
  mkdirSync(app)
  const run = (cwd: string, ...command: [string, ...string[]]) =>
    execFileSync(command[0], command.slice(1), { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

  buildClient(dist)
  assert.deepEqual(findDeadLinks(dist), { dead: [], documents: 1 })
  const scripts = readdirSync(dist).filter((name) => name.endsWith('.js'))
  const read = (path: string) => readFileSync(path, 'utf8')
  const needs = scripts.flatMap((name) => [
    ...read(join(dist, name)).matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g),
  ])
  const others = new Set(
    needs.map(([, specifier = '']) => specifier).filter((specifier) => !specifier.startsWith('./')),
  )
  assert.deepEqual([...others], ['openapi-fetch'], 'nothing of Node')
  const dependency = read(join(root, 'node_modules/openapi-fetch/dist/index.mjs'))
  assert.doesNotMatch(dependency, /^import\b|\bimport\(|\brequire\(/m)
  const bytes = gzipSync(scripts.map((name) => read(join(dist, name))).join('') + dependency).length
  assert.ok(bytes < heaviest, `${bytes} bytes`)

  const packed = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(root, 'node_modules', name))
  run(folder, 'npm', 'pack', '--silent', '--ignore-scripts', './dist', ...packed)
  const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module' }))
  const quiet = ['--offline', '--silent', '--ignore-scripts', '--no-audit', '--no-fund']
  run(app, 'npm', 'install', ...quiet, ...files.map((name) => join('..', name)))

  const installed = readdirSync(join(app, 'node_modules/@guildhall/client'))
  const kinds = installed.map((name) => name.replace(/^[a-z]+(?=(\.d\.ts|\.js)$)/, '*'))
  assert.deepEqual([...new Set(kinds)].sort(), ['*.d.ts', '*.js', 'LICENSE', 'README.md', 'package.json'])
  writeFileSync(join(app, 'product.ts'), product)
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(settings))
  run(app, 'node', join(root, 'node_modules/typescript/bin/tsc'))
  assert.equal(run(app, 'node', 'product.js'), 'unreachable\n')
})
