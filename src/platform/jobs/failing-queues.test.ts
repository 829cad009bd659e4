import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailingQueues } from './failing-queues.ts'

const anHour = 3_600_000

test('a queue fails from its failure to its next success', () => {
  const failing = new FailingQueues(4)
  failing.failed('a', 0)
  failing.failed('b', 0)
  failing.failed('a', 0)
  assert.deepEqual(failing.all.sort(), ['a', 'b'])

  failing.succeeded('a')
  failing.succeeded('c')

  assert.deepEqual(failing.all, ['b'])
})

test('after a long try a queue rests, and after a short one it does not', () => {
  const failing = new FailingQueues(4)
  failing.failed('slow', anHour)
  failing.failed('quick', 0)
  assert.deepEqual(failing.resting, ['slow'])

  failing.succeeded('slow')

  assert.deepEqual(failing.resting, [])
})

test('a queue whose jobs are gone is forgotten after a day', (t) => {
  const failing = new FailingQueues(4)
  failing.failed('gone', anHour)
  const now = performance.now()
  t.mock.method(performance, 'now', () => now + 26 * anHour)

  failing.failed('other', 0)

  assert.deepEqual(failing.all, ['other'])
})
