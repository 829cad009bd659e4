/** The console as it is served: under which paths, under which policy. A tiny one stands for the one that console/build.ts makes. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { until } from '../../../test/smtp.ts'
import { createWorld } from '../../../test/world.ts'
import { buildApp } from '../../app.ts'
import { Database } from '../../platform/database/database.ts'
import { readConfig } from '../../platform/settings/config.ts'
import { updateTenant } from '../tenants/tenants.ts'
import { consolePages } from './console.ts'

const page = '<!doctype html><script type="module" src="/assets/index-1a2b.js"></script>'
const script = '// '.padEnd(2000, 'long ')
const files = {
  'index-1a2b.js': ['text/javascript; charset=utf-8', script],
  'index-1a2b.css': ['text/css; charset=utf-8', 'body { background: rgb(4, 5, 6) }'],
  'mark-1a2b.svg': ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  'inter-1a2b.woff2': ['font/woff2', 'not really a font'],
  'licences-1a2b.txt': ['text/plain; charset=utf-8', 'MIT'],
  'picture-1a2b.png': ['image/png', 'not really a picture'],
} as const

const folder = mkdtempSync(join(tmpdir(), 'guildhall-console-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), page)
for (const [file, [, content]] of Object.entries(files)) writeFileSync(join(folder, 'assets', file), content)
writeFileSync(join(folder, 'assets', 'index-1a2b.js.br'), brotliCompressSync(script))

const world = await createWorld({ consoleFolder: folder })
const get = (path: string, headers: Record<string, string> = {}) => fetch(world.url + path, { headers })

const strict =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const withPictures = strict.replace("img-src 'self'", "img-src 'self' https:")
const policyOf = async (path: string, host = '127.0.0.1') => {
  const { statusCode, headers } = await world.app.inject({ url: path, headers: { host } })
  assert.equal(statusCode, 200)
  return headers['content-security-policy']
}
/** Waits until pages have read what was changed, as they do once a second. A reading that takes too long leaves the strict policy. */
const hasPolicy = (path: string, policy: string, host?: string) =>
  until(async () => (await policyOf(path, host)) === policy, `another policy of ${path}`)

test('password managers find where a password is changed, and that no other well-known page is there', async () => {
  const { status, headers } = await fetch(`${world.url}/.well-known/change-password`, { redirect: 'manual' })
  assert.deepEqual([status, headers.get('location')], [302, '/me/security'])
  const none = await get('/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200')
  assert.equal(none.status, 404)
})

test('every path of the console shows its page, and no other path does', async () => {
  for (const base of ['', '/t/acme']) {
    const below = [...consolePages, 'mailbox'].flatMap((name) => [`/${name}`, `/${name}/`, `/${name}/a/b.c`])
    for (const path of ['/', ...below].map((each) => base + each)) {
      const answer = await get(path)
      assert.equal(answer.status, 200, path)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8', path)
      assert.equal(answer.headers.get('cache-control'), 'no-cache', path)
      assert.equal(await answer.text(), page, path)
    }
  }
  assert.equal((await get('/t/acme')).status, 200)
  for (const path of ['/t', '/t/', '/none', '/me2', '/t/acme/none', '/index.html', '/t/acme/api/tenant', '/assets']) {
    const answer = await get(path)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'application/problem+json'], path)
  }
})

