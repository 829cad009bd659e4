/**
 * Endings of sessions: whatever ends one, such as a sign-out or a new password, calls `endSessions`.
 *
 * Invariant: nothing else sets `ended_at` of a session (`tools/house.ts` checks it).
 */
import type { Sql, Statement } from '../../platform/database/database.ts'
import { expiry } from './lifetime.ts'

/** A session that has just ended. */
export interface EndedSession {
  readonly id: string
  readonly userId: string
  readonly userName: string | null
  /** Whether it had not expired. */
  readonly lived: boolean
}

/** Ends sessions of `sessions s` and `tenants t` that have not ended, expired ones too. */
export function endSessions(sql: Sql, which: Statement): Promise<EndedSession[]> {
  return sql<EndedSession>`
    update sessions s set ended_at = now()
    from tenants t, users u
    where s.tenant_id = ${sql.tenant} and s.ended_at is null and ${which}
      and t.id = s.tenant_id and u.tenant_id = s.tenant_id and u.id = s.user_id
    returning s.id, s.user_id, u.name as user_name, ${expiry} > now() as lived`
}

/** @returns how many of them had not expired */
export function countLived(ended: readonly EndedSession[]): number {
  return ended.filter(({ lived }) => lived).length
}
