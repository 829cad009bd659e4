import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withAsciiDigits } from './digits.ts'

test('decimal digits of any script are read, and other signs stay', () => {
  assert.deepEqual(['١٢٣', '۴۵۶', '०९', '１２', '𝟗𝟘', '𞥑', '12-3a²'].map(withAsciiDigits), [
    '123',
    '456',
    '09',
    '12',
    '90',
    '1',
    '12-3a²',
  ])
})
