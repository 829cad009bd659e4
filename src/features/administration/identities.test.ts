import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, link, signedIn, visit } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const { query } = world.postgres
const tess = await world.tenantAdmin()
const providerId = await addProvider(world, double.origin)

const said = ({ status, body }: Answer) => [status, body.code]
const pathOf = ({ id }: Person, identity: Json) => `/api/admin/users/${id}/identities/${identity.id}`

/** Somebody with a linked account, and a session that it began. */
async function linked(): Promise<{ person: Person; identity: Json; session: Person; sub: string }> {
  const person = await world.person()
  const sub = randomBytes(8).toString('hex')
  const { body: identity } = await link(double, person, providerId, { sub })
  const arrived = await world.nobody.post('/api/auth/sign-in/continue', await visit(world, double, providerId, { sub }))
  return { person, identity, session: signedIn(world, arrived, person), sub }
}

test('an admin unlinks an account of a user: the sessions that it began end, others go on, and the log tells it', async () => {
  const { person, identity, session } = await linked()
  assert.deepEqual((await tess.get(`/api/admin/users/${person.id}/identities`)).body.data.length, 1)

  const { status, body, headers } = await tess.delete(pathOf(person, identity))

  assert.deepEqual([status, body.id, body.provider], [200, identity.id, identity.provider])
  assert.equal((await session.get('/api/users/me')).status, 401)
  assert.deepEqual((await person.get('/api/users/me/identities')).body.data, [])
  const { body: log } = await tess.get('/api/admin/audit?action=identity.unlinked')
  const [entry] = log.data
  assert.deepEqual(
    [entry.actor.id, entry.target.id, entry.details, entry.requestId],
    [tess.id, person.id, { provider: identity.provider.name, endedSessions: 1 }, headers.get('x-request-id')],
  )
  assert.deepEqual(said(await tess.delete(pathOf(person, identity))), [404, 'not_found'])
})

test('an admin names an account of this user, and leaves the user a way in', async () => {
  const [{ person, identity }, other] = [await linked(), await world.person('Ben')]
  assert.deepEqual(said(await tess.delete(pathOf(other, identity))), [404, 'not_found'])

  await query('update users set password_hash = null where id = $1', [person.id])
  assert.deepEqual(said(await tess.delete(pathOf(person, identity))), [409, 'last_way_in'])
  assert.equal((await person.get('/api/users/me/identities')).body.data.length, 1)
})

test('an admin unlinks only in a fresh session', async () => {
  const { person, identity } = await linked()
  const late = await world.tenantAdmin()
  await query(`update sessions set created_at = now() - interval '11 minutes' where user_id = $1`, [late.id])
  assert.deepEqual(said(await late.delete(pathOf(person, identity))), [403, 'confirmation_required'])
})
