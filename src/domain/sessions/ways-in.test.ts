import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, enrol, link } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const tess = await world.tenantAdmin()

const said = ({ status, body }: Answer) => [status, body.code]

/** Somebody who signs in by a provider alone, with an app as the second factor. */
async function atProvider(): Promise<{ person: Person; identity: Json; factorId: string; providerId: string }> {
  const providerId = await addProvider(world, double.origin)
  const { person } = await enrol(world)
  const { body: identity } = await link(double, person, providerId, { sub: randomBytes(8).toString('hex') })
  assert.equal((await person.delete('/api/users/me/password')).status, 200)
  const { body } = await person.get('/api/users/me/factors')
  return { person, identity, factorId: body.data[0].id, providerId }
}

test('somebody whose only provider was disabled may still remove what is no way in', async () => {
  const { person, identity, factorId, providerId } = await atProvider()
  const path = `/api/users/me/identities/${identity.id}`
  assert.deepEqual(said(await person.delete(path)), [409, 'last_way_in'])
  assert.equal((await tess.patch(`/api/admin/providers/${providerId}`, { enabled: false })).status, 200)

  const removed = await person.delete(`/api/users/me/factors/${factorId}`)
  const unlinked = await person.delete(path)

  assert.deepEqual([removed.status, removed.body.id], [200, factorId], JSON.stringify(removed.body))
  assert.deepEqual([unlinked.status, unlinked.body.id], [200, identity.id], JSON.stringify(unlinked.body))
})

test('an admin may unlink an account at a disabled provider from somebody who has no way in', async () => {
  const { person, identity, providerId } = await atProvider()
  const path = `/api/admin/users/${person.id}/identities/${identity.id}`
  assert.deepEqual(said(await tess.delete(path)), [409, 'last_way_in'])
  assert.equal((await tess.patch(`/api/admin/providers/${providerId}`, { enabled: false })).status, 200)
  assert.equal((await tess.delete(path)).status, 200)
})
