import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerKeys, requestKey } from '../../../test/key-requests.ts'
import { statuses, together } from '../../../test/races.ts'
import { Client, codeOf, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld({ processes: 4 })
await offerKeys(world)

const list = '/api/admin/keys'

/** A tenant of its own, with two admins. */
async function makeTenant() {
  const tenant = await world.tenant()
  const [tess, tom] = [await world.tenantAdmin(tenant.slug), await world.tenantAdmin(tenant.slug)]
  return { tenant, tess, tom }
}

test('a tenant admin makes a key of the tenant, narrows, rotates and ends it', async () => {
  const { tess, tom } = await makeTenant()
  const scopes = ['users:read', 'credentials:verify', 'organization:delete']
  const made = await tess.post(list, { name: 'Back end', scopes })
  assert.equal(made.status, 201)
  const { key } = made.body
  assert.equal(made.headers.get('location'), `${list}/${key.id}`)
  const { id } = (await tess.get('/api/admin/tenant')).body
  assert.deepEqual(
    [key.owner, key.organizationId, key.holder.id, key.scopes, key.expiresAt],
    [{ type: 'tenant', id }, null, tess.id, scopes, null],
  )
  const narrowed = await tom.patch(`${list}/${key.id}`, { scopes: ['users:read'] })
  assert.deepEqual([narrowed.status, narrowed.body.scopes, narrowed.body.holder.id], [200, ['users:read'], tess.id])
  const rotated = await tom.post(`${list}/${key.id}/rotate`, { overlapSeconds: 0 })
  assert.deepEqual([rotated.status, rotated.body.key.holder.id], [200, tom.id])
  assert.deepEqual((await tess.get(list)).body.data, [rotated.body.key])
  assert.equal((await tess.delete(`${list}/${key.id}`)).body.endedBecause, 'revoked')
  const { data } = (await tess.get('/api/admin/audit?action=key.*')).body
  assert.deepEqual(
    data.map(({ action, actor, target }: Json) => [action, actor.id, target.id]),
    [
      ['key.ended', tess.id, key.id],
      ['key.rotated', tom.id, key.id],
      ['key.narrowed', tom.id, key.id],
      ['key.created', tess.id, key.id],
    ],
  )
})

test('a key of the tenant has no scopes of people, nor permissions that nobody has', async () => {
  const { tess } = await makeTenant()
  const refused = await tess.post(list, {
    name: 'Back end',
    scopes: ['me:read', 'users:read', 'no:such', 'tenant:write'],
  })
  assert.deepEqual(codeOf(refused), [400, 'invalid_request'])
  assert.deepEqual(
    refused.body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`),
    ['/scopes/0 not_allowed', '/scopes/2 not_allowed', '/scopes/3 not_allowed'],
  )
})

test('a tenant has at most fifty live keys', async () => {
  const { tess, tom } = await makeTenant()
  const body = { name: 'Back end', scopes: ['users:read'] }
  const acts = Array.from({ length: 55 }, (_, index) => () => (index % 2 ? tess : tom).post(list, body))
  assert.deepEqual(statuses(await together(...acts)), [...Array(50).fill('201'), ...Array(5).fill('409 limit_reached')])
})

test('a key that a demoted tenant admin makes at that moment is made before, or not at all', async () => {
  const { tess, tom } = await makeTenant()
  const [demoted, made] = await together(
    () => tess.patch(`/api/admin/users/${tom.id}`, { role: 'user' }),
    () => tom.post(list, { name: 'Back end', scopes: ['users:read'] }),
  )
  assert.equal(demoted?.status, 200)
  assert.ok(made?.status === 201 || made?.body.code === 'forbidden', `${made?.status}`)
  assert.equal((await tess.get(list)).body.data.length, made?.status === 201 ? 1 : 0)
  assert.deepEqual(codeOf(await tom.post(list, { name: 'Later', scopes: ['users:read'] })), [403, 'forbidden'])
})

test('tenant admins see and end the keys of their users, and no others', async () => {
  const { tenant, tess } = await makeTenant()
  await offerKeys(world, tenant.slug)
  const ann = await world.person('Ann', { tenant: tenant.slug })
  const [one, two] = [await requestKey(ann, '/api/users/me/keys'), await requestKey(ann, '/api/users/me/keys')]
  const path = `/api/admin/users/${ann.id}/keys`
  assert.deepEqual((await tess.get(path)).body.data, [two.key, one.key])
  const ended = await tess.delete(`${path}/${one.key.id}`)
  assert.deepEqual([ended.status, ended.body.status, ended.body.endedBecause], [200, 'ended', 'revoked'])
  assert.deepEqual((await tess.get(`${path}?status=active`)).body.data, [two.key])
  assert.deepEqual((await tess.get(`${path}?status=ended`)).body.data, [ended.body])

  const own = await requestKey(tess, list)
  assert.deepEqual(codeOf(await tess.delete(`${path}/${own.key.id}`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await tess.get(`${list}/${two.key.id}`)), [404, 'not_found'])
  const abroad = await world.person('Abe')
  const foreign = await requestKey(abroad, '/api/users/me/keys')
  const theirs = `/api/admin/users/${abroad.id}/keys`
  assert.deepEqual(codeOf(await tess.get(theirs)), [404, 'not_found'])
  assert.deepEqual(codeOf(await tess.delete(`${theirs}/${foreign.key.id}`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await ann.get(path)), [403, 'forbidden'])
})

test('a key of the tenant acts in each organization, and neither reads nor changes keys of the tenant or of people', async () => {
  const { tenant, tess } = await makeTenant()
  await offerKeys(world, tenant.slug)
  const { path, ann } = await world.organization({ tenant: tenant.slug })
  const { key, secret } = await requestKey(tess, list, { scopes: ['members:read', 'users:read', 'users:write'] })
  const program = new Client(world, { authorization: `Bearer ${secret}` })
  assert.equal((await program.get(`${path}/members`)).body.data.length, 3)
  const own = await requestKey(ann, '/api/users/me/keys')
  for (const answer of [
    await program.get(list),
    await program.get(`${list}/${key.id}`),
    await program.post(list, { name: 'Another', scopes: ['users:read'] }),
    await program.patch(`${list}/${key.id}`, { name: 'Mine' }),
    await program.post(`${list}/${key.id}/rotate`, {}),
    await program.delete(`${list}/${key.id}`),
    await program.get(`/api/admin/users/${ann.id}/keys`),
    await program.delete(`/api/admin/users/${ann.id}/keys/${own.key.id}`),
  ])
    assert.deepEqual([...codeOf(answer), answer.body.scope], [403, 'insufficient_scope', null])
  const { path: elsewhere } = await world.organization()
  assert.deepEqual(codeOf(await program.get(`${elsewhere}/members`)), [404, 'not_found'])
  await tess.delete(`${list}/${key.id}`)
  assert.deepEqual(codeOf(await program.get(`${path}/members`)), [401, 'unauthenticated'])
})
