/** Keys of a tenant that has very many. In a file of its own: the rows are read in the order in which they were written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onStoredKeys } from '../../../test/stored-keys.ts'
import { createWorld } from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'

const world = await createWorld()
const { query } = world.postgres
const { organizationKey, stateOf } = onStoredKeys(world)

test('the hourly task finds who has lost the right to a key, however many keys have a rightful holder', async () => {
  const { cleo, ...acme } = await world.organization()
  const [large, last] = [await world.organization(), await world.organization()]
  for (const { ann, id } of [large, last]) await world.join(ann, id, cleo)
  // Members hold one of these scopes, and not the other.
  const [held, lost] = [{ scopes: ['members:read'] }, { scopes: ['invitations:write'] }]
  const first = await organizationKey(acme.id, cleo, lost)
  const rightful = await organizationKey(large.id, cleo, held)
  await query(
    `insert into api_keys (tenant_id, id, owner_type, organization_id, name, scopes, holder_id)
     select tenant_id, id || n, owner_type, organization_id, name, scopes, holder_id
     from api_keys, generate_series(1, 10000) n where id = $1`,
    [rightful.id],
  )
  const latest = await organizationKey(last.id, cleo, lost)

  await runEverywhere(world, 'settle_keys')

  const isLeft = async (key: { id: string }) => (await stateOf(key)).is_left
  assert.deepEqual([await isLeft(first), await isLeft(rightful), await isLeft(latest)], [true, false, true])
})
