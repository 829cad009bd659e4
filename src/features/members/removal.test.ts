import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, password } from '../../../test/world.ts'
import { pipelines } from '../../platform/channels.ts'

const world = await createWorld()
const { ask, awaitLine } = world.postgres

test('a member can be removed while their inviter deletes their account, without a deadlock', async () => {
  const { ann, ben, id, path } = await world.organization()
  const eve = await world.person('Eve')
  const member = await world.join(ben, id, eve)
  assert.equal((await ben.delete(`${path}/members/me`)).status, 200)
  const failed: unknown[] = []
  const note = (message: unknown) => failed.push((message as { error: unknown }).error) // of a failed promise
  pipelines.error.subscribe(note)

  await ask('begin')
  // What erasing Ben comes to once it has locked the invitations that he sent, and before his row goes.
  await ask('select from graphile_worker._private_jobs where starts_with(key, $1) for update', [`mail:${ben.id}:`])
  const deleted = ben.delete('/api/users/me', { password })
  await awaitLine(1)
  const removed = ann.delete(`${path}/members/${member.id}`)
  await awaitLine(2)
  await ask('commit')

  assert.deepEqual([(await deleted).status, (await removed).status], [200, 200])
  pipelines.error.unsubscribe(note)
  assert.deepEqual(failed, [])
})
