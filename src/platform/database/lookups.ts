/**
 * Look-ups: reads of a few rows by their keys, which share trips to the server.
 *
 * Most of what a look-up costs is its trip: a write and a read of a socket, here and in PostgreSQL. Look-ups that arrive in one turn of the
 * event loop, or while all four trips are under way, share the next ones: each four that wait begin a trip, which takes sixteen at most. A
 * trip is one pipeline, in which each look-up is still a transaction of its own. Lists go alone: a slow one would hold up the look-ups
 * behind it.
 *
 * Invariant: nothing of one look-up reaches another, and none fails because of another.
 *
 * - Each transaction begins `read only`, raises the wall of its tenant with `set local`, and commits. The commit ends the setting and the
 *   snapshot.
 * - A pipeline has one Sync, at its end. After a statement that failed, PostgreSQL skips every message up to the Sync. So nothing runs
 *   after a `begin` that failed, and no later transaction begins inside one that failed. That one is then rolled back, or its connection
 *   closed, before anybody uses the connection.
 * - Rows are handed out once all transactions have committed. If one fails, nobody gets any, and each look-up runs again, alone: its rows
 *   or its error are then its own. It may, because it changes nothing.
 */
import type pg from 'pg'
import { tracing } from '../channels.ts'
import { translate, UnavailableError } from './errors.ts'
import type { Part, Row } from './pipeline.ts'
import type { QueuedPool } from './queued-pool.ts'

/** How many look-ups share a trip, and how many trips are under way, at most. */
const [mostTogether, mostTrips] = [16, 4]
/** How many waiting look-ups begin another trip. The look-ups of a trip run one after the other, and all wait for the last. */
const enoughForOne = 4

interface Lookup extends Part {
  /** @param rows of each statement; undefined if the trip failed */
  readonly answer: (rows: Row[][] | undefined) => void
  readonly refuse: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

/** Sends transactions in one pipeline, and gives the connection back. @returns the rows of all statements */
export type SendTogether = (client: pg.PoolClient, parts: readonly Part[]) => Promise<Row[][]>

export class Lookups {
  readonly #pool: QueuedPool
  readonly #send: SendTogether
  readonly #longestWait: number
  /** The longest first. */
  readonly #waiting: Lookup[] = []
  /** Trips that wait for a connection, or are under way. */
  #trips = 0
  /** Those of them that wait. Each takes its look-ups when it has its connection. */
  #connecting = 0
  #isScheduled = false

  /** @param longestWait of a look-up until it is sent, in milliseconds */
  constructor(pool: QueuedPool, send: SendTogether, longestWait: number) {
    this.#pool = pool
    this.#send = send
    this.#longestWait = longestWait
  }

  /** How many look-ups wait, beside those that the pool counts: it counts each trip that waits. */
  get waiting(): number {
    return this.#waiting.length - this.#connecting
  }

  /**
   * @param items one whole transaction, which changes nothing
   * @returns the rows of each item; undefined if it must run alone
   * @throws UnavailableError if no connection was free in time; what it has thrown if it made its trip alone
   */
  share(items: Part['items']): Promise<Row[][] | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Row[][] | undefined>()
    const late = () => {
      this.#waiting.splice(this.#waiting.indexOf(lookup), 1)
      reject(new UnavailableError(new Error('No connection was free in time.')))
    }
    const timer = setTimeout(late, this.#longestWait)
    timer.unref()
    const lookup = { items, traceparent: tracing.getStore(), answer: resolve, refuse: reject, timer }
    this.#waiting.push(lookup)
    this.#schedule()
    return promise
  }

  /** Begins trips at the end of this turn of the event loop, when its other requests have been read. */
  #schedule(): void {
    if (this.#isScheduled || !this.#mayBegin()) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      while (this.#mayBegin()) void this.#travel()
    })
  }

  #mayBegin(): boolean {
    return this.#trips < mostTrips && this.#waiting.length > this.#connecting * enoughForOne
  }

  async #travel(): Promise<void> {
    this.#trips++
    this.#connecting++
    await this.#pool.reserve().then(
      (client) => this.#carry(client, this.#take()),
      (error: unknown) => {
        for (const { refuse } of this.#take()) refuse(translate(error, true))
      },
    )
    this.#trips--
    this.#schedule()
  }

  async #carry(client: pg.PoolClient, lookups: readonly Lookup[]): Promise<void> {
    if (lookups.length === 0) return client.release()
    try {
      const rows = await this.#send(client, lookups)
      let next = 0
      for (const { items, answer } of lookups) {
        answer(rows.slice(next, next + items.length))
        next += items.length
      }
    } catch (error) {
      // Of one look-up it is its own.
      for (const { answer, refuse } of lookups) lookups.length === 1 ? refuse(error) : answer(undefined)
    }
  }

  /** The share of a trip that waits no longer: of those that have waited longest. */
  #take(): Lookup[] {
    const share = Math.ceil(this.#waiting.length / this.#connecting--)
    const taken = this.#waiting.splice(0, Math.min(share, mostTogether))
    for (const { timer } of taken) clearTimeout(timer)
    return taken
  }
}
