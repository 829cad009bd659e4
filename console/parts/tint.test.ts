import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tintOf } from './tint.ts'

test('each id has a tint of its own choice, and all tints are used', () => {
  const ids = Array.from({ length: 200 }, (_, index) => `user_01k9zq3v5hf8gs4m2y7c6t${String(index).padStart(4, '0')}`)
  assert.deepEqual(ids.map(tintOf), ids.map(tintOf))
  assert.equal(new Set(ids.map(tintOf)).size, 12)
  assert.ok(tintOf('') >= 0)
})
