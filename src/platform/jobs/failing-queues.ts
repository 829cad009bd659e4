/**
 * Failing queues: named queues whose last job got no answer from a server of somebody else. The worker leaves their jobs to a few places
 * (tasks.ts), so that servers that do not answer delay nobody else. One answer ends it.
 *
 * Each process learns for itself.
 */

/** In milliseconds. If a queue has not failed for so long, the jobs of then are gone: none waits longer for its next try. */
const forgottenAfter = 86_400_000

export class FailingQueues {
  /** When each failed last, by the clock of `performance.now()`. */
  readonly #failures = new Map<string, number>()

  /** @param names those that failed before */
  constructor(names: readonly string[]) {
    for (const name of names) this.#failures.set(name, performance.now())
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
