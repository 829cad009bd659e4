import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initials } from './initials.ts'

test('initials are letters of the first and the last word', () => {
  assert.deepEqual(
    ['Ann Archer', 'ann.archer@example.com', 'Acme', 'บริษัท จำกัด (มหาชน)', '👩‍👩‍👧‍👦 Emoji 🎉'].map(initials),
    ['AA', 'AA', 'A', 'บม', 'E'],
  )
})

test('a name without letters is shown by its first sign, and that as a whole', () => {
  assert.deepEqual(['👩‍👩‍👧‍👦🎉', '(…)', ''].map(initials), ['👩‍👩‍👧‍👦', '(', ''])
})
