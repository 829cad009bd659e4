import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kept } from './kept.ts'

test('a result is computed once, and after a failure again', async () => {
  let computed = 0
  const number = kept(async () => {
    computed++
    if (computed === 1) throw new Error('not yet')
    return computed
  })

  await Promise.all([1, 2].map(() => assert.rejects(number(), /^Error: not yet$/)))
  assert.deepEqual([await number(), await number()], [2, 2])
})
