/**
 * The relay: brings what changes have written to the outbox to where it belongs, jobs into the queue and events into the feed.
 *
 * A job is not added to the queue by the change that needs it: graphile-worker sends a NOTIFY, and all commits of a database server that
 * send one wait for the same lock. An event gets its place after the commit, since only then all that are before it can be seen. So a
 * change writes rows of `outbox`, and commits.
 *
 * 1. The process that has committed a job relays at once, without a message. What is committed meanwhile waits for the next batch of the
 *    tenant (batch.ts), so batches grow with the load.
 * 2. An event without a job may wait for some seconds, unless the tenant has webhooks, as the last batch has found. Who reads the feed
 *    before has the outbox drained.
 * 3. What a killed process leaves is found by a sweep through all tenants (sweep.ts): each process does one when it starts, and those that
 *    work on the queue do one a minute.
 *
 * Invariant: nothing but the relay adds jobs to the queue or events to the feed. A batch that meets a lock soon ends, and begins again
 * after a pause.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Written } from '../database/database.ts'
import { type Followers, relayBatch } from './batch.ts'
import { within } from './steady-pool.ts'
import { beforeAll, sweepAfter } from './sweep.ts'

/** How many batches of one process run at once, at most. */
const mostAtOnce = 2
/** In milliseconds: how long after a batch that has met a lock the next one begins, and how long after another failure. */
const [lockedPause, failedPause] = [20, 1_000]
/** In milliseconds: how long an event without a job waits at most. */
const eventPause = 10_000
/** In milliseconds: how long a reader waits at most. */
const drainTimeout = 1_000
/** In milliseconds. */
const sweepInterval = 60_000
/** In milliseconds: how long a stop usually waits. */
const usualStop = 2_000

export class Relay {
  readonly #database: Database
  readonly #onError: (error: Error) => void
  readonly #followers: Followers
  readonly #stopTimeout: number
  /** A batch has one connection, and may need another one for its jobs. */
  readonly #atOnce: number
  /** The tenants whose next batch has not begun, in their order; those whose batch runs; and those whose next batch comes after a pause. */
  readonly #waiting = new Set<string>()
  readonly #running = new Set<string>()
  readonly #pausing = new Set<NodeJS.Timeout>()
  /** The tenants of which only events wait, and what wakes them. */
  readonly #unhurried = new Set<string>()
  #waking: NodeJS.Timeout | undefined
  /** The tenants that have webhooks, as their last batch has found. */
  readonly #withWebhooks = new Set<string>()
  /** By tenant, the readers that wait until a batch which has not begun yet has left nothing. */
  readonly #readers = new Map<string, (() => void)[]>()
  #sweeping: NodeJS.Timeout | undefined
  /** The tenant after which the next sweep begins. */
  #swept = beforeAll
  #stopping: PromiseWithResolvers<void> | undefined
  #isStopped = false

  /**
   * Relays from now on what this process commits through the database.
   *
   * @param onError   is called for a batch or a sweep that failed; it is tried again
   * @param followers who follow the events of a tenant that has webhooks
   * @param stopTimeout how long a stop waits for what is not in the queue yet, in milliseconds
   */
  constructor(database: Database, onError: (error: Error) => void, followers: Followers, stopTimeout = usualStop) {
    this.#database = database
    this.#onError = onError
    this.#followers = followers
    this.#stopTimeout = stopTimeout
    this.#atOnce = Math.max(1, Math.min(mostAtOnce, database.connections.most - 1))
    // A batch belongs to no request, and to no trace of one.
    database.relay = {
      onCommit: AsyncLocalStorage.bind((tenant: string, what: Written) => this.#hear(tenant, what)),
      drain: AsyncLocalStorage.bind((tenant: string) => this.#drain(tenant)),
    }
  }

  /** Relays what killed processes have left. If many tenants take too long, the next sweep goes on. */
  async sweep(): Promise<void> {
    try {
      this.#swept = await sweepAfter(this.#swept, this.#database, (tenant) => this.#wake(tenant), this.#onError)
    } catch (error) {
      this.#onError(error as Error) // of the driver, or ours
    }
  }

  /** Sweeps now and each minute. */
  keepSweeping(): void {
    void this.sweep()
    this.#sweeping = setInterval(() => this.sweep(), sweepInterval)
  }

  /** Relays what this process has committed, then ends. What it cannot relay in time is left to a sweep. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeping)
    this.#stopping = Promise.withResolvers()
    this.#wakeUnhurried()
    this.#begin()
    await within(this.#stopTimeout, this.#stopping.promise)
    this.#isStopped = true
    for (const timer of this.#pausing) clearTimeout(timer)
  }

  #hear(tenant: string, what: Written): void {
    if (what === 'jobs' || this.#withWebhooks.has(tenant) || this.#stopping) this.#wake(tenant)
    else if (!this.#waiting.has(tenant)) {
      this.#unhurried.add(tenant)
      this.#waking ??= setTimeout(() => this.#wakeUnhurried(), eventPause)
    }
  }

  #wakeUnhurried(): void {
    clearTimeout(this.#waking)
    this.#waking = undefined
    for (const tenant of this.#unhurried) this.#wake(tenant)
  }

  /** Relays what was committed before. It gives up when that takes too long or fails. */
  async #drain(tenant: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#readers.set(tenant, [...(this.#readers.get(tenant) ?? []), resolve])
    this.#wake(tenant)
    await within(drainTimeout, promise)
  }

  #wake(tenant: string): void {
    this.#unhurried.delete(tenant)
    this.#waiting.add(tenant)
    this.#begin()
  }

  #begin(): void {
    for (const tenant of this.#waiting) {
      if (this.#running.size === this.#atOnce || this.#isStopped) break
      if (this.#running.has(tenant)) continue
      this.#waiting.delete(tenant)
      this.#running.add(tenant)
      void this.#relay(tenant)
    }
    if (this.#waiting.size + this.#running.size + this.#pausing.size === 0) this.#stopping?.resolve()
  }

  async #relay(tenant: string): Promise<void> {
    const readers = this.#readers.get(tenant) ?? []
    this.#readers.delete(tenant)
    try {
      const { state, hasWebhooks } = await relayBatch(this.#database, tenant, this.#followers)
      if (hasWebhooks === true) this.#withWebhooks.add(tenant)
      // What was committed during the batch waits no longer.
      if (hasWebhooks === true && this.#unhurried.delete(tenant)) this.#waiting.add(tenant)
      if (hasWebhooks === false) this.#withWebhooks.delete(tenant)
      if (state === 'done') for (const resolve of readers) resolve()
      else if (readers.length > 0) this.#readers.set(tenant, [...readers, ...(this.#readers.get(tenant) ?? [])])
      if (state === 'more') this.#waiting.add(tenant)
      if (state === 'locked') this.#wakeAfter(lockedPause, tenant)
    } catch (error) {
      for (const resolve of readers) resolve()
      this.#onError(error as Error) // of the driver, or ours
      this.#wakeAfter(failedPause, tenant)
    }
    this.#running.delete(tenant)
    this.#begin()
  }

  #wakeAfter(milliseconds: number, tenant: string): void {
    const timer = setTimeout(() => {
      this.#pausing.delete(timer)
      this.#wake(tenant)
    }, milliseconds)
    this.#pausing.add(timer)
  }
}
