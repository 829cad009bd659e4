import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, makeProduct } from '../../../test/grants.ts'
import { createWorld } from '../../../test/world.ts'

const world = await createWorld()
const acme = await makeProduct(world)

test('a revocation by either token ends the grant, and the session stays', async () => {
  const ann = await world.person()
  for (const name of ['refresh_token', 'access_token']) {
    const kept = await acme.signIn(ann)
    const tokens = await acme.signIn(ann)

    const answer = await acme.post('revoke', { token: tokens[name], token_type_hint: 'whatever' })

    assert.deepEqual([answer.status, answer.body], [200, {}])
    assert.deepEqual(errorOf(await acme.userinfo(tokens.access_token)), [401, 'invalid_token'])
    assert.deepEqual(errorOf(await acme.refresh(tokens.refresh_token)), [400, 'invalid_grant'])
    assert.equal((await acme.userinfo(kept.access_token)).status, 200)
    assert.equal((await ann.get('/api/users/me')).status, 200)
  }
})

test('the answer is the same for a token that is unknown, of nobody, or of another application, which keeps it', async () => {
  const ann = await world.person()
  const other = await makeProduct(world)
  const tokens = await acme.signIn(ann)
  for (const token of ['x', `${tokens.refresh_token}x`, ann.token, tokens.refresh_token, tokens.access_token]) {
    const { status, body } = await other.post('revoke', { token })
    assert.deepEqual([status, body], [200, {}])
  }
  assert.equal((await acme.refresh(tokens.refresh_token)).status, 200)
  assert.equal((await ann.get('/api/users/me')).status, 200)
})

test('a token of somebody else is unknown, however long it is', async () => {
  for (const token of [`eyJhbGciOiJSUzI1NiJ9.${'x'.repeat(8_000)}.x`, `ghf_${'0'.repeat(16_380)}`]) {
    const { status, body } = await acme.post('revoke', { token })
    assert.deepEqual([status, body], [200, {}])
  }
})

test('a query is ignored, also a token in it', async () => {
  const { refresh_token: kept } = await acme.signIn(await world.person())
  const { refresh_token: token } = await acme.signIn(await world.person())

  const { status } = await acme.post(`revoke?tenant=acme&token=${kept}`, { token })

  assert.equal(status, 200)
  assert.deepEqual(errorOf(await acme.refresh(token)), [400, 'invalid_grant'])
  assert.equal((await acme.refresh(kept)).status, 200)
})

test('an application that does not prove who it is revokes nothing', async () => {
  const tokens = await acme.signIn(await world.person())
  const answer = await acme.post('revoke', { token: tokens.refresh_token, client_secret: 'x' })
  assert.deepEqual(errorOf(answer), [401, 'invalid_client'])
  assert.deepEqual(errorOf(await acme.post('revoke', {})), [400, 'invalid_request'])
  assert.equal((await acme.refresh(tokens.refresh_token)).status, 200)
})
