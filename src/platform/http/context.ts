/**
 * The context of a request: what functions below the routes may know of it, and what they need to do their work.
 *
 * Only routes, doors and what serves HTTP know a FastifyRequest; everything else takes this.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Keyring } from '../cryptography.ts'
import type { Database } from '../database/database.ts'
import type { Config } from '../settings/config.ts'
import type { Rate } from '../settings/reader.ts'
import { addressOf } from './address.ts'

export interface RequestContext {
  readonly requestId: string
  /** The address of the sender, in its shortest form. */
  readonly ip: string
  readonly userAgent: string | undefined
  /** The entity tags of `If-Match`, one of which must be the current one; undefined if anything may be changed. */
  readonly wantedTags: readonly string[] | undefined
  /** The limits that the route declares in `config.rates`, and the route's path. */
  readonly route: { readonly url: string | undefined; readonly rates: readonly string[] }
  readonly config: Config
  readonly database: Database
  readonly keyring: Keyring
  readonly rates: RateCounter
  getHeader(name: string): string
  setHeader(name: string, value: string): void
}

/** What a request counts for: `whose` is counted apart under each policy. */
export interface Counted {
  /** As `RateLimit-Policy` names it. */
  readonly policy: string
  readonly rate: Rate
  /** Absent: counted in all tenants together. */
  readonly tenant?: string
  readonly whose: string
  /** How much is left is nobody's business but ours: it would tell what others did. */
  readonly isHidden?: boolean
}

/** Counts what requests do under the limits of the database (rates.ts). */
export interface RateCounter {
  /** @throws Problem rate_limited; UnavailableError */
  count(context: RequestContext, counted: readonly Counted[]): Promise<void>
  /** Counts without telling the caller. @throws UnavailableError */
  isWithin(context: RequestContext, counted: Counted): Promise<boolean>
  /** Takes back what was counted for something that did not happen. @throws UnavailableError */
  takeBack(counted: readonly Counted[]): Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
  }
}

/** The context of a request that came over HTTP. It reads from the request when it is asked, so that it costs one object. */
export class HttpContext implements RequestContext {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #ip: string | undefined

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
  }

  get requestId() {
    return this.#request.id
  }

  get ip() {
    this.#ip ??= addressOf(this.#request)
    return this.#ip
  }

  get userAgent() {
    return this.#request.headers['user-agent']
  }

  get wantedTags() {
    return this.#request.wantedTags
  }

  get route() {
    const { url, config } = this.#request.routeOptions
    return { url, rates: config.rates ?? [] }
  }

  get config() {
    return this.#request.server.config
  }

  get database() {
    return this.#request.server.database
  }

  get keyring() {
    return this.#request.server.keyring
  }

  get rates() {
    return this.#request.server.rates
  }

  getHeader(name: string) {
    return `${this.#reply.getHeader(name) ?? ''}`
  }

  setHeader(name: string, value: string) {
    this.#reply.header(name, value)
  }
}
