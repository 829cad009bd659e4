/** A condition on several values that costs no more than it must when there is one. */
import { type Statement, statement } from './database.ts'

/**
 * Whether a column has one of some values.
 *
 * One value is compared by itself, so that PostgreSQL keeps the plan. It plans a statement with an array again at each execution: it
 * expects ten elements of an array that it does not know, so a plan for the one at hand seems cheaper to it.
 *
 * @param values at least one
 */
export function isOneOf(column: Statement, values: readonly string[]): Statement {
  return values.length === 1 ? statement`${column} = ${values[0]}` : statement`${column} = any(${values})`
}
