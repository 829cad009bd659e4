/**
 * The context of a request: the properties and resources that functions below the routes may use.
 *
 * Only routes, doors and platform/http use a FastifyRequest. All other functions take this.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Keyring } from '../cryptography.ts'
import type { Database } from '../database/database.ts'
import type { Config } from '../settings/config.ts'
import type { Rate } from '../settings/reader.ts'
import { addressOf } from './address.ts'

export interface RequestContext {
  readonly requestId: string
  /** The client's IP address, in its shortest form. */
  readonly ip: string
  readonly userAgent: string | undefined
  /** The entity tags of `If-Match`, one of which must be the current one; undefined if any version may be changed. */
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

/** What a request is counted under: a policy, and the subject whose requests are counted together. */
export interface Counted {
  /** Its name in `RateLimit-Policy`. */
  readonly policy: string
  readonly rate: Rate
  /** The tenant's id. Absent: counted in all tenants together. */
  readonly tenant?: string
  /** The subject, such as a user's id, an address or a network. */
  readonly whose: string
  /** Whether the rest is omitted from the headers, because it would show what other callers have done. */
  readonly isHidden?: boolean
}

/** Several actions that are counted under one policy. */
export interface Wanted extends Counted {
  readonly times: number
}

/** Counts requests in the database (rates.ts). */
export interface RateCounter {
  /** Counts under each policy, and sets the headers. @throws Problem rate_limited; UnavailableError */
  count(context: RequestContext, counted: readonly Counted[]): Promise<void>
  /** Counts without headers and without refusing. @returns whether the request is within the rate @throws UnavailableError */
  tryCount(context: RequestContext, counted: Counted): Promise<boolean>
  /**
   * Counts many actions at once, and takes back those that do not happen. No policy counts the same subject twice.
   *
   * @param keep gets how many each policy would allow @returns how many of each happen
   * @throws UnavailableError
   */
  take(
    context: RequestContext,
    wanted: readonly Wanted[],
    keep: (within: readonly number[]) => readonly number[],
  ): Promise<void>
  /** Undoes the count of actions that did not happen: of one under each policy, unless it says how many. @throws UnavailableError */
  takeBack(counted: readonly (Counted & Partial<Wanted>)[]): Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
  }
}

/** The context of an HTTP request. Its getters read from the request lazily, so that it costs one object. */
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
