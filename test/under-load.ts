/** Load on a service during a change to its environment. */
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { Journal } from '../faults/requests.ts'
import { startLoad } from '../faults/stories.ts'
import type { TestDatabase } from './database.ts'
import { until } from './smtp.ts'
import { password } from './world.ts'

/**
 * Sends reads, more at once than the service has connections, and tells stories (faults/stories.ts), before, during and after an action.
 *
 * @throws AssertionError if a request was not answered, or a read was answered wrongly
 */
export async function underLoad(url: string, query: TestDatabase['query'], work: () => Promise<void>): Promise<void> {
  const journal = new Journal()
  journal.urls.push(url)
  const verify = (ids: string[]) => query('update users set email_verified = true where id = any($1)', [ids])
  const account = { email: `zoe-${Date.now()}@example.com`, password }
  const { answer } = await journal.change({ method: 'POST', path: '/api/auth/sign-up', body: account })
  const read = { method: 'GET', path: '/api/users/me', token: answer?.body.session.token }

  let isOver = false
  const readers = Promise.all(
    Array.from({ length: 12 }, async () => {
      for (; !isOver; await setTimeout(100)) assert.equal((await journal.change(read)).answer?.status, 200)
    }),
  )
  readers.catch(() => {}) // reported at the end
  const load = startLoad(journal, verify, 1)
  const more = (count: number) => {
    const before = journal.attempts.length
    return until(() => journal.attempts.length > before + count, 'requests to be answered')
  }
  try {
    await more(30)
    await work()
    await more(30)
  } finally {
    isOver = true
    await Promise.all([readers, load.finish()]).finally(() => journal.close())
  }
  assert.deepEqual(
    journal.attempts.filter(({ lost }) => lost > 0),
    [],
  )
}
