/** Keyset pagination: reads a list in an order, starting after a position, by an index and without reading skipped rows. */
import { empty, type Statement, statement } from './database.ts'

/** The order of a list: by a column, then by the id. */
export interface Order {
  readonly column: Statement
  readonly id: Statement
  readonly descending: boolean
  /** The column's name in the result, if the column may be null. */
  readonly nullableAs?: Statement
  /** The id's name in the result, if it is not `id`. */
  readonly idAs?: Statement
}

/**
 * Nulls come last in both directions. Rows with and without a value are selected separately, so that an index orders each of the two.
 *
 * @param select     a select that ends in its conditions; more conditions are appended
 * @param after      the column and the id of the last row of the page before; undefined for the first page
 * @param take       the number of rows
 * @param isFiltered whether the conditions may match few of many rows
 * @returns the statement
 */
export function inOrder(
  select: Statement,
  { column, id, descending, nullableAs, idAs = statement`id` }: Order,
  after: readonly unknown[] | undefined,
  take: number,
  isFiltered: boolean,
): Statement {
  const first = isFiltered ? firstOfFew : firstOfMany
  const direction = descending ? statement`desc` : statement`asc`
  const beyond = descending ? statement`<` : statement`>`
  const isAmongNulls = after !== undefined && after[0] === null
  const withValue = first(
    take,
    statement`
    ${select} ${nullableAs ? statement`and ${column} is not null` : empty}
      ${after ? statement`and (${column}, ${id}) ${beyond} (${after[0]}, ${after[1]})` : empty}
    order by ${column} ${direction}, ${id} ${direction}`,
  )
  const withoutValue = first(
    take,
    statement`
    ${select} and ${column} is null ${isAmongNulls ? statement`and ${id} ${beyond} ${after[1]}` : empty}
    order by ${id} ${direction}`,
  )
  if (!nullableAs) return withValue
  if (isAmongNulls) return withoutValue
  return statement`
    select *
    from ((${withValue}) union all (${withoutValue})) both_parts
    order by ${nullableAs} is null, ${nullableAs} ${direction}, ${idAs} ${direction}
    limit ${take}`
}

/**
 * A page of few rows, which are all read and sorted. Nulls come last in both directions.
 *
 * @param select as that of `inOrder`
 */
export function sorted(
  select: Statement,
  order: Order,
  after: readonly unknown[] | undefined,
  take: number,
): Statement {
  const { column, id, descending, nullableAs } = order
  const direction = descending ? statement`desc` : statement`asc`
  return statement`
    ${select} ${laterThan(after, order)}
    order by ${nullableAs ? statement`${column} is null,` : empty} ${column} ${direction}, ${id} ${direction}
    limit ${take}`
}

/** A condition: rows that come later than the position. Nulls come last in both directions. */
function laterThan(after: readonly unknown[] | undefined, { column, id, descending, nullableAs }: Order): Statement {
  if (!after) return empty
  const beyond = descending ? statement`<` : statement`>`
  if (after[0] === null) return statement`and ${column} is null and ${id} ${beyond} ${after[1]}`
  const next = statement`(${column}, ${id}) ${beyond} (${after[0]}, ${after[1]})`
  return nullableAs ? statement`and (${next} or ${column} is null)` : statement`and ${next}`
}

interface LookedUp {
  /** As `select` of `inOrder`. */
  readonly rows: Statement
  /** Of these rows in `lookedUp`. */
  readonly name: Statement
  /** A select of one row or none. */
  readonly lookedUp: Statement
  /** Whether it is always one: then no more rows are sorted than fill the page. */
  readonly isExact: boolean
}

/**
 * Reads all rows in their order, and looks up another row for each until the page is full. `offset 0` keeps both from becoming one join,
 * which PostgreSQL could do in another order. The order is by columns alone, so that PostgreSQL knows that it is sorted.
 */
export function lookedUpInOrder(
  { rows, name, lookedUp, isExact }: LookedUp,
  order: Order,
  after: readonly unknown[] | undefined,
  take: number,
): Statement {
  const direction = order.descending ? statement`desc nulls last` : statement`asc nulls last`
  return statement`
    select found.*
    from (
      ${rows} ${laterThan(after, order)}
      order by ${order.column} ${direction}, ${order.id} ${direction}
      ${isExact ? statement`limit ${take}` : statement`offset 0`}) ${name}
    cross join lateral (${lookedUp} offset 0) found
    order by ${name}.${order.column} ${direction}, ${name}.${order.id} ${direction}
    limit ${take}`
}

/**
 * The first rows in an order, however few of them a list then shows: those with a value, or after those the ones without.
 *
 * @param rows a select that ends in its conditions
 * @param most how many
 */
export function nextInOrder(
  rows: Statement,
  { column, id, descending, nullableAs }: Order,
  after: readonly unknown[] | undefined,
  most: number,
): Statement {
  const direction = descending ? statement`desc` : statement`asc`
  const beyond = descending ? statement`<` : statement`>`
  if (nullableAs && after?.[0] === null)
    return statement`${rows} and ${column} is null and ${id} ${beyond} ${after[1]} order by ${id} ${direction} limit ${most}`
  return statement`
    ${rows} ${nullableAs ? statement`and ${column} is not null` : empty}
      ${after ? statement`and (${column}, ${id}) ${beyond} (${after[0]}, ${after[1]})` : empty}
    order by ${column} ${direction}, ${id} ${direction}
    limit ${most}`
}

/**
 * With a limit as a parameter, the generic plan assumes a tenth of all rows. It then looks expensive, and PostgreSQL plans each request again.
 * The literal inner limit, the longest page and one row, makes the generic plan cheap.
 */
function firstOfMany(take: number, ordered: Statement): Statement {
  return statement`select * from (${ordered} limit 101) few limit ${take}`
}

/** Without the literal, PostgreSQL plans for the values of each request. A generic plan would follow the order through a million rows for ten matches. */
function firstOfFew(take: number, ordered: Statement): Statement {
  return statement`${ordered} limit ${take}`
}
