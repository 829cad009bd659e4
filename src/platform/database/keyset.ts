/** Keyset: how a list is read in an order, from a position on, so that an index serves it and no row is read to be skipped. */
import { empty, type Statement, statement } from './database.ts'

/** By a column, and by the id where the column is the same. */
export interface Order {
  readonly column: Statement
  readonly id: Statement
  readonly descending: boolean
  /** What the column is called in the rows, if it may be null there. */
  readonly nullableAs?: Statement
}

/**
 * Nulls come last in both directions. They are a stretch of their own: both stretches are in the order of an index then.
 *
 * @param select up to its conditions; more are added
 * @param after  the column and the id of the row before the first
 * @param isFiltered whether its conditions may leave few of many rows
 */
export function inOrder(
  select: Statement,
  { column, id, descending, nullableAs }: Order,
  after: readonly unknown[] | undefined,
  take: number,
  isFiltered: boolean,
): Statement {
  const first = isFiltered ? firstOfFew : firstOfMany
  const direction = descending ? statement`desc` : statement`asc`
  const beyond = descending ? statement`<` : statement`>`
  const isPastValues = after !== undefined && after[0] === null
  const valued = first(
    take,
    statement`
    ${select} ${nullableAs ? statement`and ${column} is not null` : empty}
      ${after ? statement`and (${column}, ${id}) ${beyond} (${after[0]}, ${after[1]})` : empty}
    order by ${column} ${direction}, ${id} ${direction}`,
  )
  const unvalued = first(
    take,
    statement`
    ${select} and ${column} is null ${isPastValues ? statement`and ${id} ${beyond} ${after[1]}` : empty}
    order by ${id} ${direction}`,
  )
  if (!nullableAs) return valued
  if (isPastValues) return unvalued
  return statement`
    select *
    from ((${valued}) union all (${unvalued})) both_stretches
    order by ${nullableAs} is null, ${nullableAs} ${direction}, id ${direction}
    limit ${take}`
}

/**
 * PostgreSQL takes a limit that is a parameter for a tenth of all rows, so that a plan for all values looks dear, and each request is
 * planned anew. It knows by the inner limit, which is that of the longest page and one row, that there will never be many.
 */
function firstOfMany(take: number, ordered: Statement): Statement {
  return statement`select * from (${ordered} limit 101) few limit ${take}`
}

/** Planned anew for its values: a plan for all values would walk along the order, through a million rows where ten are wanted. */
function firstOfFew(take: number, ordered: Statement): Statement {
  return statement`${ordered} limit ${take}`
}
