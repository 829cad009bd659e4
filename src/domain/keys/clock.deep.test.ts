/** The grace of keys by the clock: only PostgreSQL's clock moves. No row is changed by hand, and no task runs. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { requestKey } from '../../../test/key-requests.ts'
import { startMovedPostgres, withoutClock } from '../../../test/moved-clock.ts'
import { Client, codeOf, createWorld } from '../../../test/world.ts'

const opened = withoutClock ? undefined : await open()

async function open() {
  const { move, stop } = await startMovedPostgres()
  const world = await createWorld()
  after(stop)
  const tess = await world.tenantAdmin()
  const settings = { organizationKeys: true, keyGraceSeconds: 3600 }
  assert.equal((await tess.patch('/api/admin/tenant', settings)).status, 200)
  return { world, move, tess }
}

test('a key whose holder has left ends after the grace, and a rotated one goes on', {
  skip: withoutClock,
}, async () => {
  assert.ok(opened)
  const { world, move, tess } = opened
  const { ann, ben, path, members } = await world.organization()
  const tom = await world.tenantAdmin()
  const left = await requestKey(ben, `${path}/keys`)
  const rescued = await requestKey(ben, `${path}/keys`)
  const ofTenant = await requestKey(tom, '/api/admin/keys')
  const made = [left, rescued, ofTenant]
  const read = ({ secret }: { secret: string }) =>
    new Client(world, { authorization: `Bearer ${secret}` }).get(`${path}/members`)
  const statuses = async () => (await Promise.all(made.map(read))).map(({ status }) => status)

  assert.equal((await ann.delete(`${path}/members/${members.ben.id}`)).status, 200)
  assert.equal((await tess.patch(`/api/admin/users/${tom.id}`, { role: 'user' })).status, 200)
  const rotated = await ann.post(`${path}/keys/${rescued.key.id}/rotate`, { overlapSeconds: 86_400 })
  assert.equal(rotated.status, 200)
  await move(3000)
  assert.deepEqual(await statuses(), [200, 200, 200])

  await move(3700)
  assert.deepEqual(await statuses(), [401, 401, 401])
  assert.deepEqual(codeOf(await read(left)), [401, 'unauthenticated'])
  assert.equal((await read(rotated.body)).status, 200, 'only the secret that the former holder has seen has ended')
  const { data } = (await ann.get(`${path}/keys`)).body
  assert.deepEqual(
    data.map(({ id, status, endedBecause }: (typeof left)['key']) => [id, status, endedBecause]),
    [
      [rescued.key.id, 'active', null],
      [left.key.id, 'ended', 'holder_left'],
    ],
  )
  const closed = await world.postgres.query('select from api_keys where ended_at is not null')
  assert.equal(closed.length, 0, 'no task has closed them')
})
