/** Batches: what hangs on a row that is about to go may be very much, so it goes before, in statements that end well within their time. */
import type { Sql } from '../../platform/database/database.ts'
import { erasureTurn } from '../access/turns.ts'

/** How many rows a statement deletes at most. What refers to them goes with them. */
export const batch = 2_000

/**
 * Deletes rows until a statement finds fewer than a batch. An erasure of more than a batch waits for its turn.
 *
 * @param deleteBatch deletes as many rows as it is given at most, and returns each. It gets the last one that was deleted: a batch that
 *   begins after it does not read again what the transaction itself has deleted
 * @param size more for narrow rows to which nothing refers
 */
export async function deleteInBatches<Row>(
  sql: Sql,
  deleteBatch: (limit: number, last: Row | undefined) => Promise<readonly Row[]>,
  size = batch,
): Promise<void> {
  let deleted = await deleteBatch(size, undefined)
  while (deleted.length === size) {
    sql.claimTurn(erasureTurn)
    deleted = await deleteBatch(size, deleted.at(-1))
  }
}
