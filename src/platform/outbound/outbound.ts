/**
 * The one way out of the service for HTTP, to servers that people name and that may be hostile.
 *
 * A call goes through these steps:
 *
 * 1. It waits up to two seconds for one of 32 places. A host has 8 of them at most, so that a slow one holds up no others.
 * 2. The name is resolved once (names.ts). Each of its addresses must be public or named by `OUTBOUND_PRIVATE`; otherwise the call is
 *    refused.
 * 3. The connection goes to one of these addresses. The name is not resolved again, so its owner cannot change it in between.
 * 4. The answer must begin within 5 seconds, end within 10, and be no redirect and no longer than 256 KiB.
 *
 * Invariant: an error names its reason and nothing that the server has sent, so it can be logged.
 */
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isNamed, isPublic, type Named, readNamed } from './addresses.ts'
import { type Address, Names, type Resolve } from './names.ts'
import { Places } from './places.ts'

/** `forbidden`: the URL or an address of its host may not be called. `busy`: there was no place. */
type OutboundReason = 'forbidden' | 'unreachable' | 'timeout' | 'redirected' | 'too_large' | 'busy'

export class OutboundError extends Error {
  readonly reason: OutboundReason

  constructor(reason: OutboundReason) {
    super(`A call to another server failed: ${reason}.`)
    this.name = 'OutboundError'
    this.reason = reason
  }
}

export interface OutboundRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: URLSearchParams | undefined
}

/** As `fetch`, with what oauth4webapi needs of it. @throws OutboundError */
export type OutboundFetch = (url: string, request?: OutboundRequest) => Promise<Response>

/** Times in milliseconds, length in bytes. */
interface Bounds {
  readonly places: number
  readonly placesForHost: number
  readonly wait: number
  readonly headers: number
  readonly all: number
  readonly length: number
}
const usual: Bounds = { places: 32, placesForHost: 8, wait: 2_000, headers: 5_000, all: 10_000, length: 256 * 1024 }

export class Outbound {
  readonly #named: Named
  readonly #resolve: Resolve
  readonly #bounds: Bounds
  readonly #places: Places

  /** @param named hosts and CIDRs that may be called although they are private, and by plain HTTP */
  constructor(named: readonly string[], { resolve, ...bounds }: Partial<Bounds> & { resolve?: Resolve } = {}) {
    this.#named = readNamed(named)
    this.#resolve = resolve ?? new Names(this.#named.hosts).resolve
    this.#bounds = { ...usual, ...bounds }
    const { places: all, placesForHost: each, wait } = this.#bounds
    this.#places = new Places({ all, each, wait })
  }

  readonly fetch: OutboundFetch = async (url, request = {}) => {
    const target = URL.parse(url)
    if (!target) throw new OutboundError('forbidden')
    const over = Promise.withResolvers<never>()
    over.promise.catch(() => {}) // nobody may listen any more
    const aborted = new AbortController()
    const timer = setTimeout(() => {
      over.reject(new OutboundError('timeout'))
      aborted.abort()
    }, this.#bounds.all)
    const giveBack = await this.#places.take(target.hostname)
    try {
      if (!giveBack) throw new OutboundError('busy')
      const addresses = await Promise.race([this.#judge(target, aborted.signal), over.promise])
      return await send(target, request, addresses, this.#bounds, aborted.signal)
    } finally {
      clearTimeout(timer)
      giveBack?.()
    }
  }

  /** @returns the addresses of the URL's host, all of which may be called @throws OutboundError forbidden, unreachable */
  async #judge({ protocol, hostname, username, password }: URL, signal: AbortSignal): Promise<readonly Address[]> {
    if (username || password || !['http:', 'https:'].includes(protocol)) throw new OutboundError('forbidden')
    const host = hostname.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    const addresses = family
      ? [{ address: host, family }]
      : await this.#resolve(host, signal).catch(() => {
          throw new OutboundError('unreachable')
        })
    if (addresses.length === 0) throw new OutboundError('unreachable')
    const mayCall = ({ address }: Address) =>
      isNamed(this.#named, host, address) || (protocol === 'https:' && isPublic(address))
    if (!addresses.every(mayCall)) throw new OutboundError('forbidden')
    return addresses
  }
}

/** @throws OutboundError; TypeError if a header has an invalid character */
function send(
  url: URL,
  { method = 'GET', headers = {}, body }: OutboundRequest,
  addresses: readonly Address[],
  bounds: Bounds,
  signal: AbortSignal,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const begin = url.protocol === 'https:' ? https.request : http.request
  // Without an agent no connection is kept, and no proxy of the environment is used, which would resolve the name again.
  const outgoing = begin(url, {
    method,
    headers,
    agent: false,
    lookup: only(addresses),
    rejectUnauthorized: true,
    signal,
  })
  let isAnswered = false
  const fail = (reason: OutboundReason) => {
    reject(new OutboundError(reason))
    outgoing.destroy()
  }
  const timer = setTimeout(fail, bounds.headers, 'timeout')
  outgoing.once('close', () => {
    clearTimeout(timer)
    if (!isAnswered) fail('unreachable') // another protocol was offered instead
  })
  outgoing.on('error', () => fail(signal.aborted ? 'timeout' : 'unreachable'))
  outgoing.once('response', (incoming) => {
    isAnswered = true
    clearTimeout(timer)
    const status = incoming.statusCode ?? 0
    if (status >= 300 && status < 400) return fail('redirected')
    if (status < 200 || status > 599) return fail('unreachable') // HTTP has no such status, and Response takes none
    const chunks: Buffer[] = []
    let length = 0
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > bounds.length) fail('too_large')
      else chunks.push(chunk)
    })
    incoming.on('error', () => fail(signal.aborted ? 'timeout' : 'unreachable'))
    incoming.once('close', () => fail('unreachable'))
    incoming.once('end', () => {
      try {
        resolve(toResponse(status, incoming.headers, Buffer.concat(chunks)))
      } catch {
        fail('unreachable') // what a listener throws would end the process
      }
    })
  })
  outgoing.end(body?.toString())
  return promise
}

/** Only two headers mean something to callers. */
function toResponse(status: number, headers: http.IncomingHttpHeaders, body: Buffer): Response {
  const kept = ['content-type', 'www-authenticate'].flatMap((name) =>
    headers[name] ? [[name, `${headers[name]}`]] : [],
  )
  const isEmpty = status === 204 || status === 205
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: Object.fromEntries(kept) })
}

/** A look-up that knows these addresses alone. */
function only(addresses: readonly Address[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}
