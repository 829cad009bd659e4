/** Batches: where they end, and how often one is tried. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnavailableError } from '../../platform/database/errors.ts'
import { batchesOf, mostCharacters, RowNumbers, retryWhileUnavailable } from './batches.ts'

test('a batch ends when its items have too many characters together, and otherwise by their number', async () => {
  const lengths = [mostCharacters, mostCharacters - 1, 1, 5, 5, 5, 5]
  const batches = batchesOf(toStream(lengths), 3, new AbortController().signal, (length) => length)
  assert.deepEqual(await collect(batches), [[mostCharacters], [mostCharacters - 1, 1], [5, 5, 5], [5]])
})

test('a stop while a batch is read reads nothing more of it', async () => {
  const stopping = new AbortController()
  let read = 0
  async function* items() {
    for (; read < 1_000; read++) {
      if (read === 3) stopping.abort(new Error('stopped'))
      yield read
    }
  }
  await assert.rejects(collect(batchesOf(items(), 1_000, stopping.signal)), /stopped/)
  assert.equal(read, 3)
})

test('a set of row numbers remembers any number of them', () => {
  const numbers = new RowNumbers()
  const kept = [0, 7, 8, 8_191, 8_192, 100_000, 5_000_000]
  for (const number of kept) numbers.add(number)
  assert.ok(kept.every((number) => numbers.has(number)))
  assert.ok([1, 9, 8_193, 99_999, 6_000_000].every((number) => !numbers.has(number)))
})

test('a batch is retried if the database is unavailable, and after no other error', async () => {
  let tries = 0
  const stopping = new AbortController()
  const done = await retryWhileUnavailable(async () => {
    if (tries++ === 0) throw new UnavailableError(new Error('restarting'))
    return 'done'
  }, stopping.signal)
  assert.deepEqual([done, tries], ['done', 2])
  await assert.rejects(
    retryWhileUnavailable(async () => {
      tries++
      throw new RangeError('wrong')
    }, stopping.signal),
    /wrong/,
  )
  assert.equal(tries, 3)

  const gone = retryWhileUnavailable(async () => {
    tries++
    throw new UnavailableError(new Error('away'))
  }, stopping.signal)
  stopping.abort(new Error('stopped'))
  await assert.rejects(gone, /stopped/)
  assert.equal(tries, 4, 'a stop waits for no other try')
})

async function* toStream<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
