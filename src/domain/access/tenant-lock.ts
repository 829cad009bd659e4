/**
 * The lock of a tenant's row: what changes or counts something of a whole tenant takes turns at it.
 *
 * On a Citus cluster, each node has a copy of `tenants`. A select that locks a row of it, and reads nothing else, locks the whole table
 * on all nodes. This one joins the tenant's row of `feeds`, which is on one node: Citus sends it there, where it locks one row, as on one
 * PostgreSQL. It is a left join, because a tenant may have no such row yet.
 *
 * Invariant: whatever updates or deletes a row of `tenants` has locked it with this before. On a cluster such a change has the turn of all
 * tenants from its statement to its commit. If it waited for the row in that time, every change of a tenant would wait, too, and
 * there would be a deadlock when the transaction that holds the row changes it.
 */
import { empty, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Actor } from './actors.ts'

/** Runs a transaction that locks the tenant, for somebody who may do what it does. */
export type Transact = <T>(work: (sql: Sql, actor: Actor) => Promise<T>) => Promise<T>

const strengths = {
  share: statement`for share of t`,
  'no key update': statement`for no key update of t`,
  update: statement`for update of t`,
}

/** Selects and locks the tenant's row. @param condition of `tenants t`, with `and`: if it does not hold, no row is locked */
export function selectLockedTenant(
  tenant: string,
  condition: Statement = empty,
  strength: keyof typeof strengths = 'no key update',
): Statement {
  return statement`
    select from tenants t
    left join feeds f on f.tenant_id = ${tenant}
    where t.id = ${tenant} ${condition}
    ${strengths[strength]}`
}

/** Locks the row of the transaction's tenant. */
export function lockTenant(sql: Sql, strength?: keyof typeof strengths): Sent<unknown> {
  return sql`${selectLockedTenant(sql.tenant, empty, strength)}`
}
