/**
 * Failing queues: named queues whose last try failed at a server of somebody else. The worker leaves their jobs to a few places
 * (tasks.ts), so that servers that do not answer delay nobody else. One success ends it.
 *
 * Each process learns for itself. What had failed before it started is read from the queue.
 */
import type { Database } from '../database/database.ts'

/** In milliseconds. A queue that was not tried for so long has no jobs left: they wait for a quarter of it at most. */
const forgottenAfter = 86_400_000

export class FailingQueues {
  /** When each failed last, by the clock of `performance.now()`. */
  readonly #failures = new Map<string, number>()

  /** Those with a job that has failed. If such a queue has recovered since, its next success says so. */
  static async read(database: Database): Promise<FailingQueues> {
    const rows = await database.acrossTenants(
      (sql) => sql<{ name: string }>`
        select distinct queue_name as name from graphile_worker.jobs where queue_name is not null and last_error is not null`,
    )
    const failing = new FailingQueues()
    for (const { name } of rows) failing.add(name)
    return failing
  }

  add(queue: string): void {
    const now = performance.now()
    for (const [each, failure] of this.#failures) if (failure < now - forgottenAfter) this.#failures.delete(each)
    this.#failures.set(queue, now)
  }

  /** @returns whether the queue was among them */
  remove(queue: string): boolean {
    return this.#failures.delete(queue)
  }

  get names(): string[] {
    return [...this.#failures.keys()]
  }
}
