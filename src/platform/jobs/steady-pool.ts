/**
 * The pool for graphile-worker: it repeats each statement until it succeeds.
 *
 * When graphile-worker cannot store the result of a job, it leaves an unhandled rejection, which ends the process, or (in batches) waits
 * forever. Each of its statements is a transaction that may be repeated.
 */
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'

export type Pool = ReturnType<Database['libraryPool']>
export type Client = NonNullable<Parameters<Parameters<Pool['connect']>[0]>[1]>

/** What `lookout.ts` does for the runners. */
interface Lookout {
  /** Opens what a runner takes for its connection for notifications. */
  openEar(): { client: Client; release: () => void }
  look(): void
}

/**
 * @param lookout looks when a named queue was freed
 * @returns the pool as graphile-worker is to see it, and a function that closes it after the running statements, or after two seconds
 */
export function steady(
  pool: Pool,
  log: FastifyBaseLogger,
  lookout: Lookout,
): { pool: Pool; close: () => Promise<void> } {
  const running = new Set<Promise<unknown>>()
  let closed = false

  const repeat = async (statement: Parameters<Pool['query']>[0]): Promise<unknown> => {
    for (;;) {
      try {
        const answer = await pool.query(statement)
        if (freesQueue(statement)) lookout.look()
        return answer
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
  const connect = (callback?: Parameters<Pool['connect']>[0]) => {
    if (!callback) return Promise.resolve(client)
    const { client: ear, release } = lookout.openEar()
    return callback(undefined, ear, release)
  }
  // The cast is safe: graphile-worker uses only these, and of a client only these two methods.
  const seen = {
    options: pool.options,
    connect,
    query: pool.query.bind(pool),
    on: pool.on.bind(pool),
    listeners: pool.listeners.bind(pool),
    removeListener: pool.removeListener.bind(pool),
  } as unknown as Pool
  const close = async () => {
    await within(2_000, Promise.all(running))
    closed = true
    await pool.end()
  }
  return { pool: seen, close }
}

/** The place that has ended a job of a named queue looks for the next one before the queue is free. */
function freesQueue(statement: Parameters<Pool['query']>[0]): boolean {
  return Object(statement).text?.includes('set locked_by = null') ?? false
}

/** Waits for a promise, but at most for `timeout` milliseconds. @throws the promise's rejection */
export async function within(timeout: number, promise: Promise<unknown> | undefined): Promise<void> {
  const timer = new AbortController()
  const timedOut = setTimeout(timeout, undefined, { signal: timer.signal }).catch(() => {}) // rejects when it is aborted
  await Promise.race([promise, timedOut])
  timer.abort()
}
