/** Batches: how rows are grouped, and how a batch is retried while the database is unavailable. */
import { setTimeout } from 'node:timers/promises'
import { UnavailableError } from '../../platform/database/errors.ts'
import { TransferError } from './files.ts'

/** The most characters of a batch, by `lengthOf`: two batches are in memory at once. */
export const mostCharacters = 16_000_000

/**
 * @param signal   ends the reading, also within a batch
 * @param lengthOf the characters of an item that count, such as those of its picture
 * @returns the items in arrays of `size`; one is shorter if it is the last, or if its items are long
 * @throws the reason of `signal`
 */
export async function* batchesOf<T>(
  items: AsyncIterable<T>,
  size: number,
  signal: AbortSignal,
  lengthOf: (item: T) => number = () => 0,
): AsyncGenerator<T[]> {
  let batch: T[] = []
  let length = 0
  for await (const item of items) {
    signal.throwIfAborted()
    length += lengthOf(item)
    if (batch.push(item) < size && length < mostCharacters) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

/** Seconds to wait before each retry. */
const pauses = [1, 2, 4, 8]

/**
 * Retries a batch while the database is unavailable: it restarts, or a statement times out. A retry may be faster, because the pages that
 * a statement read from disk are then in memory.
 *
 * @param work   the whole transaction
 * @param signal aborts the waiting
 * @throws TransferError after the last retry, or the reason of `signal`
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const pause of [...pauses, undefined]) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      if (pause === undefined)
        throw new TransferError('The database is unavailable. Run the same command again when it is available.', {
          cause: error,
        })
      await setTimeout(pause * 1_000, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
  throw new Error('There is no last try.') // the last attempt returns or throws
}

/** A set of row numbers, one bit for each number up to the largest: ten million rows take little more than a megabyte. */
export class RowNumbers {
  #bits = new Uint8Array(1024)

  add(number: number): void {
    const at = number >> 3
    if (at >= this.#bits.length) {
      const larger = new Uint8Array(2 * at)
      larger.set(this.#bits)
      this.#bits = larger
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (number & 7))
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0
  }
}
