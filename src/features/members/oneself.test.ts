/** Oneself among the members: by `me`, by the id of one's membership, and by one's user id. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerKeys } from '../../../test/key-requests.ts'
import { codeOf, createWorld, type Json } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld()
await offerKeys(world)

test("`me` is the caller's own membership in every organization that they are in", async () => {
  const [acme, other] = [await world.organization(), await world.organization()]
  const second = await world.join(other.ann, other.id, acme.cleo, 'admin')

  const { user, ...rest } = acme.members.cleo
  const asMember = { ...rest, user: { ...user, hasSecondFactor: null }, lastActiveAt: null }
  const { permissions: own, ...mine } = (await acme.cleo.get(`${acme.path}/members/me`)).body
  assert.deepEqual(mine, asMember)
  assert.deepEqual(own, ['members:leave', 'members:read', 'organization:read'])
  const { permissions: others, ...there } = (await acme.cleo.get(`/api/organizations/${other.slug}/members/me`)).body
  assert.deepEqual({ ...there, lastActiveAt: null }, second)
  assert.ok(others.includes('members:update'))
  assert.deepEqual(codeOf(await acme.dan.get(`${acme.path}/members/me`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await acme.cleo.get(`${acme.path}/members/you`)), [400, 'invalid_id'])
})

test('a user id finds a member, and nothing if the user is no member', async () => {
  const { ann, ben, cleo, dan, path } = await world.organization()
  const found = async (query: string) =>
    (await ann.get(`${path}/members?${query}`)).body.data.map(({ user }: Json) => user.name)

  assert.deepEqual(await found(`userId=${ben.id}`), ['Ben'])
  assert.deepEqual(await found(`userId=${cleo.id}&role=member&sort=-name`), ['Cleo'])
  assert.deepEqual(await found(`userId=${cleo.id}&role=admin`), [])
  assert.deepEqual(await found(`userId=${dan.id}`), [])
  assert.deepEqual(codeOf(await ann.get(`${path}/members?userId=ben`)), [400, 'invalid_request'])
})

test('removing checks the permission before it reveals who is a member, and leaving needs none', async () => {
  const { cleo, path, members } = await world.organization()

  assert.deepEqual(codeOf(await cleo.delete(`${path}/members/${members.ben.id}`)), [403, 'forbidden'])
  assert.deepEqual(codeOf(await cleo.delete(`${path}/members/${newId('mem')}`)), [403, 'forbidden'])
  assert.equal((await cleo.delete(`${path}/members/${members.cleo.id}`)).body.id, members.cleo.id)
})

test('a key of a person takes from that person only what it holds itself', async () => {
  const { ann, ben, path, members } = await world.organization()
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
  const { permissions } = (await ann.get(`${path}/members/me`)).body
  const ofOwner = permissions.filter((key: string) => key !== 'organization:delete' && key !== 'ownership:transfer')
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()

  for (const scopes of [['members:update'], ofOwner]) {
    const key = await world.key(scopes, { person: ann })
    for (const wanted of [{ role: 'member', expiresAt }, { role: 'admin' }]) {
      const answer = await key.patch(`${path}/members/${members.ann.id}`, wanted)
      assert.deepEqual(codeOf(answer), [403, 'role_above_yours'])
    }
  }
  const own = (await ann.get(`${path}/members/me`)).body
  assert.deepEqual([own.role, own.expiresAt], ['owner', null])

  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'admin' })
  const narrow = await world.key(['members:update'], { person: ben })
  const lower = { role: 'member' }
  assert.deepEqual(codeOf(await narrow.patch(`${path}/members/${members.ben.id}`, lower)), [403, 'role_above_yours'])
  const whole = await world.key(ofOwner, { person: ben })
  assert.equal((await whole.patch(`${path}/members/${members.ben.id}`, lower)).body.role, 'member')
})