test('the service and the console name the same paths', () => {
  const folder = join(import.meta.dirname, '../../../console/routes')
  const routes = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const paths = [...routes.join('').matchAll(/getParentRoute: \(\) => (?:root|inside|outside),\s+path: '\/([\w-]*)/g)]
  const first = new Set(paths.map(([, name = '']) => name).filter(Boolean))
  assert.deepEqual([...first].sort(), [...consolePages, 'mailbox'].sort())
})

test('the page may load only its own files, and pictures from elsewhere while its tenant allows them', async () => {
  const host = `${Date.now()}.customer.example`
  const { slug } = await world.tenant({ domains: [host] })
  const { slug: other } = await world.tenant()
  await (await world.tenantAdmin(other)).patch('/api/admin/tenant', { remotePictures: true })
  await hasPolicy(`/t/${other}/`, withPictures)
  const tess = await world.tenantAdmin(slug)
  for (const [allowed, policy] of [
    [false, strict],
    [true, withPictures],
    [false, strict],
  ] as const) {
    await tess.patch('/api/admin/tenant', { remotePictures: allowed })
    await hasPolicy(`/t/${slug}`, policy)
    for (const path of [`/t/${slug}`, `/t/${slug}/`, `/t/${slug}/me`]) await hasPolicy(path, policy)
    await hasPolicy('/', policy, host)
    await hasPolicy(`/t/${slug}/me`, policy, host)
    for (const path of ['/', '/organizations']) assert.equal(await policyOf(path), strict, path)
    await hasPolicy(`/t/${other}/`, withPictures)
    assert.equal(await policyOf(`/t/${other}/`, host), strict, 'the host is another tenant’s')
  }
})

test('pages of the default tenant show pictures from elsewhere if it allows them; pages of unknown tenants never do', async () => {
  const tess = await world.tenantAdmin()
  await tess.patch('/api/admin/tenant', { remotePictures: true })
  await hasPolicy('/', withPictures)
  await hasPolicy('/t/default/', withPictures)
  for (const slug of ['no-such-tenant', 'A', '%00', '%F0%9F%98%80', 'x'.repeat(200)]) {
    assert.equal(await policyOf(`/t/${slug}/`), strict, slug)
  }
  await tess.patch('/api/admin/tenant', { remotePictures: false })
})

test('a tenant keeps its policy when its slug changes', async () => {
  const { slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  await tess.patch('/api/admin/tenant', { remotePictures: true })
  await updateTenant(world.database, slug, { slug: `${slug}-new` })
  await hasPolicy(`/t/${slug}-new/`, withPictures)
  assert.equal(await policyOf(`/t/${slug}/`), strict)
})

test('pages and unknown addresses cost no look-up of their own', async (t) => {
  const across = t.mock.method(world.database, 'acrossTenants').mock // which goes on doing what it does
  const started = performance.now()
  for (const url of ['/', '/sign-in', '/t/acme/me', '/nothing']) {
    const answers = Array.from({ length: 25 }, () => world.app.inject({ url, headers: { accept: 'text/html' } }))
    const status = url === '/nothing' ? 404 : 200
    assert.ok((await Promise.all(answers)).every(({ statusCode, body }) => statusCode === status && body === page))
  }
  // There is one a second for all of them.
  const passed = Math.floor((performance.now() - started) / 1_000)
  assert.ok(across.callCount() < 10 + passed, `${across.callCount()} look-ups for 100 pages in ${passed} s`)
})

test('without a database the page is shown under the strict policy', async (t) => {
  const database = new Database('postgresql://nobody@127.0.0.1:1/none')
  const app = await buildApp(
    { ...world, config: readConfig({}), database },
    { log: false, mailboxKey: undefined, consoleFolder: folder },
  )
  t.after(async () => {
    await app.close()
    await database.close()
  })
  const { statusCode, headers, body } = await app.inject('/organizations')
  assert.deepEqual([statusCode, headers['content-security-policy'], body], [200, strict, page])
})

test('the mailbox page may show the styles of mails, and exists only while mails are stored', async (t) => {
  for (const path of ['/mailbox', '/t/acme/mailbox']) {
    assert.equal(
      await policyOf(path),
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; connect-src 'self'; " +
        "frame-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
  }
  const app = await buildApp(
    { ...world, config: readConfig({}) },
    { log: false, mailboxKey: undefined, consoleFolder: folder },
  )
  t.after(() => app.close())
  for (const path of ['/mailbox', '/mailbox/', '/t/acme/mailbox']) {
    assert.equal((await app.inject(path)).statusCode, 404, path)
  }
})

test('an unchanged page is not sent again, unless its policy changed', async () => {
  const { slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const first = await get(`/t/${slug}/me`)
  await first.arrayBuffer()
  const etag = first.headers.get('etag') ?? ''
  assert.equal((await get(`/t/${slug}/me`, { 'if-none-match': etag })).status, 304)

  await tess.patch('/api/admin/tenant', { remotePictures: true })
  await hasPolicy(`/t/${slug}/me`, withPictures)
  const changed = await get(`/t/${slug}/me`, { 'if-none-match': etag })
  assert.deepEqual([changed.status, changed.headers.get('content-security-policy')], [200, withPictures])
})

test("the console's files may be cached for good, and text is compressed", async () => {
  for (const [file, [type, content]] of Object.entries(files)) {
    const isText = !/font|png/.test(type)
    for (const encoding of ['gzip', 'identity']) {
      const answer = await get(`/assets/${file}`, { 'accept-encoding': encoding })
      assert.equal(answer.status, 200, file)
      assert.equal(answer.headers.get('content-type'), type)
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(answer.headers.get('content-encoding'), isText && encoding === 'gzip' ? 'gzip' : null, file)
      assert.equal(answer.headers.get('vary'), isText ? 'accept-encoding' : null, file)
      assert.equal(await answer.text(), content)
    }
  }
  const head = await fetch(`${world.url}/assets/index-1a2b.js`, { method: 'HEAD' })
  assert.deepEqual([head.status, await head.text()], [200, ''])
})

test('browsers that take brotli get what the build has compressed', async () => {
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const answer = await get('/assets/index-1a2b.js', { 'accept-encoding': accepted })
    assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, encoding], accepted)
    assert.equal(await answer.text(), script)
  }
  assert.equal((await get('/assets/index-1a2b.js.br')).status, 404)
})

test('an unknown address is answered to people with a page, and to programs with a problem', async () => {
  const typed = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const page = await world.app.inject({ url: '/account/profile', headers: typed })
  assert.equal(page.statusCode, 404)
  assert.match(page.headers['content-type']?.toString() ?? '', /^text\/html/)
  assert.match(page.headers['content-security-policy']?.toString() ?? '', /script-src 'self'/)
  for (const [url, headers] of [
    ['/account/profile', {}],
    ['/api/nothing', typed],
  ] as const) {
    const answer = await world.app.inject({ url, headers })
    assert.deepEqual([answer.statusCode, answer.json().code], [404, 'not_found'])
  }
})

test('a file that the console does not have is 404, wherever its name points', async () => {
  for (const file of [
    'none.js',
    'index-1a2b.js/',
    '..%2Findex.html',
    '%2e%2e%2findex.html',
    '..%5Cindex.html',
    '%00',
    '',
  ]) {
    const { statusCode, headers } = await world.app.inject(`/assets/${file}`)
    assert.deepEqual([statusCode, headers['cache-control']], [404, 'no-store'], file)
  }
})

test('the console refuses other methods, and HEAD is GET without the body', async () => {
  for (const path of ['/', '/me', '/t/acme', '/t/acme/', '/organizations/new', '/mailbox', '/assets/index-1a2b.js']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(world.url + path, { method })
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'], `${method} ${path}`)
    }
    const head = await fetch(world.url + path, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''], path)
  }
})

