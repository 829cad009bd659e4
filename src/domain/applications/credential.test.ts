/** Access tokens of applications, as credentials: their one spelling, checks, answers that are kept for them, pages of other origins, and rates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeProduct } from '../../../test/grants.ts'
import { until } from '../../../test/smtp.ts'
import { alike } from '../../../test/spellings.ts'
import { Client, codeOf, createWorld, type Person, password } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const scopes = ['openid', 'api', 'offline_access'] as const
const acme = await makeProduct(world, { scopes })

/** What an application gets for a person, and a client that sends it. */
async function callFor(person: Person, by = acme) {
  const { access_token: access, refresh_token: refresh } = await by.signIn(person, { scopes })
  return {
    access: `${access}`,
    refresh: `${refresh}`,
    client: new Client(world, { authorization: `Bearer ${access}` }),
  }
}

test('a token whose last character is another one is none, though a decoder would ignore the difference', async () => {
  const { access, refresh } = await callFor(await world.person())

  for (const each of alike(access)) {
    const answer = await world.nobody.get('/api/users/me', { authorization: `Bearer ${each}` })
    assert.deepEqual(codeOf(answer), [401, 'unauthenticated'], each)
  }
  for (const each of alike(refresh)) assert.equal((await acme.refresh(each)).body.error, 'invalid_grant', each)
  assert.equal((await acme.refresh(refresh)).status, 200)
})

test('checks of one permission, checks of many and the caller say the same of an application', async () => {
  const { ann, path, id: organizationId } = await world.organization()
  const { client } = await callFor(ann)
  const { body: caller } = await client.get(`/api/caller?organization=${organizationId}`)

  for (const [permission, may] of [
    ['organization:update', true],
    ['organization:delete', false],
    ['ownership:transfer', false],
    ['keys:read', false],
    ['keys:write', false],
  ] as const) {
    const one = await client.get(`${path}/check/${permission}`)
    const { body: many } = await client.post('/api/check', { checks: [{ organizationId, permission }] })
    const told = [one.status === 204, many.results[0].allowed, caller.permissions.includes(permission)]
    assert.deepEqual(told, [may, may, may], permission)
  }
})

test('an answer is repeated to the same application for the same person alone, and goes with the person', async () => {
  const ann = await world.person()
  const { client } = await callFor(ann)
  const { client: later } = await callFor(ann)
  const { client: other } = await callFor(ann, await makeProduct(world, { scopes }))
  const create = (by: Client) => by.post('/api/organizations', { name: 'Once' }, { 'idempotency-key': 'once' })

  const first = await create(client)
  const replayed = await create(later)
  const others = [await create(other), await create(ann)]

  assert.deepEqual([replayed.status, replayed.body.id], [201, first.body.id])
  for (const { status, body, headers } of others) {
    assert.deepEqual([status, headers.get('idempotent-replayed')], [201, null])
    assert.notEqual(body.id, first.body.id)
  }
  // The organization of the first answer stays, and so nothing that the answer names goes.
  const ben = await world.person('Ben')
  const { id } = await world.join(ann, first.body.id, ben)
  await ann.patch(`/api/organizations/${first.body.id}/members/${id}`, { role: 'owner' })
  const kept = () => query('select from idempotency_keys where starts_with(user_id, $1)', [ann.id])
  assert.equal((await kept()).length, 3)
  assert.equal((await ann.delete('/api/users/me', { password })).status, 200)
  assert.deepEqual(await kept(), [])
})

test('a page of another origin reads what a token gets if the tenant of the token allows the origin', async () => {
  const origin = 'https://page.example.com'
  const elsewhere = await world.tenant()
  const { client } = await callFor(await world.person())
  const isAllowed = async () => {
    const { headers } = await client.get('/api/users/me', { origin, 'sec-fetch-site': 'cross-site' })
    return headers.get('access-control-allow-origin') === origin
  }
  await world.updateTenant(elsewhere.slug, { allowedOrigins: [origin] })
  const named = { origin, 'guildhall-tenant': elsewhere.slug }
  const isKnown = async () =>
    (await world.nobody.get('/api/tenant', named)).headers.get('access-control-allow-origin') === origin
  await until(isKnown, 'the origin of the other tenant to be known')

  assert.equal(await isAllowed(), false)
  await world.updateTenant('default', { allowedOrigins: [origin] })
  await until(isAllowed, 'the origin to be known')
})

test('requests of a grant are counted apart from those of its session and of other grants', async () => {
  const counting = await createWorld({ settings: { LIMITS: 'on', LIMIT_REQUESTS: '3/3600' } })
  const [ann, application] = [await counting.person(), await makeProduct(counting, { scopes })]
  const clientFor = async () => {
    const { access_token: access } = await application.signIn(ann, { scopes })
    return new Client(counting, { authorization: `Bearer ${access}` })
  }
  const [first, second] = [await clientFor(), await clientFor()]

  for (let sent = 0; sent < 3; sent++) assert.equal((await first.get('/api/users/me')).status, 200)
  const { status, body } = await first.get('/api/users/me')

  assert.deepEqual([status, body.code, body.policy], [429, 'rate_limited', 'requests'])
  assert.equal((await second.get('/api/users/me')).status, 200)
  assert.equal((await ann.get('/api/users/me')).status, 200)
})
