import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailingQueues } from './failing-queues.ts'

test('a failing queue whose jobs are gone is forgotten after a day', (t) => {
  const failing = new FailingQueues(['gone'])
  const now = performance.now()
  t.mock.method(performance, 'now', () => now + 25 * 3_600_000)

  failing.add('other')

  assert.deepEqual(failing.names, ['other'])
})