test('if no console is built, its paths say how to build it, and everything else works', async (t) => {
  const lines: string[] = []
  const log = { level: 'info', stream: { write: (line: string) => lines.push(line) } }
  const app = await buildApp(
    { ...world, config: readConfig({}) },
    { log, mailboxKey: 'a key of a mailbox', consoleFolder: join(folder, 'none') },
  )
  t.after(() => app.close())
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg.includes('the console is not built')]),
    [[40, true]],
  )
  for (const path of ['/', '/t/acme', '/t/acme/', '/me', '/organizations/new', '/mailbox', '/t/acme/mailbox']) {
    const { statusCode, headers, body } = await app.inject(path)
    assert.deepEqual([statusCode, headers['cache-control']], [503, 'no-store'], path)
    assert.match(headers['content-security-policy']?.toString() ?? '', /^default-src 'none'; style-src 'self'; /)
    assert.match(body, /npm start/)
    assert.equal((await app.inject({ method: 'POST', url: path })).statusCode, 405)
  }
  assert.equal((await app.inject('/assets/index-1a2b.js')).statusCode, 404)
  for (const path of ['/livez', '/api/tenant', '/docs']) assert.equal((await app.inject(path)).statusCode, 200, path)
})

test('a console that is installed after the start is shown once it is complete', async (t) => {
  const late = join(folder, 'late')
  const app = await buildApp(
    { ...world, config: readConfig({}) },
    { log: false, mailboxKey: 'a key of a mailbox', consoleFolder: late },
  )
  t.after(() => app.close())
  const statuses = async () => {
    const paths = ['/', '/t/acme/me', '/mailbox', '/assets/index-1a2b.js']
    return Promise.all(paths.map(async (path) => (await app.inject(path)).statusCode))
  }
  assert.deepEqual(await statuses(), [503, 503, 503, 404])
  mkdirSync(join(late, 'assets'), { recursive: true })
  writeFileSync(join(late, 'index.html'), page)
  assert.deepEqual(await statuses(), [503, 503, 503, 404], 'half of it')
  writeFileSync(join(late, 'assets', 'index-1a2b.js'), script)
  assert.deepEqual(await statuses(), [200, 200, 200, 200])
})
