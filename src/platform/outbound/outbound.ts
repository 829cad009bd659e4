/**
 * The one way out of the service for HTTP, to servers that people name and that may be hostile.
 *
 * A call goes through these steps:
 *
 * 1. It waits up to two seconds for one of 32 places. A host has 8 of them at most, so that a slow one holds up no others.
 * 2. The name is resolved once (names.ts). Each of its addresses must be public or named by `OUTBOUND_PRIVATE`; otherwise the call is
 *    refused.
 * 3. The connection goes to one of these addresses: the first that answers within two seconds (main.ts), or the last one. The name is not
 *    resolved again, so its owner cannot change it in between.
 * 4. The answer must begin within 5 seconds, end within 10, and be no redirect and no longer than 256 KiB.
 *
 * A post to a webhook (`post`) must be connected within 5 seconds and answered within 15. Of its answer at most 64 KiB are read, and nothing
 * of it is kept but its status and `Retry-After`.
 */
import type http from 'node:http'
import type { LookupFunction } from 'node:net'
import { findAddresses, type Named, type Rules, readNamed } from './addresses.ts'
import { detailOf, OutboundError } from './errors.ts'
import { type Address, Names, type Resolve } from './names.ts'
import { QueuedPlaces } from './queued-places.ts'

export { OutboundError }

declare module 'fastify' {
  interface FastifyInstance {
    outbound: Outbound
  }
}

export interface OutboundRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: URLSearchParams | undefined
}

/** As `fetch`, with what oauth4webapi needs of it. @throws OutboundError */
export type OutboundFetch = (url: string, request?: OutboundRequest) => Promise<Response>

export interface Post extends Rules {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export interface Posted {
  readonly status: number
  /** As the server has sent it: a number of seconds, a date, or any other short text. */
  readonly retryAfter: string | null
}

/** Times in milliseconds, length in bytes. */
interface Bounds {
  readonly places: number
  readonly placesForHost: number
  readonly wait: number
  /** From the place until the name is resolved and the connection made, with TLS. */
  readonly connect: number
  readonly headers: number
  readonly all: number
  readonly length: number
}
const usual: Bounds = {
  places: 32,
  placesForHost: 8,
  wait: 2_000,
  connect: 10_000,
  headers: 5_000,
  all: 10_000,
  length: 256 * 1024,
}
const ofPosts = { connect: 5_000, headers: 15_000, all: 15_000, length: 64 * 1024 }
/** Of an answer, in bytes. */
const headerLength = 16 * 1024
/** How many provisional answers (1xx) a server may send. Each is as long as headers may be. */
const provisionalAnswers = 4

/** What a call may use when its host was judged. */
interface Judged {
  readonly target: URL
  readonly addresses: readonly Address[]
  readonly signal: AbortSignal
  /** Ends the time for connecting. */
  readonly connected: () => void
}

export class Outbound {
  readonly #hosts: { readonly named: Named; readonly resolve: Resolve }
  readonly #bounds: Bounds
  readonly #boundsOfPosts: Bounds
  readonly #places: QueuedPlaces

  /**
   * @param named  hosts and CIDRs that may be called although they are private, and by plain HTTP
   * @param bounds other bounds than the usual ones, for `fetch` and `post`
   */
  constructor(named: readonly string[], { resolve, ...bounds }: Partial<Bounds> & { resolve?: Resolve } = {}) {
    const read = readNamed(named)
    this.#hosts = { named: read, resolve: resolve ?? new Names(read.hosts).resolve }
    this.#bounds = { ...usual, ...bounds }
    this.#boundsOfPosts = { ...usual, ...ofPosts, ...bounds }
    const { places: all, placesForHost: each, wait } = this.#bounds
    this.#places = new QueuedPlaces({ all, each, wait })
  }

  readonly fetch: OutboundFetch = (url, { body, ...request } = {}) => {
    const rules = { isPrivateAllowed: true, ownHosts: new Set<string>() }
    return this.#call(url, rules, this.#bounds, async (judged) =>
      toResponse(await send(judged, { ...request, body: body?.toString() }, this.#bounds, true)),
    )
  }

  /**
   * Posts to a webhook. A status that is no success is returned like any other; a redirect is an error.
   *
   * @throws OutboundError; TypeError if a header has an invalid character
   */
  readonly post = (url: string, { headers, body, ...rules }: Post): Promise<Posted> =>
    this.#call(url, rules, this.#boundsOfPosts, async (judged) => {
      const request = { method: 'POST', headers, body }
      const answer = await send(judged, request, this.#boundsOfPosts, false)
      const retryAfter = answer.headers['retry-after'] ?? null
      return { status: answer.status, retryAfter: retryAfter && retryAfter.length <= 64 ? retryAfter : null }
    })

