import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describe, mostKnown } from './statements.ts'

test('a statement is described without its values, by its operation and its first table', () => {
  const described = describe({ text: `\n  select id\n  from users\n  where id = $1` })
  assert.deepEqual(described, { text: 'select id from users where id = $1', summary: 'select users' })
  assert.deepEqual(describe(`set local guildhall.tenant = 'ten_1'`).text, 'set local guildhall.tenant = ?')
})

test('descriptions are kept, but no more than a limited number of them', () => {
  const first = { text: 'select first' }
  const made = describe(first)
  assert.equal(describe(first), made)
  for (let number = 0; number < mostKnown; number++) describe({ text: `select ${number}` })
  assert.notEqual(describe(first), made)
})
