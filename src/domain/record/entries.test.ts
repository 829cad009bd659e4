/** Entries: what a log says of the keys by which somebody acted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { record } from './record.ts'

const world = await createWorld()
const { query } = world.postgres
await query('update tenants set personal_keys = true, organization_keys = true')
const tess = await world.tenantAdmin()

/** An organization that its key and the key of its admin have renamed. */
async function changedByKeys() {
  const organization = await world.organization()
  const { id, path, ben } = organization
  const scopes = ['organization:update']
  const ofAcme = await world.key(scopes, { organization: id })
  const ofBen = await world.key(scopes, { person: ben })
  for (const [key, name] of [
    [ofAcme, 'By its key'],
    [ofBen, 'By a key of Ben'],
  ] as const)
    assert.equal((await key.patch(path, { name })).status, 200)
  return { ...organization, ofAcme, ofBen }
}

/** Who did it and by what, newest first. */
async function told(reader: Person, log: string): Promise<Json[]> {
  const { body } = await reader.get(`${log}${log.includes('?') ? '&' : '?'}action=organization.updated`)
  return body.data.map(({ actor, via }: Json) => ({ actor, via }))
}

test('a log names the organization’s key as the actor, and the key of a person beside the person', async () => {
  const { id, ben, ofAcme, ofBen } = await changedByKeys()
  const byKey = { actor: { type: 'key', id: ofAcme.id, name: 'Nightly import' }, via: null }
  const byBen = { type: 'user', id: ben.id, name: 'Ben' }

  const named = { actor: byBen, via: { id: ofBen.id, name: 'Nightly import' } }
  assert.deepEqual(await told(tess, `/api/admin/audit?organizationId=${id}`), [named, byKey])
  assert.deepEqual(await told(ben, '/api/users/me/audit'), [named])
})

test('an organization’s admins learn that a member used a key, and not what the member calls it', async () => {
  const { path, ann, ofBen } = await changedByKeys()

  const [byBen] = await told(ann, `${path}/audit`)

  assert.deepEqual(byBen.via, { id: ofBen.id, name: null })
})

test('a key that is gone has no name, and a deleted person none of their keys', async () => {
  const { id, path, ann, ben, ofAcme, ofBen } = await changedByKeys()
  await query('delete from api_keys where id = any($1)', [[ofAcme.id, ofBen.id]])

  const entries = await told(tess, `/api/admin/audit?organizationId=${id}`)
  assert.deepEqual(entries[0].via, { id: ofBen.id, name: null })
  assert.deepEqual(entries[1].actor, { type: 'key', id: ofAcme.id, name: null })

  assert.equal((await ben.delete('/api/users/me', { password })).status, 200)
  const [byNobody] = await told(ann, `${path}/audit`)
  assert.deepEqual([byNobody.actor.type, byNobody.via], ['deleted_user', null])
})

test('an entry about a key names it, and a former member does not learn the name of an organization’s key', async () => {
  const { id, path, ann, ben, members, ofAcme, ofBen } = await changedByKeys()
  const from = { userId: ben.id, name: 'Ben', ip: null, device: null, keyId: null, requestId: null }
  await world.database.inTenant(world.tenantId, async (sql) => {
    const narrow = (key: string, organization: object) =>
      record(sql, { type: 'user', ...from }, 'key.narrowed', { target: { type: 'key', id: key }, ...organization })
    await narrow(ofAcme.id, { organizationId: id })
    await narrow(ofBen.id, {})
  })
  const targets = async () => {
    const { body } = await ben.get('/api/users/me/audit?action=key.*')
    return body.data.map(({ target }: Json) => target)
  }
  const [own, ours] = [ofBen.id, ofAcme.id].map((each) => ({ type: 'key', id: each, name: 'Nightly import' }))
  assert.deepEqual(await targets(), [own, ours])

  await ann.delete(`${path}/members/${members.ben.id}`)

  assert.deepEqual(await targets(), [own, { ...ours, name: null }])
})
