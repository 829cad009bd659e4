/**
 * The pool as the queue's library sees it: its statements are asked again until they are answered.
 *
 * The library cannot do without: where it fails to write what became of a job it leaves a promise rejected and unhandled, which ends
 * the process, or (in batches) waits forever. Each of its statements is a transaction of its own that may be repeated. A library that
 * listens for notifications has its connection to itself and sees it end.
 */
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/database.ts'

export type Pool = ReturnType<Database['libraryPool']>

/** Makes a pool steady. @returns what closes it, once the statements under way are answered, or two seconds have passed */
export function steady(pool: Pool, log: FastifyBaseLogger): () => Promise<void> {
  const asked = new Set<Promise<unknown>>()
  let closed = false

  const ask = async (statement: Parameters<Pool['query']>[0]): Promise<unknown> => {
    for (;;) {
      try {
        return await pool.query(statement)
      } catch (error) {
        if (closed) return new Promise(() => {}) // nobody waits for it any more
        log.warn({ err: error }, 'the queue asks the database again')
        await setTimeout(1_000)
      }
    }
  }
  const client = {
    query: (statement: Parameters<Pool['query']>[0]) => {
      const answer = ask(statement).finally(() => asked.delete(answer))
      asked.add(answer)
      return answer
    },
    release: () => {},
  }
  const connect = pool.connect.bind(pool)
  // With a callback it is a connection to listen on. The driver's types want the whole of a client, of which the library uses this.
  pool.connect = ((callback?: Parameters<Pool['connect']>[0]) =>
    callback ? connect(callback) : Promise.resolve(client)) as unknown as Pool['connect']

  return async () => {
    await within(2_000, Promise.all(asked))
    closed = true
    await pool.end()
  }
}

/** Waits for what may not come, for so many milliseconds at most. */
export async function within(longest: number, what: Promise<unknown> | undefined): Promise<void> {
  const timer = new AbortController()
  const patience = setTimeout(longest, undefined, { signal: timer.signal }).catch(() => {}) // the abort
  await Promise.race([what, patience])
  timer.abort()
}
