/**
 * Pagination: keyset, never offset. A cursor names the last item of a page, encrypted and authenticated, so that nobody can make
 * one, read one, or use one for another list, caller, filter or order.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from './problems.ts'

/** The values of the columns that a list is ordered by, as they are on the last item of a page. */
export type Position = readonly (string | boolean | null)[]

/** What a list needs to know of the page that is asked for. */
export interface PageRequest {
  /** One more row than is shown tells whether there is a next page. */
  readonly take: number
  readonly after: Position | undefined
  readonly owner: string | undefined
}

export interface Page<Item> {
  readonly data: Item[]
  readonly nextCursor: string | null
}

/** How long a cursor is good for, in seconds. */
export const cursorLifetime = 24 * 3600

interface Paged {
  readonly limit?: number
  readonly cursor?: string
}

/**
 * @param request one whose schema has `limit` and `cursor`
 * @throws Problem invalid_cursor
 */
export function readPage(request: FastifyRequest): PageRequest {
  const { limit = 50, cursor } = request.query as Paged // checked by the route's schema
  if (cursor === undefined) return { take: limit + 1, after: undefined, owner: undefined }

  const text = request.server.keyring.open('cursor', cursor, contextOf(request))
  if (text === undefined) throw new Problem('invalid_cursor')
  const { position, owner, expires } = JSON.parse(text) as { position: Position; owner: string; expires: number } // sealed by us
  if (expires < Date.now()) throw new Problem('invalid_cursor')
  return { take: limit + 1, after: position, owner }
}

/**
 * Makes a page of the rows that were read, with its cursor and its `Link` (RFC 8288).
 *
 * @param caller   whose list it is: a cursor of another one's is refused
 * @param position the columns of the list's order, of one row
 * @throws Problem invalid_cursor
 */
export function makePage<Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: string,
  { take, owner }: PageRequest,
  rows: readonly Item[],
  position: (item: Item) => Position,
): Page<Item> {
  if (owner !== undefined && owner !== caller) throw new Problem('invalid_cursor')
  const data = rows.slice(0, take - 1)
  const last = data.at(-1)
  if (rows.length < take || last === undefined) return { data, nextCursor: null }

  const plain = JSON.stringify({ position: position(last), owner: caller, expires: Date.now() + cursorLifetime * 1000 })
  const nextCursor = request.server.keyring.seal('cursor', plain, contextOf(request))
  const next = new URL(request.url, request.server.config.publicUrl)
  next.searchParams.set('cursor', nextCursor)
  reply.header('link', `<${next.pathname}${next.search}>; rel="next"`)
  return { data, nextCursor }
}

/** @param counted how many rows there are, counted to one past 10,000; undefined when nobody asked */
export function totalOf(counted: { readonly total: number } | undefined) {
  return counted && { total: Math.min(counted.total, 10_000), ...(counted.total > 10_000 && { totalCapped: true }) }
}

/** Path, filters and order: everything of the request but the page. */
function contextOf(request: FastifyRequest): string {
  const { cursor: _cursor, limit: _limit, includeTotal: _total, ...filters } = request.query as Record<string, unknown> // an object, whatever it holds
  return JSON.stringify([
    request.method === 'HEAD' ? 'GET' : request.method,
    request.url.split('?')[0],
    Object.entries(filters).sort(),
  ])
}
