import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf } from '../../../test/jwt.ts'
import { codeOf, createWorld } from '../../../test/world.ts'
import { newId, uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const places = ['.well-known/openid-configuration', 'jwks.json']

test('issuer and keys are found from the tenant’s first token on, with nothing private in them', async () => {
  const { slug, id } = await world.tenant()
  const path = `/api/tenants/${uuidToTenantId(id)}`
  for (const place of places) {
    const missing = await world.nobody.get(`${path}/${place}`)
    assert.deepEqual(codeOf(missing), [404, 'not_found'])
    assert.equal(missing.headers.get('cache-control'), 'no-store')
    assert.equal(missing.headers.get('access-control-allow-origin'), '*')
  }
  const ann = await world.person('Ann', { tenant: slug })
  const { body } = await ann.post('/api/tokens')

  const [configuration, keys] = await Promise.all(places.map((place) => world.nobody.get(`${path}/${place}`)))

  const issuer = world.app.config.publicUrl + path
  assert.deepEqual(configuration?.body, { issuer, jwks_uri: `${issuer}/jwks.json` })
  const [key, ...others] = keys?.body.keys ?? []
  assert.deepEqual(others, [])
  assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  assert.deepEqual([key.alg, key.kty, key.use], ['RS256', 'RSA', 'sig'])
  assert.equal(key.kid, partsOf(body.token).header.kid)
})

test('pages of every origin may read the keys, and caches may store them for ten minutes', async () => {
  const { slug, id } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  await ann.post('/api/tokens')
  for (const place of places)
    for (const headers of [{}, ann.headers, { cookie: `guildhall=${ann.token}` }, { 'guildhall-tenant': 'default' }]) {
      const path = `/api/tenants/${uuidToTenantId(id)}/${place}`
      const answer = await world.nobody.get(path, { ...headers, origin: 'https://anywhere.example' })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=600')
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      assert.deepEqual([answer.headers.get('vary'), answer.headers.get('set-cookie')], [null, null])
    }
})

test('a query is ignored', async () => {
  const { slug, id } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  await ann.post('/api/tokens')
  for (const place of places) {
    const path = `/api/tenants/${uuidToTenantId(id)}/${place}`
    const [plain, queried] = [await world.nobody.get(path), await world.nobody.get(`${path}?appid=notes`)]
    assert.deepEqual([queried.status, queried.body], [200, plain.body])
  }
})

test('an unknown tenant, one that is being deleted, and one without tokens look alike', async () => {
  const { slug, id } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  await ann.post('/api/tokens')
  const path = `/api/tenants/${uuidToTenantId(id)}/jwks.json`
  assert.equal((await world.nobody.get(path)).status, 200)

  await world.postgres.query('update tenants set deleted_at = now() where id = $1', [id])

  assert.deepEqual(codeOf(await world.nobody.get(path)), [404, 'not_found'])
  for (const unknown of [newId('ten'), `ten_0${'m'.repeat(25)}`, `ten_7${'z'.repeat(25)}`])
    assert.deepEqual(codeOf(await world.nobody.get(`/api/tenants/${unknown}/jwks.json`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await world.nobody.get('/api/tenants/default/jwks.json')), [400, 'invalid_id'])
  await world.deleteTenant(slug)
  assert.deepEqual(await world.postgres.query('select from signing_keys where tenant_id = $1', [id]), [])
})
