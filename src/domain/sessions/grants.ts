/**
 * Grants: what applications hold of a session, and how they end. applications/granting.ts makes and uses them.
 *
 * Invariant: a grant is a child of its session. When the session ends, so do its grants, in the same transaction; and one whose session
 * has expired is refused at its next use.
 */
import type { Sql, Statement } from '../../platform/database/database.ts'

/** Ends live grants of `grants g`. @returns how many */
export async function endGrants(sql: Sql, which: Statement): Promise<number> {
  const ended = await sql`
    update grants g set ended_at = statement_timestamp()
    where g.tenant_id = ${sql.tenant} and g.ended_at is null and ${which}
    returning g.id`
  return ended.length
}
