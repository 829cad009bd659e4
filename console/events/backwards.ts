/**
 * Reads the feed from its newest event to older ones. The API reads forwards only, so a page consists of stretches of the feed, each read
 * from its beginning. A stretch that holds more than one answer does is read again shorter. How long the next one is, the events say that
 * were found, as if they came evenly.
 *
 * Invariant: stretches touch. All that lies between two pages was read.
 */

/** An answer of the API: what comes after a place, oldest first. */
interface Answer<Item> {
  readonly data: readonly Item[]
  /** The place up to which it has looked. */
  readonly nextAfter: number
  readonly hasMore: boolean
}

/** What came up to this place was removed because of its age. */
interface Removal {
  readonly earliest: number
}

export type ReadAfter<Item> = (place: number) => Promise<Answer<Item> | Removal>

/** From where to read back. */
export interface Position {
  /** Events after it were read, or are not wanted. */
  readonly through: number
  /** Where the next stretch ends, for its length: there may be no event between it and `through`. */
  readonly end: number
  /** Events up to it are not wanted, or were removed. */
  readonly floor: number
  /** The place up to which events were removed, as far as it is known. */
  readonly removed: number | undefined
  /** The length of the next stretch. */
  readonly length: number
  /** By how much a stretch is longer than the one after it at most. */
  readonly growth: number
}

export interface BackPage<Item> {
  /** Newest first. */
  readonly data: readonly Item[]
  /** Undefined: there are no older ones. */
  readonly next: Position | undefined
  readonly removed: number | undefined
}

/** In microseconds, as sequences are. No feed keeps events longer than the second. */
const day = 86_400_000_000
const longest = 90 * day
/** How many events a page has at least, unless they end, or the requests for it do. */
const enough = 50
const mostRequests = 12
/** How many events the next stretch should have: enough, and fewer than an answer. */
const wanted = 75

/**
 * Reads the newest events that are wanted. Most feeds are short, so the first request asks for all.
 *
 * @param now     by a clock that may be wrong: more requests are sent then
 * @param floor   the place after which to read
 * @param through the greatest sequence that is wanted; by default all that come
 */
export async function readNewest<Item extends { readonly sequence: number }>(
  read: ReadAfter<Item>,
  now: number,
  floor: number,
  through = Number.MAX_SAFE_INTEGER,
): Promise<BackPage<Item>> {
  const all = { through, end: Math.min(now, through), floor, removed: undefined, length: day, growth: wanted }
  const answer = await read(floor)
  if ('earliest' in answer)
    return readBack(read, { ...all, floor: Math.max(floor, answer.earliest), removed: answer.earliest })
  if (answer.hasMore && answer.nextAfter < through) return readBack(read, all)
  const data = answer.data.filter(({ sequence }) => sequence <= through).toReversed()
  return { data, next: undefined, removed: undefined }
}

export async function readBack<Item extends { readonly sequence: number }>(
  read: ReadAfter<Item>,
  start: Position,
): Promise<BackPage<Item>> {
  const data: Item[] = []
  let at = start
  for (let asked = 0; asked < mostRequests && data.length < enough && at.through > at.floor; asked++) {
    const after = at.length > longest ? at.floor : Math.max(at.floor, at.end - at.length)
    const answer = await read(after)
    if ('earliest' in answer) {
      at = { ...at, floor: Math.max(at.floor, answer.earliest), removed: answer.earliest }
    } else if (answer.hasMore && answer.nextAfter < at.through) {
      const [{ sequence: first } = { sequence: after }] = answer.data
      const even = ((answer.nextAfter - first) / Math.max(1, answer.data.length)) * wanted
      const read = Math.max(1, Math.min(longest, at.end - after))
      at =
        answer.nextAfter > at.end
          ? { ...at, end: Math.min(at.through, answer.nextAfter + read * 16), length: read * 16 } // the clock is behind
          : { ...at, length: between(read / 4096, even, read / 8), growth: 16 }
    } else {
      const found = answer.data.filter(({ sequence }) => sequence <= at.through)
      data.push(...found.reverse())
      const growth = between(2, wanted / Math.max(1, found.length), at.growth)
      at = { ...at, through: after, end: after, length: at.length * growth }
    }
  }
  return { data, next: at.through > at.floor ? at : undefined, removed: at.removed }
}

function between(least: number, value: number, most: number): number {
  return Math.max(1, Math.floor(Math.min(Math.max(least, value), most)))
}