  /** Resolves and judges the host of a URL to which `post` might post, and calls nobody. @throws OutboundError address, dns, timeout, busy */
  readonly judge = (url: string, rules: Rules): Promise<void> =>
    this.#call(url, rules, this.#boundsOfPosts, async () => {})

  async #call<T>(url: string, rules: Rules, bounds: Bounds, work: (judged: Judged) => Promise<T>): Promise<T> {
    const target = URL.parse(url)
    if (!target) throw new OutboundError('address')
    const over = Promise.withResolvers<never>()
    over.promise.catch(() => {}) // nobody may listen any more
    const aborted = new AbortController()
    const { signal } = aborted
    const end = () => {
      over.reject(new OutboundError('timeout'))
      aborted.abort()
    }
    const timer = setTimeout(end, bounds.all)
    const giveBack = await this.#places.take(target.hostname)
    const connecting = setTimeout(end, bounds.connect)
    try {
      if (!giveBack) throw new OutboundError('busy')
      const addresses = await Promise.race([findAddresses(target, { ...rules, ...this.#hosts }, signal), over.promise])
      return await work({ target, addresses, signal, connected: () => clearTimeout(connecting) })
    } finally {
      clearTimeout(timer)
      clearTimeout(connecting)
      giveBack?.()
    }
  }
}

interface Outgoing {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

/** @param isKept whether the body of the answer is returned @throws OutboundError; TypeError if a header has an invalid character */
async function send(
  { target, addresses, signal, connected }: Judged,
  { method = 'GET', headers = {}, body }: Outgoing,
  bounds: Bounds,
  isKept: boolean,
): Promise<Answer> {
  const isSecure = target.protocol === 'https:'
  // Loaded with the first call: an import of node:http loads all that Node knows of HTTP, which takes 7 MiB.
  const { request } = await (isSecure ? import('node:https') : import('node:http'))
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  // Without an agent no connection is kept, and no proxy of the environment is used, which would resolve the name again.
  const outgoing = request(target, {
    method,
    headers,
    agent: false,
    lookup: only(addresses),
    maxHeaderSize: headerLength,
    rejectUnauthorized: true,
    signal,
  })
  let isConnected = false
  let isAnswered = false
  let provisional = 0
  const fail = (error: OutboundError) => {
    reject(error)
    outgoing.destroy()
  }
  const failFor = (error: Error) =>
    fail(new OutboundError(signal.aborted ? 'timeout' : detailOf(error, isSecure && !isConnected)))
  const timer = setTimeout(() => fail(new OutboundError('timeout')), bounds.headers)
  outgoing.once('socket', (socket) =>
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      isConnected = true
      connected()
    }),
  )
  outgoing.once('close', () => {
    clearTimeout(timer)
    if (!isAnswered) fail(new OutboundError('reset')) // another protocol was offered instead
  })
  outgoing.on('error', failFor)
  outgoing.on('information', () => {
    if (++provisional > provisionalAnswers) fail(new OutboundError('too_large'))
  })
  outgoing.once('response', (incoming) => {
    isAnswered = true
    clearTimeout(timer)
    const status = incoming.statusCode ?? 0
    if (status >= 300 && status < 400) return fail(new OutboundError('redirect', status))
    if (status < 200 || status > 599) return fail(new OutboundError('reset')) // HTTP has no such status, and Response takes none
    const chunks: Buffer[] = []
    let length = 0
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > bounds.length) fail(new OutboundError('too_large'))
      else if (isKept) chunks.push(chunk)
    })
    incoming.on('error', failFor)
    incoming.once('close', () => fail(new OutboundError('reset')))
    incoming.once('end', () => resolve({ status, headers: incoming.headers, body: Buffer.concat(chunks) }))
  })
  outgoing.end(body)
  return promise
}

/** Only two headers mean something to callers. @throws OutboundError if they are none that a Response can have */
function toResponse({ status, headers, body }: Answer): Response {
  const kept = ['content-type', 'www-authenticate'].flatMap((name) =>
    headers[name] ? [[name, `${headers[name]}`]] : [],
  )
  const isEmpty = status === 204 || status === 205
  try {
    return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: Object.fromEntries(kept) })
  } catch {
    throw new OutboundError('reset')
  }
}

/** A look-up that knows these addresses alone. */
function only(addresses: readonly Address[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}
