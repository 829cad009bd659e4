/**
 * Names of hosts, and their addresses.
 *
 * Invariant: only names that the operator has chosen are looked up by the operating system. Its look-up (getaddrinfo) takes a thread of
 * libuv's pool, of which there are four, and cannot be cancelled. A few names whose servers never answer would take all of them, and the
 * process could resolve no other name: not that of its database, of its mail server or of another tenant's provider.
 *
 * All other names are asked of the name servers directly, which takes no thread and ends with the call. The price: `/etc/hosts` and search
 * domains count only for names that the operator has chosen.
 */
import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout } from 'node:timers/promises'

export interface Address {
  readonly address: string
  readonly family: number
}

/** @returns all addresses of a host name. When the signal comes, nobody needs them any more. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly Address[]>

/** How often a silent name server is asked, and how long at first, in milliseconds. */
interface Attempts {
  readonly timeout: number
  readonly tries: number
  /** How long the addresses of one family are waited for once those of the other are there, in milliseconds (RFC 8305, 3). */
  readonly grace: number
}
const usual: Attempts = { timeout: 2_000, tries: 2, grace: 250 }

export class Names {
  readonly #chosen: ReadonlySet<string>
  readonly #servers: readonly string[] | undefined
  readonly #attempts: Attempts
  readonly #underway = new Map<string, Promise<readonly Address[]>>()

  /**
   * @param chosen  the names that the operator has chosen, in lower case; `localhost` is one of them
   * @param servers name servers, with their ports; by default those of the system
   * @param attempts by default twice, first for two seconds
   */
  constructor(chosen: ReadonlySet<string>, servers?: readonly string[], attempts = usual) {
    this.#chosen = chosen
    this.#servers = servers
    this.#attempts = attempts
  }

  readonly resolve: Resolve = (host, signal) =>
    host === 'localhost' || this.#chosen.has(host) ? this.#askSystem(host) : this.#askServers(host, signal)

  /** A name has one look-up at once, so that a slow one never takes a second thread. */
  #askSystem(host: string): Promise<readonly Address[]> {
    const underway = this.#underway.get(host)
    if (underway) return underway
    const found = lookup(host, { all: true }).finally(() => this.#underway.delete(host))
    this.#underway.set(host, found)
    return found
  }

  async #askServers(host: string, signal: AbortSignal): Promise<readonly Address[]> {
    const resolver = new Resolver(this.#attempts) // of its own, because it cancels all of its questions at once
    if (this.#servers) resolver.setServers(this.#servers)
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    const asked = [resolver.resolve4(host), resolver.resolve6(host)]
    // Some name servers never answer for a family that a name does not have (RFC 4074, 4.1).
    const late = async () => Promise.race([Promise.allSettled(asked), setTimeout(this.#attempts.grace)])
    await Promise.any(asked).then(late, () => {})
    resolver.cancel()
    const families = await Promise.allSettled(asked)
    // Most names have addresses of one family alone. If the other fails, nothing is lost: only what was judged is connected to.
    return families.flatMap((found, index) =>
      found.status === 'fulfilled' ? found.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    )
  }
}
