/**
 * The pool for graphile-worker: it repeats each statement until it succeeds.
 *
 * When graphile-worker cannot store the result of a job, it leaves an unhandled rejection, which ends the process, or (in batches) waits
 * forever. Each of its statements is a transaction that may be repeated. Its connection for notifications is its own, and it sees that end.
 */
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'

export type Pool = ReturnType<Database['libraryPool']>

/** Makes a pool repeat its statements. @returns a function that closes it after the running statements, or after two seconds */
export function steady(pool: Pool, log: FastifyBaseLogger): () => Promise<void> {
  const running = new Set<Promise<unknown>>()
  let closed = false

  const repeat = async (statement: Parameters<Pool['query']>[0]): Promise<unknown> => {
    for (;;) {
      try {
        return await pool.query(statement)
      } catch (error) {
        if (closed) return { rows: [] } // the pool is closed; a promise that never settles would keep graphile-worker from its end
        log.warn({ err: error }, 'the queue repeats a statement')
        await setTimeout(1_000)
      }
    }
  }
  const client = {
    query: (statement: Parameters<Pool['query']>[0]) => {
      const answer = repeat(statement).finally(() => running.delete(answer))
      running.add(answer)
      return answer
    },
    release: () => {},
  }
  const connect = pool.connect.bind(pool)
  // With a callback it is the connection for notifications. The cast is safe: graphile-worker uses only these two methods of a client.
  pool.connect = ((callback?: Parameters<Pool['connect']>[0]) =>
    callback
      ? connect((error, own, release) => callback(error, own, once(release)))
      : Promise.resolve(client)) as unknown as Pool['connect']

  return async () => {
    await within(2_000, Promise.all(running))
    closed = true
    await pool.end()
  }
}

/** graphile-worker gives its connection back twice if it loses it while it stops; the second time would throw where nobody catches. */
function once(release: () => void): () => void {
  let isReleased = false
  return () => {
    if (!isReleased) release()
    isReleased = true
  }
}

/** Waits for a promise, but at most for `timeout` milliseconds. @throws the promise's rejection */
export async function within(timeout: number, promise: Promise<unknown> | undefined): Promise<void> {
  const timer = new AbortController()
  const timedOut = setTimeout(timeout, undefined, { signal: timer.signal }).catch(() => {}) // rejects when it is aborted
  await Promise.race([promise, timedOut])
  timer.abort()
}
