import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { connectExplainer, planner, type Statement, statementsOf } from '../../../test/explain.ts'
import { upload } from '../../../test/pictures.ts'
import { createWorld } from '../../../test/world.ts'
import { purgePictures } from '../../domain/pictures/pictures.ts'
import { pathIn } from '../../domain/pictures/urls.ts'

const world = await createWorld()
const { query } = world.postgres
const ann = await world.person()
const pathOf = (url: string) => new URL(url).pathname
const uploaded = async () => pathOf((await upload(ann, '/api/users/me/avatar')).body.avatarUrl)
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(world.url + path, { method, headers, redirect: 'manual' })

test('a picture is served to everybody, as a picture alone, for a year', async () => {
  const path = await uploaded()
  const answer = await get(path, { cookie: `guildhall=${ann.token}` })

  assert.equal(answer.status, 200)
  const { headers } = answer
  assert.equal(headers.get('content-type'), 'image/webp')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; sandbox; .*frame-ancestors 'none'$/)
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin', 'pages of products show it')
  assert.equal(headers.get('set-cookie'), null)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(bytes.toString('latin1', 8, 12), 'WEBP')

  const head = await get(path, {}, 'HEAD')
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)])
  const known = await get(path, { 'if-none-match': headers.get('etag') ?? '' })
  assert.deepEqual([known.status, await known.text()], [304, ''])
  for (const method of ['POST', 'PUT', 'DELETE']) assert.equal((await get(path, {}, method)).status, 405)
})

test('a name that is none, or that nobody has, is 404', async () => {
  const path = await uploaded()
  const [before = '', secret = ''] = path.split('.')
  for (const other of [
    `${before}.${secret.slice(1)}`,
    `${before}.${'x'.repeat(32)}`,
    `${before}.${secret}x`,
    `${before}`,
    `/pictures/${secret}`,
    '/pictures/x',
    '/pictures/%00',
    `${before.replace(/ten_.{26}/, 'ten_7zzzzzzzzzzzzzzzzzzzzzzzzz')}.${secret}`,
  ])
    assert.equal((await get(other)).status, 404, other)
  assert.equal((await get(path)).status, 200)
})

test('a picture is one of its tenant alone: its id under another, and at the host of another, is 404', async () => {
  const other = await world.tenant({ domains: ['accounts.other.example'] })
  const eve = await world.person('Eve', { tenant: other.slug })
  const own = await uploaded()
  const hers = pathOf((await upload(eve, '/api/users/me/avatar')).body.avatarUrl)
  const at = async (host: string, url: string) => (await world.app.inject({ url, headers: { host } })).statusCode

  assert.deepEqual([await at('localhost', own), await at('localhost', hers)], [200, 200])
  assert.deepEqual([await at('accounts.other.example', own), await at('accounts.other.example', hers)], [404, 200])
  const [tenant = ''] = own.split('.')
  const [, secret = ''] = hers.split('.')
  assert.equal((await get(`${tenant}.${secret}`)).status, 404)
  await world.deleteTenant(other.slug)
  assert.equal((await get(hers)).status, 404)
  assert.deepEqual(await query('select from pictures where tenant_id = $1', [other.id]), [])
})

test('a picture that its owner does not name is served to nobody, as if an older release had changed that', async () => {
  const path = await uploaded()
  await query(`update users set avatar_url = 'https://example.com/a.png' where id = $1`, [ann.id])
  assert.equal((await get(path)).status, 404)

  const next = await uploaded()
  assert.equal((await get(next)).status, 200)
  assert.equal((await query('select from pictures where user_id = $1', [ann.id])).length, 1)
})

test('small purges find, in the end, every picture that its owner does not name', async () => {
  const { id: tenant, slug } = await world.tenant()
  const people = await Promise.all(Array.from({ length: 7 }, () => world.person('Ann', { tenant: slug })))
  const paths = []
  for (const each of people) paths.push(pathOf((await upload(each, '/api/users/me/avatar')).body.avatarUrl))
  const [none, elsewhere, ...named] = people.map(({ id }) => id).sort()
  await query('update users set avatar_url = null where id = $1', [none])
  await query(`update users set avatar_url = 'https://example.com/a.png' where id = $1`, [elsewhere])
  const left = async () =>
    (await query<{ user_id: string }>('select user_id from pictures where tenant_id = $1 order by 1', [tenant])).map(
      (row) => row.user_id,
    )

  while ((await left()).length > named.length) {
    const deleted = await world.database.inTenant(tenant, (sql) => purgePictures(sql, 1))
    assert.ok(deleted.length <= 1)
  }
  for (let again = 0; again < 20; again++)
    assert.deepEqual(await world.database.inTenant(tenant, (sql) => purgePictures(sql, 1)), [])

  assert.deepEqual(await left(), named)
  const answers = await Promise.all(paths.map((path) => get(path)))
  assert.equal(answers.filter(({ status }) => status === 200).length, named.length)
})

test('a purge reads few pictures, however many there are', async (t) => {
  await query(
    `insert into users (tenant_id, id, email, avatar_url)
     select $1, 'user_' || lpad(n::text, 26, '0'), 'person-' || n || '@example.com', 'https://example.com' || $2 || lpad(n::text, 32, '0')
     from generate_series(1, 2000) n`,
    [world.tenantId, pathIn(world.tenantId)],
  )
  await query(
    `insert into pictures (tenant_id, id, user_id, content)
     select tenant_id, right(avatar_url, 32), id, '' from users where email like 'person-%'`,
  )
  await query('analyze users, pictures')
  const driver = t.mock.method(pg.Client.prototype, 'query')
  await world.database.inTenant(world.tenantId, (sql) => purgePictures(sql, 10))
  const [purge] = statementsOf(driver).filter(({ text }) => /delete from pictures/.test(text))

  const { rowsOf } = planner(await connectExplainer(world), new Set(['pictures', 'users', 'organizations']))
  for (const kind of ['custom', 'generic'] as const) {
    const read = await rowsOf(purge as Statement, kind)
    assert.ok(read >= 20 && read < 100, `${read} rows are read`)
  }
})

test('pictures have a limit of their own, which keeps nobody from signing in', async () => {
  const limited = await createLimited()
  const statuses = []
  for (let sent = 0; sent < 41; sent++) statuses.push((await limited.inject(await limited.path)).statusCode)
  assert.deepEqual([statuses.filter((each) => each === 200).length, statuses.at(-1)], [40, 429])
  assert.equal((await limited.inject('/api/tenant')).statusCode, 200)
})

/** An app that counts, on the same database. */
async function createLimited() {
  const { buildApp } = await import('../../app.ts')
  const { readConfig } = await import('../../platform/settings/config.ts')
  const { database, keyring } = world
  const config = readConfig({ LOG_LEVEL: 'silent', LIMIT_ANONYMOUS: '4/60' })
  const app = await buildApp({ config, database, keyring }, { log: false, mailboxKey: undefined })
  return { inject: (url: string) => app.inject(url), path: uploaded() }
}
