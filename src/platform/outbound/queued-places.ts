/**
 * Queued places: how much is done at once, in all and of one kind, such as calls to one host, so that a slow kind holds up no others.
 * Whatever finds none free waits for a while; at those of domain/limits/places.ts it is refused at once.
 */

interface Counts {
  /** In all. */
  readonly all: number
  /** Of one kind. */
  readonly each: number
  /** How long one waits for its places, in milliseconds. */
  readonly wait: number
}

export class QueuedPlaces {
  readonly #all: Queue
  readonly #ofKinds = new Map<string, Queue>()
  readonly #counts: Counts

  constructor(counts: Counts) {
    this.#counts = counts
    this.#all = new Queue(counts.all)
  }

  /**
   * Takes a place of the kind and one of all. Both are given in the order of the calls. Nobody who waits for a kind holds a place of all.
   *
   * @returns a function that gives them back; undefined if they were not free in time
   */
  async take(kind: string): Promise<(() => void) | undefined> {
    const until = performance.now() + this.#counts.wait
    const ofKind = this.#ofKinds.get(kind) ?? new Queue(this.#counts.each)
    this.#ofKinds.set(kind, ofKind)
    const leave = () => {
      ofKind.leave()
      if (ofKind.isEmpty) this.#ofKinds.delete(kind)
    }
    if (!(await ofKind.enter(this.#counts.wait))) return undefined // others are there, so it stays
    if (!(await this.#all.enter(until - performance.now()))) {
      leave()
      return undefined
    }
    return () => {
      this.#all.leave()
      leave()
    }
  }
}

/** A number of places, and who waits for one. */
class Queue {
  readonly #places: number
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  get isEmpty(): boolean {
    return this.#taken === 0
  }

  /** @param wait in milliseconds @returns whether there was a place in time */
  async enter(wait: number): Promise<boolean> {
    if (this.#taken < this.#places) {
      this.#taken++
      return true
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const next = () => resolve(true)
    this.#waiting.add(next)
    const timer = setTimeout(() => {
      this.#waiting.delete(next)
      resolve(false)
    }, wait)
    return promise.finally(() => clearTimeout(timer))
  }

  /** Gives the place to the call that has waited longest, if any. */
  leave(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#taken--
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
