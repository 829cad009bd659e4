/** Deletions for tests: how many rows each statement deletes, those that foreign keys send too. */
import { isOnCluster, type TestDatabase } from './database.ts'

export interface Deletions {
  readonly name: string
  /** The most rows that one statement has deleted. */
  readonly most: number
}

/**
 * Counts from now on the rows that are deleted from some tables. On a cluster, a trigger of a shard cannot write into another table.
 *
 * @returns what reads the counts, by the names of the tables; on a cluster undefined
 */
export async function countDeletions(
  { query }: Pick<TestDatabase, 'query'>,
  ...tables: readonly string[]
): Promise<() => Promise<Deletions[] | undefined>> {
  if (isOnCluster) return async () => undefined
  await query('create schema counted')
  await query('create table counted.deletions (name text, rows integer)')
  await query(`
    create function counted.note() returns trigger language plpgsql security definer as $$ begin
      insert into counted.deletions select tg_table_name, count(*) from gone having count(*) > 0;
      return null;
    end $$`)
  for (const table of tables)
    await query(`
      create trigger note after delete on ${table} referencing old table as gone
      for each statement execute function counted.note()`)
  return () => query('select name, max(rows) as most from counted.deletions group by name order by name')
}
