import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdTenant } from '../../../test/holding.ts'
import { createWorld } from '../../../test/world.ts'

const world = await createWorld()

test('a change and its entry do not lock the row of the tenant, which all writers of the tenant share', async (t) => {
  const { ann, path, members } = await world.organization()
  await holdTenant(t, world.postgres, world.tenantId)

  const changes = [
    await ann.patch('/api/users/me', { name: 'Ann Other' }),
    await ann.patch(path, { name: 'Renamed' }),
    await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
  ]

  assert.deepEqual(
    changes.map(({ status }) => status),
    [200, 200, 200],
  )
})
