/** Lists: of any length, read page by page. Nothing is asked before somebody wants to know. */
import { GuildhallError } from './errors.ts'

export interface Page<Item> {
  readonly data: readonly Item[]
  /** Give it as `cursor` for the next page, with the same filters, within 24 hours; null on the last one. */
  readonly nextCursor: string | null
  /** How many there are on all pages, counted to 10,000, where `includeTotal` asked for it. */
  readonly total?: number
  /** Whether there are more than `total` says. */
  readonly totalCapped?: boolean
}

/** `for await` goes through all items from `cursor` on, `limit` at a time. */
export interface List<Item> extends AsyncIterable<Item> {
  /** One page: the first, or the one at `cursor`. */
  page(): Promise<Page<Item>>
}

/** @param filters what the list is asked with; `cursor` says where it begins */
export function listOf<Item, Query extends { cursor?: string }>(
  filters: Query,
  read: (query: Query) => Promise<Page<Item>>,
): List<Item> {
  const readPage = async (query: Query): Promise<Page<Item>> => {
    const page = await read(query)
    const { data, nextCursor } = page ?? {} // of a 204 there is none
    // A list that something else answers would have no end.
    if (
      !Array.isArray(data) ||
      (nextCursor !== null && (typeof nextCursor !== 'string' || nextCursor === query.cursor))
    )
      throw new GuildhallError('unexpected', 'What answered is not Guildhall: it sends no page of a list.')
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

/** For lists that come as one page. */
export function wholeListOf<Item>(read: () => Promise<{ readonly data: readonly Item[] }>): List<Item> {
  return listOf({}, async () => ({ ...(await read()), nextCursor: null }))
}
