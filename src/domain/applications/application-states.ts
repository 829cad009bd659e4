/** The states of an application: how it begins, changes and ends. */
import type { Sent, Sql } from '../../platform/database/database.ts'
import type { logoutOutcomes } from './applications.ts'

/** Notes how telling an application of the end of a session went. Its version stays: nobody has edited it. */
export function noteLogout(sql: Sql, id: string, outcome: (typeof logoutOutcomes)[number]): Sent<unknown> {
  return sql`
    update applications set logout_at = statement_timestamp(), logout_outcome = ${outcome}
    where tenant_id = ${sql.tenant} and id = ${id}`
}
