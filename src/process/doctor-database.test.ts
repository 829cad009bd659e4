/** The doctor's look at the database, without one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateFor } from './doctor-database.ts'

test('an update is advised where PostgreSQL has known faults of row-level security, and nowhere else', () => {
  assert.equal(updateFor('15.13'), '15.14')
  assert.equal(updateFor('16.9 (Debian 16.9-1.pgdg12+1)'), '16.10')
  assert.equal(updateFor('17.5'), '17.6')
  for (const version of ['15.14', '16.10', '17.6', '18.0', '18beta1'])
    assert.equal(updateFor(version), undefined, version)
})
