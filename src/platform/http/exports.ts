/**
 * Exports: answers a list in whole, as CSV, to a request with `Accept: text/csv`, and page by page to others.
 *
 * The list is read page by page, each through the door of its route and in a transaction of its own. A page is read when the client has
 * taken those before: memory holds a few pages, whatever the length of the list, and a client that goes away stops the reading.
 *
 * Invariant: an answer that is complete as HTTP says holds the list to its end. If the order is one that changes meanwhile, such as that of
 * `lastActiveAt` or of names, it may miss or repeat a person; in the order of `createdAt` or `joinedAt` it does not. The connection is reset
 * if a page cannot be read, if the caller may no longer read it, if the reader takes nothing for a minute, or if the service stops. A mere
 * end would not do: to HTTP/1.0, which some proxies speak, it means that the answer is complete.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Column, toHead, toLines } from './csv.ts'
import { faultOf } from './faults.ts'
import { makePage, type Page, type PageRequest, type Position, readPage } from './pagination.ts'
import { invalidRequest, RequestProblem } from './problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route answers its list as CSV, too. */
    answersCsv?: true
  }
}

/** Rows of a list, who asked for them, and what they see of each. */
interface Rows<Row, Item> {
  readonly caller: { readonly id: string }
  readonly rows: readonly Row[]
  readonly show: (row: Row) => Item
}

export interface Begun {
  /** The name of the file without the day, like `members-acme`. */
  readonly name: string
  /** Is called once, when the export is over. */
  end(): void
}

interface Export<Row, Item> {
  readonly columns: readonly Column<Item>[]
  /** Is called before anything is read. */
  begin(): Promise<Begun>
  /** Reads a page through the route's door. */
  read(page: PageRequest): Promise<Rows<Row, Item>>
  /** The values of the order's columns in a row. */
  readonly position: (row: Row) => Position
}

/** The rows of a page. */
const pageLength = 100
/** How long a reader may take for a page, in milliseconds. */
const usualTimeout = 60_000

/** Whether the caller prefers CSV to JSON (RFC 9110, 12.5.1). */
export function wantsCsv({ headers: { accept = '' } }: FastifyRequest): boolean {
  return qualityOf('text/csv', accept) > qualityOf('application/json', accept)
}

/** How much a caller wants a type, from 0 to 1; 0 if `Accept` does not name it. */
function qualityOf(type: string, accept: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const quality = parameters.find((each) => each.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}

/**
 * Answers with a page of a list, or with the whole list as CSV if the caller prefers it.
 *
 * @throws Problem invalid_cursor, and those of `sendCsv`
 */
export async function answerList<Row, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: Export<Row, Item>,
): Promise<Page<Item> | undefined> {
  if (wantsCsv(request)) {
    await sendCsv(request, reply, list)
    return undefined
  }
  const page = readPage(request)
  const { caller, rows, show } = await list.read(page)
  const { data, nextCursor } = makePage(request, reply, page, { owner: caller.id, rows, position: list.position })
  return { data: data.map(show), nextCursor }
}

/**
 * Sends a list as CSV. What refuses its first page refuses the request.
 *
 * @param timeout how long the reader may take for a page, in milliseconds
 * @throws Problem invalid_request for the parameters of pages, unavailable while the service stops, and whatever `begin` and `read` throw
 */
export async function sendCsv<Row, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: Export<Row, Item>,
  timeout = usualTimeout,
): Promise<void> {
  refusePaging(request)
  const { name, end } = await list.begin()
  try {
    await send(request, reply, list, name, timeout)
  } finally {
    end()
  }
}

async function send<Row, Item>(
  { method, raw: { socket }, server: { ending } }: FastifyRequest,
  reply: FastifyReply,
  list: Export<Row, Item>,
  name: string,
  timeout: number,
): Promise<void> {
  const first = await list.read(pageAfter(undefined))
  if (ending.aborted) throw new RequestProblem('unavailable', {}, { 'retry-after': '1' })
  // Not the answer's socket: behind another answer on its connection it has none yet.
  const cut = () => socket.resetAndDestroy()
  // Not a timeout of the socket: that one also restarts when the reader sends something.
  const timer = setTimeout(cut, timeout)
  ending.addEventListener('abort', cut)
  try {
    const lines = Readable.from(method === 'HEAD' ? [] : linesOf(list, first, cut, () => timer.refresh()))
    const day = new Date().toISOString().slice(0, 10)
    reply
      .header('content-type', 'text/csv; charset=utf-8; header=present')
      .header('content-disposition', `attachment; filename="${name}-${day}.csv"`)
      .send(lines)
    await reply // until all was sent
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', cut)
  }
}

/**
 * @param cut is called when the list ends before it is whole
 * @param goOn is called when the reader takes a page, and when there is the next
 */
async function* linesOf<Row, Item>(
  { columns, read, position }: Export<Row, Item>,
  first: Rows<Row, Item>,
  cut: () => void,
  goOn: () => void,
): AsyncGenerator<string> {
  let head = toHead(columns)
  let page = first
  try {
    for (;;) {
      const rows = page.rows.slice(0, pageLength)
      goOn()
      yield head + toLines(columns, rows.map(page.show))
      goOn()
      head = ''
      const last = rows.at(-1)
      if (page.rows.length <= pageLength || last === undefined) return
      page = await read(pageAfter(position(last)))
    }
  } catch (error) {
    cut()
    throw error
  }
}

function pageAfter(after: Position | undefined): PageRequest {
  return { take: pageLength + 1, after, owner: undefined }
}

/** Goes by the address, because the query also has defaults. @throws Problem invalid_request */
function refusePaging({ url }: FastifyRequest): void {
  const query = new URLSearchParams(url.split('?')[1])
  const given = ['limit', 'cursor', 'includeTotal'].filter((name) => query.has(name))
  if (given.length > 0)
    throw invalidRequest(given.map((name) => faultOf(`?${name}`, 'not_allowed', 'A list as CSV is whole: omit this.')))
}
