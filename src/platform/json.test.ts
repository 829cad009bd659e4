import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from './json.ts'

test('a number of a million digits takes no longer than its length', () => {
  const zeros = '0'.repeat(1_000_000) // a pattern that tries at each zero would take hours
  for (const number of [`0.1${zeros}1`, `1${zeros}1`, `-1${zeros}1e-9`])
    assert.ok(Number.isNaN(parseJson(number)), number.slice(0, 5))
  assert.equal(parseJson(`0.1${zeros}`), 0.1)
  assert.equal(parseJson(`1.${zeros}`), 1)
})
