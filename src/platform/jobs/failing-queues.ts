/**
 * Failing queues: named queues whose last try failed at a server of somebody else. The worker leaves their jobs to a few places, so that
 * servers that do not answer delay nobody else.
 *
 * Invariants: however many queues fail, and however many jobs they have, they take no more than these places. Each of them gets its turn
 * there: after a try it rests for as long as the others need. One success ends it.
 *
 * Each process learns for itself. What had failed before it started is read from the queue. Jobs that are left wait untouched: that
 * counts as no attempt.
 */
import type { Database } from '../database/database.ts'

/** In milliseconds. A queue that was not tried for so long has no jobs left: they wait for a quarter of it at most. */
const forgottenAfter = 86_400_000

export class FailingQueues {
  readonly #places: number
  /** Until when each rests, by the clock of `performance.now()`. */
  readonly #rests = new Map<string, number>()

  /** @param places how many of them are tried at once */
  constructor(places: number) {
    this.#places = places
  }

  /** Those with a job that has failed. If such a queue has recovered since, its next success says so. */
  static async read(database: Database, places: number): Promise<FailingQueues> {
    const rows = await database.acrossTenants(
      (sql) => sql<{ name: string }>`
        select distinct queue_name as name from graphile_worker.jobs where queue_name is not null and last_error is not null`,
    )
    const failing = new FailingQueues(places)
    for (const { name } of rows) failing.failed(name, 0)
    return failing
  }

  /** @param took how long the try took, in milliseconds */
  failed(queue: string, took: number): void {
    const now = performance.now()
    for (const [each, until] of this.#rests) if (until < now - forgottenAfter) this.#rests.delete(each)
    this.#rests.delete(queue)
    // If all of them take as long, they need less than the places.
    this.#rests.set(queue, now + (took * (this.#rests.size + 1)) / this.#places)
  }

  succeeded(queue: string): void {
    this.#rests.delete(queue)
  }

  get all(): string[] {
    return [...this.#rests.keys()]
  }

  /** Those that were tried a moment ago. */
  get resting(): string[] {
    const now = performance.now()
    return [...this.#rests].filter(([, until]) => until > now).map(([queue]) => queue)
  }
}
