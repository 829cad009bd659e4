/** The proxy of docs/build/permissions.md: nginx asks Guildhall before it forwards a request. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readDocument } from './documents.ts'
import { freePort } from './ports.ts'
import { until } from './smtp.ts'
import { createWorld } from './world.ts'

const world = await createWorld()
const env = { PATH: `${process.env.PATH}:/usr/sbin` }
const hasNginx = spawnSync('nginx', ['-v'], { env }).error === undefined
const { blocks } = readDocument('docs/build/permissions.md')
const textIn = (language: string) => blocks.find((block) => block.language === language)?.text ?? assert.fail(language)

test('nginx forwards the requests of those who have the permission, and no others', { skip: !hasNginx }, async (t) => {
  const { ann, ben, dan, id } = await makeOrganization()
  const ask = await startProxy(t, id)

  assert.deepEqual(await ask(ann.token), passed)
  assert.deepEqual(await ask(ben.token), refused)
  assert.deepEqual(await ask(dan.token), refused, 'not a member')
  assert.deepEqual(await ask(), [401, false])
})

test('who takes over the slug of an organization passes no proxy of it', { skip: !hasNginx }, async (t) => {
  const { ann, dan, path, slug, id } = await makeOrganization()
  const ask = await startProxy(t, id)
  assert.equal((await ann.patch(path, { slug: `${slug}-inc` })).status, 200)
  assert.equal((await dan.post('/api/organizations', { name: 'Acme', slug })).status, 201)
  assert.equal((await dan.get(`/api/organizations/${slug}/check/notes:export`)).status, 204)

  assert.deepEqual(await ask(dan.token), refused)
  assert.deepEqual(await ask(ann.token), passed)
})

test('an owner of another tenant passes no proxy, also where both tenants have the slug', {
  skip: !hasNginx,
}, async (t) => {
  const { ann, slug, id } = await makeOrganization()
  const { slug: tenant } = await world.tenant()
  await applyAccess(tenant)
  const eve = await world.person('Eve', { tenant })
  assert.equal((await eve.post('/api/organizations', { name: 'Acme', slug })).status, 201)
  assert.equal((await eve.get(`/api/organizations/${slug}/check/notes:export`)).status, 204)

  // By the slug, the header alone keeps her out.
  for (const named of [id, slug]) {
    const ask = await startProxy(t, named)
    assert.deepEqual([await ask(ann.token), await ask(eve.token)], [passed, refused], named)
  }
})

const passed = [200, 'all notes']
const refused = [403, false]

/** An organization of the default tenant, with the permissions of the page. */
async function makeOrganization() {
  await applyAccess()
  return world.organization()
}

async function applyAccess(tenant?: string) {
  const admin = await world.tenantAdmin(tenant)
  assert.equal((await admin.put('/api/admin/access', JSON.parse(textIn('json')))).status, 200)
}

/**
 * Starts nginx with the configuration of the page.
 *
 * @param organization what it has in place of `org_…`
 * @returns sends a request of somebody through it
 */
async function startProxy(t: TestContext, organization: string) {
  const product = createServer((_, response) => response.end('all notes')).listen(0, '127.0.0.1')
  await once(product, 'listening')
  t.after(() => product.close())
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-proxy-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((each) => `${each}_temp_path ${folder}/nginx;`)
    .join(' ')
  mkdirSync(join(folder, 'nginx'))
  const server = textIn('nginx')
    .replace('listen 80', `listen 127.0.0.1:${port}`)
    .replace('http://127.0.0.1:3000', world.url)
    .replace('org_…', organization)
    .replace('127.0.0.1:4000', `127.0.0.1:${(product.address() as AddressInfo).port}`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid; error_log stderr; daemon off; master_process off; events {} http { access_log off; ${temporary} ${server} }`,
  )
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { env, stdio: 'ignore' })
  const ended = once(nginx, 'close')
  t.after(async () => {
    nginx.kill()
    await ended
    rmSync(folder, { recursive: true })
  })
  const ask = async (token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(`http://127.0.0.1:${port}/acme/export`, { headers })
    return [response.status, response.ok && (await response.text())]
  }
  await until(() => ask().catch(() => undefined), 'nginx to answer')
  return ask
}
