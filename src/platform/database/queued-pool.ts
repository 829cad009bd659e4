/**
 * A pool with two limits: how long a caller waits for a connection, and how long opening one may take.
 *
 * The pool of the driver has one limit for both, and binds the connection that it opens to one caller. Here whatever connection is ready
 * first serves the caller who has waited longest; one that comes too late for everybody is kept for the next.
 *
 * Invariant: at least as many connections are under way as callers wait.
 */
import pg from 'pg'

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void

interface Caller {
  readonly serve: (client: pg.PoolClient) => void
  readonly refuse: (error: Error) => void
}

export class QueuedPool extends pg.Pool {
  readonly #callers = new Set<Caller>()
  readonly #longestWait: number
  #underWay = 0

  /** @param longestWait for a connection, in milliseconds; `connectionTimeoutMillis` is the limit for opening one */
  constructor(config: pg.PoolConfig, longestWait: number) {
    super(config)
    this.#longestWait = longestWait
  }

  /** How many callers wait for a connection. */
  get callers(): number {
    return this.#callers.size
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
    const caller = { serve: resolve, refuse: reject }
    const late = () => {
      this.#callers.delete(caller)
      reject(new Error('No connection was free in time.'))
    }
    const timer = setTimeout(late, this.#longestWait)
    timer.unref()
    const stop = () => clearTimeout(timer)
    promise.then(stop, stop)
    this.#callers.add(caller)
    this.#open()
    if (!callback) return promise
    promise.then(
      (client) => callback(undefined, client, (broken) => client.release(broken)),
      (error: Error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  /** Like `connect`, without its limit: for those that limit themselves how long they wait. */
  reserve(): Promise<pg.PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
    this.#callers.add({ serve: resolve, refuse: reject })
    this.#open()
    return promise
  }

  /** Gets a connection for the caller who has waited longest by then. */
  #open(): void {
    this.#underWay++
    // The driver throws at once if it cannot even make a client. That is an answer for a caller, too.
    const connecting = async () => super.connect()
    connecting().then(
      (client) => {
        this.#underWay--
        const caller = this.#next()
        if (!caller) return client.release()
        const release = client.release.bind(client)
        client.release = (error) => {
          release(error)
          // Idle, though somebody waits: for a connection that is being opened.
          if (this.#callers.size > 0 && this.idleCount > 0) this.#open()
        }
        caller.serve(client)
      },
      (error: Error) => {
        this.#underWay--
        if (this.#underWay < this.#callers.size) this.#next()?.refuse(error)
      },
    )
  }

  #next(): Caller | undefined {
    const [caller] = this.#callers
    if (caller) this.#callers.delete(caller)
    return caller
  }
}
