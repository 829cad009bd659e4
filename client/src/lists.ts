/** Lists of any length, fetched page by page. No request is sent until a page is needed. */
import { GuildhallError } from './errors.ts'

export interface Page<Item> {
  readonly data: readonly Item[]
  /** Pass it as `cursor` for the next page, with the same filters, within 24 hours. It is null on the last page. */
  readonly nextCursor: string | null
  /** The number of items on all pages, counted up to 10,000. Only with `includeTotal`. */
  readonly total?: number
  /** Whether there are more items than `total`. */
  readonly totalCapped?: boolean
}

/** `for await` yields all items from `cursor` on, and fetches `limit` of them at a time. */
export interface List<Item> extends AsyncIterable<Item> {
  /** Fetches one page: the first, or the one at `cursor`. */
  page(): Promise<Page<Item>>
}

/** @param filters the query of the list; `cursor` sets where it begins */
export function listOf<Item, Query extends { cursor?: string }>(
  filters: Query,
  read: (query: Query) => Promise<Page<Item>>,
): List<Item> {
  const readPage = async (query: Query): Promise<Page<Item>> => {
    const page = await read(query)
    const { data, nextCursor } = page ?? {} // a 204 has no page
    // Without this check, a list from another server might never end.
    if (
      !Array.isArray(data) ||
      (nextCursor !== null && (typeof nextCursor !== 'string' || nextCursor === query.cursor))
    )
      throw new GuildhallError('unexpected', 'The response does not come from Guildhall: it is no page of a list.')
    return page
  }
  return {
    page: () => readPage(filters),
    async *[Symbol.asyncIterator]() {
      let query = filters
      for (;;) {
        const { data, nextCursor } = await readPage(query)
        yield* data
        if (nextCursor === null) return
        query = { ...filters, cursor: nextCursor }
      }
    },
  }
}

/** For lists that come as a single page. */
export function wholeListOf<Item>(read: () => Promise<{ readonly data: readonly Item[] }>): List<Item> {
  return listOf({}, async () => ({ ...(await read()), nextCursor: null }))
}
