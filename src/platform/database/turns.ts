/**
 * Turns: transactions of this process that need the same row wait for it in memory, in order, and without a connection.
 *
 * A row that is locked for long would otherwise take every connection of the pool: one for each request that waits for it.
 *
 * Invariant: one transaction at a time has the turn of a key. A second one at the row might overtake a third: PostgreSQL gives a lock that
 * has just been released to the first that asks. A transaction that waits for a turn holds no lock of the database, only other turns. These are taken
 * in one order (domain/access/turns.ts), so that no two transactions wait for each other.
 */
import { UnavailableError } from './errors.ts'

interface Turn {
  readonly key: string
  /** Whether it has come. */
  isHeld: boolean
  /** If it did not come at once: settled when it comes, or when it is given up. */
  readonly comes?: PromiseWithResolvers<void>
}

/** The transaction must be rolled back, and begin again when its turn has come. */
class TurnTaken extends Error {
  readonly turn: Turn

  constructor(turn: Turn) {
    super('Others have the turn.')
    this.turn = turn
  }
}

/** Takes a turn, which ends with the transaction. It throws if others have it; the error must reach the end of the transaction. */
export type ClaimTurn = (key: string) => void

export class Turns {
  /** The keys of which somebody has the turn. */
  readonly #held = new Set<string>()
  /** Who waits for one, by key. */
  readonly #lines = new Map<string, Set<Turn>>()
  readonly #longest: number

  /** @param longest how long to wait for a turn, in milliseconds */
  constructor(longest: number) {
    this.#longest = longest
  }

  /** How many transactions wait for a turn. */
  get waiting(): number {
    let waiting = 0
    for (const line of this.#lines.values()) waiting += line.size
    return waiting
  }

  /** How many transactions have a turn. */
  get held(): number {
    return this.#held.size
  }

  /**
   * Runs a transaction, which has its turns until it has ended.
   *
   * @param run          the transaction. If it claims a turn that others have, it is run again when that turn has come
   * @param key          of the turn that it takes before it begins
   * @param whileWaiting is called if others have that turn: when it fails, the transaction waits no longer
   * @throws UnavailableError if a turn did not come in time, and whatever `run` and `whileWaiting` throw
   */
  async during<T>(
    run: (claim: ClaimTurn) => Promise<T>,
    key?: string,
    whileWaiting?: () => Promise<unknown>,
  ): Promise<T> {
    const turns: Turn[] = []
    const take = (wanted: string) => {
      const turn = this.#take(wanted)
      turns.push(turn)
      return turn
    }
    const claim = (wanted: string) => {
      if (turns.some((turn) => turn.key === wanted)) return
      const turn = take(wanted)
      if (!turn.isHeld) throw new TurnTaken(turn)
    }
    try {
      if (key !== undefined) {
        const turn = take(key)
        if (!turn.isHeld) whileWaiting?.().catch((error: unknown) => this.#giveUp(turn, error))
        await turn.comes?.promise
      }
      for (;;) {
        try {
          return await run(claim)
        } catch (error) {
          if (!(error instanceof TurnTaken)) throw error
          await error.turn.comes?.promise
        }
      }
    } finally {
      for (const turn of turns) this.#end(turn)
    }
  }

  /** Takes a turn, or a place in the line. */
  #take(key: string): Turn {
    if (!this.#held.has(key)) {
      this.#held.add(key)
      return { key, isHeld: true }
    }
    const turn: Turn = { key, isHeld: false, comes: Promise.withResolvers() }
    this.#lines.set(key, (this.#lines.get(key) ?? new Set()).add(turn))
    const late = () => this.#giveUp(turn, new UnavailableError(new Error('Others had the turn for too long.')))
    const timer = setTimeout(late, this.#longest)
    const stop = () => clearTimeout(timer)
    turn.comes?.promise.then(stop, stop)
    return turn
  }

  /** Ends a turn, which the next in line gets; or leaves the line. */
  #end(turn: Turn): void {
    if (turn.isHeld) this.#handOn(turn.key)
    else this.#giveUp(turn, new Error('The transaction has ended.'))
  }

  #handOn(key: string): void {
    const line = this.#lines.get(key)
    const [next] = line ?? []
    if (!line || !next) return void this.#held.delete(key)
    this.#leave(next, line)
    next.isHeld = true
    next.comes?.resolve()
  }

  /** Leaves the line, if the turn has not come yet. */
  #giveUp(turn: Turn, reason: unknown): void {
    const line = this.#lines.get(turn.key)
    if (!line?.has(turn)) return
    this.#leave(turn, line)
    turn.comes?.reject(reason)
  }

  #leave(turn: Turn, line: Set<Turn>): void {
    line.delete(turn)
    if (line.size === 0) this.#lines.delete(turn.key)
  }
}
