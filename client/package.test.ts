/** The published package: packed, installed into an empty folder without a network, imported and type-checked. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { findDeadLinks } from '../test/document-links.ts'
import { buildClient } from './build.ts'

const root = join(import.meta.dirname, '..')
/** The most bytes that the client and its dependency add to a product, and its verifier of tokens and its receiver of webhooks with what they need of their own: gzipped, but not minified. */
const heaviest = { client: 22_400, verifier: 13_500, receiver: 3_000 }

const product = `
import { type AnyGuildhall, createGuildhall, type ErrorCode, isGuildhallError, type Member } from '@guildhall/client'
import { createVerifier } from '@guildhall/client/tokens'
import { type ReceivedEvent, verifyWebhook, WebhookError } from '@guildhall/client/webhooks'

const url = 'http://127.0.0.1:1'
const issuer = url + '/api/tenants/ten_00000000000000000000000000'
const guildhall = createGuildhall({ url, retries: 0 })
const code: ErrorCode = await guildhall.me.get().then(
  () => 'unexpected',
  (error: unknown) => (isGuildhallError(error) ? error.code : 'internal'),
)
console.log(code)
const verify = createVerifier({ issuer, audience: 'notes' })
const userId: string = await verify('no token').then((token) => token.userId, (error) => error.code)
console.log(userId)
const secret = 'whsec_' + 'A'.repeat(43) + '='
console.log(await verifyWebhook({}, '{}', secret).catch((error) => error instanceof WebhookError && error.code))

export function organizationOf(event: ReceivedEvent): string | undefined {
  // @ts-expect-error an unknown type
  if (event.type === 'king.crowned') return 'king'
  return event.type === 'organization.updated' ? event.data.organization?.name : undefined
}

type Permission = 'members:read' | 'notes:delete'
const [backend, page] = [createGuildhall({ url, key: 'ghk_1' }), createGuildhall({ url, session: 'cookie' })]
const verifyOur = createVerifier<Permission>({ issuer, audience: 'notes' })

/** What TypeScript finds: a permission that is misspelt. */
export async function findMisspelt(request: Request, organization: string | undefined) {
  const sender = await backend.authenticate<Permission>(request, { organization, permissions: ['notes:delete'] })
  // @ts-expect-error misspelt
  await backend.authenticate<Permission>(request, { organization, permissions: ['notes:delet'] })
  // @ts-expect-error misspelt
  await backend.tokens.create<Permission>({ permissions: ['notes:delet'] })
  // @ts-expect-error misspelt
  await backend.credentials.verify<Permission>({ credential: '', organization: '', permissions: ['notes:delet'] })
  const caller = await backend.caller<Permission>({ organization: 'acme' })
  const token = await verifyOur('no token')
  // @ts-expect-error misspelt
  const misspelt = [sender.permissions.includes('notes:delet'), caller.permissions.includes('notes:delet')]
  // @ts-expect-error misspelt
  misspelt.push(token.permissions.has('notes:delet'))
  const any = await backend.authenticate(request, { organization: 'acme', permissions: ['members:read'] })
  return [misspelt, token.permissions.has('notes:delete'), any.permissions.includes('notes:delete')]
}

/** A helper that takes every client. */
const nameOf = async (client: AnyGuildhall) => (await client.me.get()).name
export const names = () => Promise.all([guildhall, backend, page, guildhall.withToken('')].map(nameOf))

export async function namesOf(orgId: string): Promise<string[]> {
  const names: string[] = []
  const roles: Member['role'][] = ['owner']
  for await (const { user } of guildhall.organizations.members.list(orgId, { role: roles[0] })) names.push(user.email)
  // @ts-expect-error an unknown role
  await guildhall.organizations.members.update(orgId, 'me', { role: 'king' })
  return names
}
`

/** The entries of the dependencies. */
const modules = {
  'jose/errors': join(root, 'node_modules/jose/dist/webapi/util/errors.js'),
  'jose/jwks/remote': join(root, 'node_modules/jose/dist/webapi/jwks/remote.js'),
  'jose/jwt/verify': join(root, 'node_modules/jose/dist/webapi/jwt/verify.js'),
  'openapi-fetch': join(root, 'node_modules/openapi-fetch/dist/index.mjs'),
}

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
  assert.deepEqual([...others].sort(), Object.keys(modules), 'nothing of Node')
  const dependency = read(join(root, 'node_modules/openapi-fetch/dist/index.mjs'))
  assert.doesNotMatch(dependency, /^import\b|\bimport\(|\brequire\(/m)
  const weigh = (paths: readonly string[]) => gzipSync(paths.map(read).join('')).length
  const ofVerifier = loadedBy(join(dist, 'verifier.js'), read)
  const ofClient = loadedBy(join(dist, 'index.js'), read)
  assert.ok(!ofClient.some((path) => path.includes('jose')), 'the client needs the verifier for nothing')
  const ofReceiver = loadedBy(join(dist, 'receiver.js'), read)
  assert.deepEqual(ofReceiver, [join(dist, 'receiver.js')], 'the receiver needs nothing')
  const bytes = { client: weigh(ofClient), verifier: weigh(ofVerifier), receiver: weigh(ofReceiver) }
  for (const [entry, most] of Object.entries(heaviest))
    assert.ok(bytes[entry as keyof typeof heaviest] < most, JSON.stringify(bytes))

  const packed = ['jose', 'openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(root, 'node_modules', name))
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
  assert.equal(run(app, 'node', 'product.js'), 'unreachable\nunauthenticated\nmissing_headers\n')
})

/** @returns the paths of all scripts that a script loads, itself among them */
function loadedBy(entry: string, read: (path: string) => string): string[] {
  const found = new Set<string>()
  const add = (path: string) => {
    if (found.has(path)) return
    found.add(path)
    for (const [, specifier = ''] of read(path).matchAll(/^(?:import|export)\b[^;]*?\bfrom\s*['"]([^'"]+)['"]/gm))
      add(specifier.startsWith('.') ? join(dirname(path), specifier) : modules[specifier as keyof typeof modules])
  }
  add(entry)
  return [...found]
}
