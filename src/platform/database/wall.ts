/**
 * The wall: row-level security shows a transaction the rows of one tenant, which it names in the setting `guildhall.tenant`. If the
 * setting is empty, every tenant's table looks empty.
 *
 * Invariant: nothing else in the code sets it.
 */
import statement, { type Sql as Statement } from 'sql-template-tag'

/** Raises the wall for a transaction. `set local` and not set_config(): only the former reaches the shards of a Citus cluster. */
export function wall(tenant: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenant)) throw new TypeError('A tenant is named by its uuid.')
  return `set local guildhall.tenant = '${tenant}'`
}

/**
 * Shuts the wall unless a condition holds: the later statements of the transaction then find every tenant's table empty. PostgreSQL
 * compares the setting with the tenant that a statement names before it reads the table.
 *
 * This only saves work and hides its time, and the condition is checked again where it matters. So it may use set_config(): if the
 * shards of a Citus cluster do not learn of it, the statements run in vain.
 *
 * @returns an expression for the select list of a statement with one row: whether the condition holds
 */
export function shutUnless(condition: Statement): Statement {
  return statement`case when ${condition} then true else set_config('guildhall.tenant', '', true) <> '' end`
}
