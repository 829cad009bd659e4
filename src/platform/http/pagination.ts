/**
 * Keyset pagination. A cursor contains the position of the last item of a page. It is encrypted and authenticated, so that clients can
 * neither read nor forge it, nor use it for another list, caller, filter or order.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RequestProblem } from './problems.ts'

/** The values of the order's columns in the last item of a page. */
export type Position = readonly (string | boolean | null)[]

/** The requested page of a list. */
export interface PageRequest {
  /** The number of rows to read: the page and one more, which shows whether there is a next page. */
  readonly take: number
  /** Undefined: the first page. */
  readonly after: Position | undefined
  /** The caller for whom the cursor was made. */
  readonly owner: string | undefined
}

export interface Page<Item> {
  readonly data: Item[]
  readonly nextCursor: string | null
}

/** How long a cursor is valid, in seconds. */
export const cursorLifetime = 24 * 3600

interface Paged {
  readonly limit?: number
  readonly cursor?: string
}

/**
 * Reads the requested page.
 *
 * @param request of a route whose schema has `limit` and `cursor`
 * @throws Problem invalid_cursor
 */
export function readPage(request: FastifyRequest): PageRequest {
  const { limit = 50, cursor } = request.query as Paged // checked by the route's schema
  if (cursor === undefined) return { take: limit + 1, after: undefined, owner: undefined }

  const text = request.server.keyring.open('cursor', cursor, contextOf(request))
  if (text === undefined) throw new RequestProblem('invalid_cursor')
  const { position, owner, expires } = JSON.parse(text) as { position: Position; owner: string; expires: number } // sealed by us
  if (expires < Date.now()) throw new RequestProblem('invalid_cursor')
  return { take: limit + 1, after: position, owner }
}

/** What a page is made of. */
interface Listed<Row> {
  /** The caller's id: a cursor of another caller is refused. */
  readonly owner: string
  /** At most as many as the request takes. */
  readonly rows: readonly Row[]
  readonly position: (row: Row) => Position
}

/**
 * Makes the page, with its cursor, and sets the header `Link` (RFC 8288).
 *
 * @throws Problem invalid_cursor
 */
export function makePage<Row>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRequest,
  { owner, rows, position }: Listed<Row>,
): Page<Row> {
  if (page.owner !== undefined && page.owner !== owner) throw new RequestProblem('invalid_cursor')
  const data = rows.slice(0, page.take - 1)
  const last = data.at(-1)
  if (rows.length < page.take || last === undefined) return { data, nextCursor: null }

  const plain = JSON.stringify({ position: position(last), owner, expires: Date.now() + cursorLifetime * 1000 })
  const nextCursor = request.server.keyring.seal('cursor', plain, contextOf(request))
  const next = new URL(request.url, request.server.config.publicUrl)
  next.searchParams.set('cursor', nextCursor)
  reply.header('link', `<${next.pathname}${next.search}>; rel="next"`)
  return { data, nextCursor }
}

/** The position in a list that is ordered by creation. */
export function byCreation({ createdAt, id }: { readonly createdAt: string; readonly id: string }): Position {
  return [createdAt, id]
}

/** @param counted the number of rows, at most 10,001; undefined if the total was not requested @returns the total, capped at 10,000 */
export function totalOf(counted: { readonly total: number } | undefined) {
  return counted && { total: Math.min(counted.total, 10_000), ...(counted.total > 10_000 && { totalCapped: true }) }
}

/** Method, path, filters and order: what the requests for all pages of a list have in common. */
function contextOf(request: FastifyRequest): string {
  const { cursor: _cursor, limit: _limit, includeTotal: _total, ...filters } = request.query as Record<string, unknown> // Fastify parses a query into an object
  return JSON.stringify([
    request.method === 'HEAD' ? 'GET' : request.method,
    request.url.split('?')[0],
    Object.entries(filters).sort(),
  ])
}
