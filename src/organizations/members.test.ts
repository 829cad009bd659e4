import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../test/world.ts'

const world = await createWorld()

test('an organization keeps at least one owner', async () => {
  const { ann, path, members } = await world.organization()

  const answer = await ann.patch(`${path}/members/${members.ann.id}`, { role: 'member' })

  assert.deepEqual([answer.status, answer.body.code], [409, 'last_owner'])
})
