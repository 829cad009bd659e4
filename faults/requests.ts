/** A careful client's requests, and a record of their outcomes. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Json } from '../test/world.ts'

/** `done`: acknowledged with a 2xx. `refused`: with a 4xx. `unknown`: no answer, because the connection or the database was lost. */
export type Outcome = 'done' | 'refused' | 'unknown'

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly headers: IncomingHttpHeaders
}

export interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly token?: string | undefined
  readonly key?: string | undefined
  /** The address that it comes from, for a service behind a proxy. */
  readonly address?: string
}

/** A request for one change, with all its attempts. */
export interface Attempt {
  /** The change: the operation's method and path, with the ids left out. */
  readonly change: string
  readonly isKeyed: boolean
  outcome: Outcome
  /** The organization that it was about, if there was an answer. */
  organizationId: string | undefined
  /** The answer's id, as the audit log names it. */
  requestId: string | undefined
  /** Whether the answer was stored by an earlier attempt. */
  isReplay: boolean
  /** Attempts without an answer. */
  lost: number
}

/** Milliseconds in which an answer must come, whatever is broken. */
const timeout = 20_000
/** How long a client tries to get one. */
const longest = 90_000

/** Sends requests to services that may be down for a while, and records the outcomes. */
export class Journal {
  readonly attempts: Attempt[] = []
  /** A request that a service refuses or loses is sent to the next one. */
  readonly urls: string[] = []
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 })
  #isOver = false

  /**
   * Requests a change. With a key it is repeated until there is an answer. Without a key it is sent once, except after a refused
   * connection, on which nothing was sent.
   *
   * @returns the attempt, and the answer if there was one
   */
  async change(sent: Sent, isKeyed = false): Promise<{ attempt: Attempt; answer: Answer | undefined }> {
    const change = `${sent.method} ${sent.path.replace(/\/\w+_[0-9a-z]{26}/g, '/:id')}`
    const unheard = { organizationId: undefined, requestId: undefined, isReplay: false, lost: 0 }
    const attempt: Attempt = { change, isKeyed, outcome: 'unknown', ...unheard }
    this.attempts.push(attempt)
    const key = isKeyed ? randomUUID() : undefined
    for (const end = Date.now() + longest; ; await setTimeout(100)) {
      const answer = await this.#try({ ...sent, key }, end)
      const isFinal = answer && answer.status < 500 && answer.body?.code !== 'request_in_progress'
      if (isFinal) {
        attempt.outcome = answer.status < 400 ? 'done' : 'refused'
        attempt.organizationId = /org_[0-9a-z]{26}/.exec(sent.path + JSON.stringify(answer.body))?.[0]
        attempt.requestId = `${answer.headers['x-request-id']}`
        attempt.isReplay = answer.headers['idempotent-replayed'] === 'true'
        return { attempt, answer }
      }
      attempt.lost++
      if (!isKeyed) return { attempt, answer: undefined }
      if (Date.now() > end) throw new Error(`${change} was not answered in ${longest / 1000} s`)
    }
  }

  /** Reads until there is an answer. */
  async read(path: string, token?: string): Promise<Answer> {
    for (const end = Date.now() + longest; Date.now() < end; await setTimeout(100)) {
      const answer = await this.#try({ method: 'GET', path, token }, end)
      if (answer && answer.status < 500) return answer
    }
    throw new Error(`GET ${path} was not answered in ${longest / 1000} s`)
  }

  /** Sends no further request. */
  close(): void {
    this.#isOver = true
    this.#agent.destroy()
  }

  /** @returns the answer, or undefined if there was none */
  async #try(sent: Sent, end: number): Promise<Answer | undefined> {
    for (let turn = Math.floor(Math.random() * this.urls.length); ; turn++) {
      if (this.#isOver) throw new Error('the scenario is over')
      const url = this.urls[turn % this.urls.length] ?? ''
      try {
        const answer = await send(url, sent, this.#agent)
        if (answer.status >= 500) checkUnavailable(sent, answer)
        return answer
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException // an error of node:net
        if (error instanceof assert.AssertionError || code === undefined || code === 'ETIMEDOUT') throw error
        if (code !== 'ECONNREFUSED') return undefined
        if (Date.now() > end) throw error
        await setTimeout(50)
      }
    }
  }
}

/** During any fault, the answer says when to try again; the service never reports an internal error. */
export function checkUnavailable({ method, path }: Sent, { status, body, headers }: Answer): void {
  const { code } = body ?? {}
  const isSaid = status === 503 && (code === 'unavailable' || code === 'overloaded') && headers['retry-after']
  assert.ok(isSaid, `${method} ${path} answered ${status} ${JSON.stringify(body)}`)
  assert.equal(headers['content-type'], 'application/problem+json')
}

/** Sends one request. @throws Error with a code if no answer came: ECONNREFUSED, ECONNRESET, ETIMEDOUT… */
export function send(url: string, { method, path, body, token, key, address }: Sent, agent?: Agent): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}${path}`,
      {
        method,
        agent,
        headers: {
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...(token && { authorization: `Bearer ${token}` }),
          ...(key && { 'idempotency-key': `"${key}"` }),
          ...(address && { 'x-forwarded-for': address }),
        },
      },
      (incoming) => {
        let said = ''
        incoming.setEncoding('utf8').on('data', (piece) => (said += piece))
        incoming.once('error', reject)
        incoming.once('end', () => {
          const { statusCode = 0, headers } = incoming
          resolve({ status: statusCode, headers, body: said === '' ? undefined : JSON.parse(said) })
        })
      },
    )
    outgoing.setTimeout(timeout, () =>
      outgoing.destroy(
        Object.assign(new Error(`${method} ${path} was not answered in ${timeout / 1000} s`), { code: 'ETIMEDOUT' }),
      ),
    )
    outgoing.once('error', reject)
    outgoing.end(text)
  })
}
