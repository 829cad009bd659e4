/** Explain: the rows that a statement reads, according to PostgreSQL. */
import pg from 'pg'
import type { Json } from './world.ts'

/** A statement as the driver gets it. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * @param plan   of `explain (analyze, format json)`
 * @param tables whose rows count
 * @returns how many rows were looked at, shown or not
 */
export function rowsRead(plan: Json, tables: ReadonlySet<string>): number {
  const {
    'Relation Name': table,
    'Actual Rows': shown,
    'Rows Removed by Filter': passed = 0,
    'Actual Loops': loops,
  } = plan
  const own = tables.has(table) ? (shown + passed) * loops : 0
  return (plan.Plans ?? []).reduce((sum: number, below: Json) => sum + rowsRead(below, tables), own)
}

/** @returns the value as it is written in SQL */
export function literal(value: unknown): string {
  return Buffer.isBuffer(value) ? `'\\x${value.toString('hex')}'` : pg.escapeLiteral(String(value))
}

/** @param used gets the indexes in the plan @returns the tables that a plan scans completely */
export function scannedTables(plan: Json, tables: ReadonlySet<string>, used: Set<string>): string[] {
  const { 'Node Type': type, 'Relation Name': name, 'Index Name': index, Plans: below = [] } = plan
  if (index) used.add(index)
  const own = type === 'Seq Scan' && tables.has(name) ? [name] : []
  return [...own, ...below.flatMap((each: Json) => scannedTables(each, tables, used))]
}
