import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Json, type Person } from '../../../test/world.ts'
import { runRetention } from '../../tasks.ts'

const world = await createWorld()
const { query } = world.postgres

async function actionsIn(reader: Person, log: string, query: string): Promise<string[]> {
  const { status, body } = await reader.get(`${log}?${query}`)
  assert.equal(status, 200)
  return body.data.map(({ action }: Json) => action)
}

test('entries of the previous release are found by their action, before and after it is filled in', async () => {
  const [{ ann, id, path }, tess] = [await world.organization(), await world.tenantAdmin()]
  await ann.patch(path, { name: 'Acme 2' })
  await ann.patch('/api/users/me', { locale: 'cy' })
  const read = () =>
    Promise.all(
      [
        'action=organization.*',
        'action=profile.updated,profile.*',
        `organizationId=${id}`,
        `organizationId=${id}&action=organization.updated`,
      ].flatMap((query) => [
        actionsIn(ann, '/api/users/me/audit', query),
        actionsIn(tess, '/api/admin/audit', `${query}&userId=${ann.id}`),
      ]),
    )
  const expected = await read()
  assert.deepEqual(expected[0], ['organization.updated', 'organization.created'])
  assert.deepEqual(expected[2], ['profile.updated'])
  assert.deepEqual(expected[6], ['organization.updated'])
  assert.ok((expected[4] ?? []).length > 3)

  await query(`update audit_details set action = ''`)
  assert.deepEqual(await read(), expected)
  await runRetention(world.database)
  assert.deepEqual(await read(), expected)
  const others = `select from audit_details d join audit_entries e on e.id = d.entry_id where d.action <> e.action`
  assert.deepEqual(await query(others), [])
})
