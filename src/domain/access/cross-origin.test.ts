/** Cross-origin requests: who may read an answer in a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { available, until } from '../../../test/smtp.ts'
import { createWorld, password } from '../../../test/world.ts'

const world = await createWorld()
const origin = 'https://app.example.com'
const other = await world.tenant()
await world.updateTenant('default', { allowedOrigins: [origin] })
const ann = await world.person()
const zoe = await world.person('Zoe', { tenant: other.slug })

test("a page of the tenant's origin can read responses and refusals, with a token only", async () => {
  const { headers } = await available(() => ann.get('/api/users/me', { origin }))
  assert.equal(headers.get('access-control-allow-origin'), origin)
  assert.equal(headers.get('access-control-allow-credentials'), null)
  assert.match(headers.get('access-control-expose-headers') ?? '', /ETag, Link, Location, Retry-After, X-Request-Id/)
  assert.equal(headers.get('vary'), 'Origin')

  const refused = await available(() => ann.get('/api/organizations/nowhere', { origin }))
  assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [404, origin])
  const signedIn = await available(() =>
    world.nobody.post('/api/auth/sign-in', { email: ann.email, password }, { origin }),
  )
  assert.deepEqual([signedIn.status, signedIn.headers.get('access-control-allow-origin')], [200, origin])
})

test('no other origin can, however similar, nor can the origin of another tenant', async () => {
  for (const alike of [
    'https://evil.example.com',
    'null',
    'http://app.example.com',
    'https://app.example.com.evil.test',
    'https://sub.app.example.com',
    'https://app.example.com:8443',
    'https://APP.example.com',
    '*',
  ]) {
    const { headers } = await available(() => ann.get('/api/users/me', { origin: alike }))
    assert.equal(headers.get('access-control-allow-origin'), null, alike)
    assert.equal(headers.get('vary'), 'Origin')
  }
  const ofZoe = await available(() => zoe.get('/api/users/me', { origin }))
  assert.equal(ofZoe.headers.get('access-control-allow-origin'), null)
  const named = await available(() => world.nobody.get('/api/tenant', { origin, 'guildhall-tenant': other.slug }))
  assert.equal(named.headers.get('access-control-allow-origin'), null)
})

test('the tenant of the host decides, before the one in a header, even if it allows no origin', async () => {
  const domain = 'people.example.org'
  await world.tenant({ domains: [domain] })
  const { slug } = await world.tenant()
  await world.updateTenant(slug, { allowedOrigins: [origin] })
  const allowed = async (headers: Record<string, string>) => {
    const answer = await available(async () => {
      const { statusCode: status, headers: told } = await world.app.inject({
        url: '/api/tenant',
        headers: { origin, ...headers },
      })
      return { status, told }
    })
    return answer.told['access-control-allow-origin']
  }
  await until(async () => (await allowed({ 'guildhall-tenant': slug })) === origin, 'the origin to be known')
  await until(async () => (await allowed({ host: domain })) === undefined, 'the domain to be known')
  assert.equal(await allowed({ host: domain, 'guildhall-tenant': slug }), undefined)
  assert.equal(await allowed({ host: 'localhost' }), origin)
})

test('no origin may send the cookie', async () => {
  const { headers } = await world.nobody.get('/api/users/me', { origin, cookie: `guildhall=${ann.token}` })
  assert.equal(headers.get('access-control-allow-origin'), null)
  const changed = await world.nobody.patch('/api/users/me', { name: 'X' }, { origin, cookie: `guildhall=${ann.token}` })
  assert.deepEqual([changed.status, changed.body.code], [403, 'cross_site'])
})

test('a preflight request lists what may be sent', async () => {
  const preflight = (asking: string) =>
    available(() =>
      fetch(`${world.url}/api/users/me/avatar`, {
        method: 'OPTIONS',
        headers: { origin: asking, 'access-control-request-method': 'PUT' },
      }),
    )
  const allowed = await preflight(origin)
  assert.equal(allowed.status, 204)
  assert.equal(allowed.headers.get('access-control-allow-origin'), origin)
  assert.equal(allowed.headers.get('access-control-allow-methods'), 'GET, POST, PUT, PATCH, DELETE')
  assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /Authorization.*If-Match/)
  const refused = await preflight('https://evil.example.com')
  assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [405, null])
})

test('unknown origins do not cost a look-up each', async (t) => {
  const { mock } = t.mock.method(world.database, 'acrossTenants') // which goes on doing what it does
  const started = performance.now()
  const asked = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      available(() =>
        fetch(`${world.url}/api/users/me`, {
          method: 'OPTIONS',
          headers: { origin: `https://made-up-${index}.example`, 'access-control-request-method': 'GET' },
        }),
      ),
    ),
  )
  assert.ok(asked.every(({ status }) => status === 405))
  // There is one a second.
  const passed = Math.floor((performance.now() - started) / 1_000)
  assert.ok(mock.callCount() < 10 + passed, `${mock.callCount()} look-ups in ${passed} s`)
})

test('a newly allowed origin can read responses a moment later', async () => {
  const late = 'https://late.example.com'
  const allowed = async () => {
    const { headers } = await available(() => ann.get('/api/users/me', { origin: late }))
    return headers.get('access-control-allow-origin') === late
  }
  assert.equal(await allowed(), false)
  await world.updateTenant('default', { allowedOrigins: [origin, late] })
  await until(allowed, 'the origin to be known')
})
