/** Batches: rows in the numbers in which they are worked on, and what each of them does when the database cannot be asked. */
import { setTimeout } from 'node:timers/promises'
import { UnavailableError } from '../../platform/database/errors.ts'
import { TransferError } from './files.ts'

/** @returns the items, so many at a time */
export async function* batchesOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    if (batch.push(item) < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** @returns a list, so many of its items at a time */
export function parted<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** In seconds. */
const pauses = [1, 2, 4, 8]

/**
 * Tries a batch again while the database cannot be asked: it restarts, or takes longer than a statement may, as when it reads from a disk
 * what it has in memory the next time.
 *
 * @param signal ends the waiting
 * @throws TransferError in the end, or why `signal` was aborted
 */
export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const pause of [...pauses, undefined]) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      if (pause === undefined)
        throw new TransferError('The database cannot be asked right now. Run the same command again when it can be.', {
          cause: error,
        })
      await setTimeout(pause * 1_000, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
  throw new Error('There is no last try.') // the last one returns or throws
}

/** Numbers of rows, a bit for each: ten million rows take little more than a megabyte. */
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
