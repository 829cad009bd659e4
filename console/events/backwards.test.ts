/** Reading a feed back: whatever is in it, each event comes once, the newest first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BackPage, type ReadAfter, readBack, readNewest } from './backwards.ts'

interface Item {
  readonly sequence: number
}

/** A feed that answers as the API does. @param trimmed up to which place events were removed */
function feedOf(sequences: readonly number[], trimmed = 0) {
  const kept = sequences.filter((each) => each > trimmed).map((sequence) => ({ sequence }))
  const head = sequences.at(-1) ?? 0
  let asked = 0
  const read: ReadAfter<Item> = async (place) => {
    asked++
    if (place < trimmed) return { earliest: trimmed }
    const later = kept.filter(({ sequence }) => sequence > place)
    const data = later.slice(0, 100)
    const hasMore = later.length > 100
    return { data, hasMore, nextAfter: hasMore ? (data.at(-1)?.sequence ?? place) : Math.max(place, head) }
  }
  return { read, head, kept: kept.map(({ sequence }) => sequence), asked: () => asked }
}

async function readAll(read: ReadAfter<Item>, ...place: [now: number, floor: number, through?: number]) {
  const sequences: number[] = []
  let page: BackPage<Item> = await readNewest(read, ...place)
  for (;;) {
    sequences.push(...page.data.map(({ sequence }) => sequence))
    if (page.next === undefined) return { sequences, removed: page.removed }
    page = await readBack(read, page.next)
  }
}

const now = Date.UTC(2026, 10, 27) * 1000
const gaps = fc.oneof(
  fc.constant(1),
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.integer({ min: 1, max: 90_000_000_000 }),
)
/** Bursts, and days without an event. */
const feeds = fc
  .array(fc.tuple(gaps, fc.integer({ min: 1, max: 150 })), { maxLength: 12 })
  .map((bursts) => bursts.flatMap(([gap, count]) => Array.from({ length: count }, () => gap)))
  .map((steps) => {
    let place = now
    return steps.map((gap) => (place -= gap)).reverse()
  })

test('each event is read once, the newest first, however many come at once or how seldom', async () => {
  await fc.assert(
    fc.asyncProperty(feeds, fc.nat(), fc.nat(), fc.nat(), async (sequences, one, other, removal) => {
      const pick = (seed: number) => sequences[seed % Math.max(1, sequences.length)] ?? 0
      const [floor = 0, through = 0] = [pick(one), pick(other)].toSorted((a, b) => a - b)
      const trimmed = removal % 3 === 0 ? pick(removal) : 0
      const { read, head, kept } = feedOf(sequences, trimmed)

      const all = await readAll(read, head, 0)
      assert.deepEqual(all.sequences, kept.toReversed())
      assert.equal(all.removed, trimmed === 0 ? undefined : trimmed)
      const late = await readAll(read, pick(one), 0)
      assert.deepEqual(late.sequences, kept.toReversed(), 'by a clock that is late')
      const early = await readAll(read, head + 86_400_000_000, 0)
      assert.deepEqual(early.sequences, kept.toReversed(), 'by a clock that is early')
      const some = await readAll(read, head, floor, through)
      assert.deepEqual(some.sequences, kept.filter((each) => each > floor && each <= through).toReversed())
    }),
  )
})

test('three requests find the newest events of a feed whose events come evenly, however seldom or often', async () => {
  const hour = 3_600_000_000
  for (const [count, gap] of [
    [0, hour],
    [20, 40 * hour],
    [400, 3 * hour],
    [2000, hour / 4],
    [200_000, hour / 3600],
  ] as const) {
    const feed = feedOf(Array.from({ length: count }, (_, index) => now - (count - index) * gap))
    const { data, next } = await readNewest(feed.read, now, 0)
    assert.equal(data[0]?.sequence, count === 0 ? undefined : feed.head)
    assert.ok(next === undefined ? data.length === count : data.length >= 50)
    assert.ok(feed.asked() <= 3, `asked ${feed.asked()} times for ${count} events`)
  }
})

test('few requests find the newest events of a feed that began with many at once', async () => {
  const hour = 3_600_000_000
  const many = Array.from({ length: 10_000 }, (_, index) => now - 60 * 24 * hour + index * 1000)
  const since = Array.from({ length: 80 }, (_, index) => now - (80 - index) * 17 * hour)
  const feed = feedOf([...many, ...since])
  const { data } = await readNewest(feed.read, now, 0)
  assert.ok(data.length >= 50, `only ${data.length} events`)
  assert.ok(feed.asked() <= 8, `asked ${feed.asked()} times`)
})

test('a clock that is an hour late finds the newest events of a busy feed', async () => {
  const second = 1_000_000
  const feed = feedOf(Array.from({ length: 200_000 }, (_, index) => now - (200_000 - index) * second))
  const { data } = await readNewest(feed.read, feed.head - 3600 * second, 0)
  assert.equal(data[0]?.sequence, feed.head)
})

test('an event that gets its place after the clock was read is among the newest', async () => {
  const { read } = feedOf([now - 2, now - 1, now])
  const { data } = await readNewest(read, now - 1, 0)
  assert.deepEqual(
    data.map(({ sequence }) => sequence),
    [now, now - 1, now - 2],
  )
})
