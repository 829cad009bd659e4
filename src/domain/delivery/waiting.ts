/**
 * Waiting: attempts of a process that go on without their runs. A run that has waited for an answer for a moment hands its attempts over,
 * and its place and its queue serve the next webhook. So servers that do not answer take no places from those that do.
 *
 * Invariant: what a tenant hands over is bounded, so that it takes the sockets of no other. Beyond the bounds a run keeps its place.
 */
import type { FastifyBaseLogger } from 'fastify'

/** How many attempts may go on for each place: of all tenants, and of one. */
const mostForPlace = { all: 128, tenant: 16 }
/** In milliseconds: how long a run waits for an answer while all places are taken, and otherwise. */
const longestWait = { crowded: 250, usual: 2_000 }
/** How many write at once what became of theirs, so that many answers at one moment do not take the connections of requests. */
const mostWriting = 4

/** How many attempts of a process may be without an answer beside those of its runs. */
export const mostWaiting = (places: number): number => places * mostForPlace.all

export class Waiting {
  readonly #places: number
  readonly #log: FastifyBaseLogger
  readonly #attempts = new Map<string, number>()
  readonly #ends = new Set<Promise<void>>()
  readonly #turns: (() => void)[] = []
  #runs = 0
  #all = 0
  #writing = 0

  /** @param places how many runs may hand over that are at work at once */
  constructor(places: number, log: FastifyBaseLogger) {
    this.#places = places
    this.#log = log
  }

  /** Counts a run while it is at work. */
  async duringRun<T>(run: () => Promise<T>): Promise<T> {
    this.#runs++
    try {
      return await run()
    } finally {
      this.#runs--
    }
  }

  /**
   * Takes attempts over from a run, if it may hand them over. They count until `giveBack`, or until `finish` has written what became of
   * them.
   *
   * @param waited in milliseconds: for how long the run has waited for the first of them
   * @returns whether it has
   */
  take(tenant: string, count: number, waited: number): boolean {
    if (waited < (this.#runs >= this.#places ? longestWait.crowded : longestWait.usual)) return false
    if (this.#all + count > mostWaiting(this.#places)) return false
    if ((this.#attempts.get(tenant) ?? 0) + count > this.#places * mostForPlace.tenant) return false
    this.#add(tenant, count)
    return true
  }

  /** Gives attempts back to their run, which waits for them itself. */
  giveBack(tenant: string, count: number): void {
    this.#add(tenant, -count)
  }

  /**
   * Waits for attempts that were taken over.
   *
   * @param ended what became of them
   * @param write writes it. If that fails, it is logged, and they are tried again when their time is over.
   */
  finish<T>(tenant: string, count: number, ended: Promise<T>, write: (outcomes: T) => Promise<void>): void {
    const end = ended
      .then((outcomes) => this.#inTurn(() => write(outcomes)))
      .catch((error: unknown) => this.#log.warn({ err: error }, 'attempts were not written down; they are repeated'))
      .finally(() => {
        this.#add(tenant, -count)
        this.#ends.delete(end)
      })
    this.#ends.add(end)
  }

  /** Waits for those that were taken over, until they are written. */
  async end(): Promise<void> {
    await Promise.all(this.#ends)
  }

  #add(tenant: string, count: number): void {
    const sum = (this.#attempts.get(tenant) ?? 0) + count
    this.#all += count
    if (sum > 0) this.#attempts.set(tenant, sum)
    else this.#attempts.delete(tenant)
  }

  async #inTurn(write: () => Promise<void>): Promise<void> {
    if (this.#writing >= mostWriting) await new Promise<void>((resolve) => this.#turns.push(resolve))
    else this.#writing++
    try {
      await write()
    } finally {
      const next = this.#turns.shift()
      if (next) next()
      else this.#writing--
    }
  }
}
