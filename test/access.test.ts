import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAccess } from './access.ts'
import { isOfAccounts, rows } from './access-table.ts'

const world = await testAccess(rows.filter((row) => !isOfAccounts(row)))

test('the table has exactly the operations of the document', () => {
  assert.deepEqual([...new Set(rows.map(({ operation }) => operation))].sort(), [...world.contract.operations].sort())
})
