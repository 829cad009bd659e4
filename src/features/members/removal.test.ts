import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hold } from '../../../test/holding.ts'
import { createWorld, password } from '../../../test/world.ts'
import { pipelines } from '../../platform/channels.ts'

const world = await createWorld()
const { awaitLine } = world.postgres

test('a member can be removed while their inviter deletes their account, without a deadlock', async (t) => {
  const { ann, ben, id, path } = await world.organization()
  const eve = await world.person('Eve')
  const member = await world.join(ben, id, eve)
  assert.equal((await ben.delete(`${path}/members/me`)).status, 200)
  const failed: unknown[] = []
  const note = (message: unknown) => failed.push((message as { error: unknown }).error) // of a failed promise
  pipelines.error.subscribe(note)
  t.after(() => pipelines.error.unsubscribe(note))

  // What erasing Ben comes to once it has locked the invitations that he sent, and before his row goes.
  const mails = 'select from graphile_worker._private_jobs where starts_with(key, $1) for update'
  const release = await hold(t, world.postgres, mails, [`mail:${ben.id}:`])
  const deleted = ben.delete('/api/users/me', { password })
  await awaitLine(1)
  const removed = ann.delete(`${path}/members/${member.id}`)
  await awaitLine(2)
  await release()

  assert.deepEqual([(await deleted).status, (await removed).status], [200, 200])
  assert.deepEqual(failed, [])
})
