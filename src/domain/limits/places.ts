/** Places: how much of one kind of work a process does at once. One is of a caller; a few may be of a network, or of a tenant. */
import { ApiProblem } from '../problems.ts'

interface Holder {
  /** Whose work it is: the id of a user or a key. */
  readonly whose: string
  readonly network?: string
  readonly tenant?: string
}

interface Most {
  readonly inProcess: number
  readonly ofNetwork?: number
  readonly ofTenant?: number
}

export class Places {
  readonly #held = new Set<Holder>()
  readonly #most: Most

  constructor(most: Most) {
    this.#most = most
  }

  /**
   * Takes a place. It does not wait.
   *
   * @returns what gives it back
   * @throws Problem overloaded
   */
  take(holder: Holder): () => void {
    const others = [...this.#held]
    const { inProcess, ofNetwork = inProcess, ofTenant = inProcess } = this.#most
    if (others.some(({ whose }) => whose === holder.whose)) throw overloaded(1)
    if (others.length >= inProcess) throw overloaded(5)
    if (others.filter(({ network }) => network === holder.network).length >= ofNetwork) throw overloaded(2)
    if (others.filter(({ tenant }) => tenant === holder.tenant).length >= ofTenant) throw overloaded(2)
    this.#held.add(holder)
    return () => this.#held.delete(holder)
  }
}

/** @param seconds after which the caller may try again */
export function overloaded(seconds: number): ApiProblem {
  return new ApiProblem('overloaded', {}, { 'retry-after': String(seconds) })
}
