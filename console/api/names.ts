/**
 * Names of what a list shows by ids. Each name is a query of its own, and ids that are wanted at the same time are read by one request.
 *
 * Invariant: names are no condition of a list. If they fail or are late, it is shown without them, and they come when they can.
 */
import { queryOptions } from '@tanstack/react-query'
import { queries } from './queries.ts'

/** How many ids the API takes at once. */
const mostIds = 100

/** In milliseconds: how long ids are collected. Queries that failed together try again in timers of their own. */
const collecting = 5

/** In milliseconds: how long a list waits for its names. */
const longestWait = 2_000

/** @param ids a hundred at most. What was deleted has no name */
type ReadNames = (ids: string[]) => Promise<ReadonlyMap<string, string>>

/** @returns makes the query of the name of an id; null if it was deleted. */
export function nameQueries(key: readonly string[], read: ReadNames) {
  const readOne = readTogether(read)
  return (id: string) => queryOptions({ queryKey: [...key, id, 'name'], queryFn: () => readOne(id) })
}

/** Waits for the names of a list, so that nothing moves when they come. They are read again where they are shown if this fails. */
export async function waitForNames(wanted: readonly ReturnType<ReturnType<typeof nameQueries>>[]): Promise<void> {
  const reading = wanted.map((query) => queries.prefetchQuery({ ...query, retry: false })) // never rejects
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, longestWait)
  })
  await Promise.race([Promise.all(reading), late]).finally(() => clearTimeout(timer))
}

/** Ids that are read by one request. */
interface Batch {
  readonly ids: Set<string>
  readonly names: ReturnType<ReadNames>
}

/** @returns reads the name of one id, together with those of others; null if it was deleted */
export function readTogether(read: ReadNames): (id: string) => Promise<string | null> {
  let open: Batch | undefined
  const begin = (): Batch => {
    const ids = new Set<string>()
    const names = new Promise((resolve) => setTimeout(resolve, collecting)).then(() => {
      if (open?.ids === ids) open = undefined
      return read([...ids])
    })
    return { ids, names }
  }
  return async (id) => {
    open ??= begin()
    const { ids, names } = open
    ids.add(id)
    if (ids.size === mostIds) open = undefined
    return (await names).get(id) ?? null
  }
}
