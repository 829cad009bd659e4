/** The answer of what deletes for good. */
import { type Static, Type } from 'typebox'
import type { Sql } from '../platform/database/database.ts'
import { Timestamp } from '../platform/http/schemas.ts'

export const Deleted = Type.Object(
  { deleted: Type.Boolean(), deletedAt: Timestamp },
  { $id: 'Deleted', description: 'Permanently deleted.' },
)

export async function deletedNow(sql: Sql): Promise<Static<typeof Deleted>> {
  const [now] = await sql<Static<typeof Deleted>>`select true as deleted, now() as deleted_at`
  return now as Static<typeof Deleted> // a select without a table has one row
}
