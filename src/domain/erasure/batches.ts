/**
 * Batches: what hangs on a row that is about to go may be very much, so it goes before, in statements that end well within their time. So
 * does what names the person and stays.
 */
import { chunksOf } from '../../platform/chunks.ts'
import type { Sql } from '../../platform/database/database.ts'
import { erasureTurn } from '../access/turns.ts'

/** How many rows a statement deletes or changes at most. What refers to them goes with them. */
export const batch = 2_000

/**
 * Deletes rows, or takes a person out of them, until a statement finds fewer than a batch. An erasure of more than a batch waits for its turn.
 *
 * @param eraseBatch deletes or changes as many rows as it is given at most, and returns each. It gets the last one: a batch that
 *   begins after it does not read again what the transaction itself has erased
 * @param size more for narrow rows to which nothing refers
 */
export async function eraseInBatches<Row>(
  sql: Sql,
  eraseBatch: (limit: number, last: Row | undefined) => Promise<readonly Row[]>,
  size = batch,
): Promise<void> {
  let erased = await eraseBatch(size, undefined)
  while (erased.length === size) {
    sql.claimTurn(erasureTurn)
    erased = await eraseBatch(size, erased.at(-1))
  }
}

/** Does the same for rows that are known: as many as a batch at a time. */
export async function eraseInParts<Row>(
  sql: Sql,
  rows: readonly Row[],
  erasePart: (part: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (const [index, part] of chunksOf(rows, batch).entries()) {
    if (index > 0) sql.claimTurn(erasureTurn)
    await erasePart(part)
  }
}
