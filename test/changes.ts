/** Deletions and updates for tests: how many rows each statement changes, those that foreign keys send too. */
import { isOnCluster, type TestDatabase } from './database.ts'

export interface Changes {
  readonly name: string
  /** The most rows that one statement has changed. */
  readonly most: number
}

type Reading = () => Promise<Changes[] | undefined>

/**
 * Counts from now on the rows that are deleted from some tables. On a cluster, a trigger of a shard cannot write into another table.
 *
 * @returns what reads the counts, by the names of the tables; on a cluster undefined
 */
export function countDeletions(postgres: Pick<TestDatabase, 'query'>, ...tables: readonly string[]): Promise<Reading> {
  return count(postgres, 'delete', tables)
}

/** The same for rows that are updated. */
export function countUpdates(postgres: Pick<TestDatabase, 'query'>, ...tables: readonly string[]): Promise<Reading> {
  return count(postgres, 'update', tables)
}

async function count(
  { query }: Pick<TestDatabase, 'query'>,
  event: 'delete' | 'update',
  tables: readonly string[],
): Promise<Reading> {
  if (isOnCluster) return async () => undefined
  const schema = `counted_${event}s`
  await query(`create schema ${schema}`)
  await query(`create table ${schema}.changes (name text, rows integer)`)
  await query(`
    create function ${schema}.note() returns trigger language plpgsql security definer as $$ begin
      insert into ${schema}.changes select tg_table_name, count(*) from before having count(*) > 0;
      return null;
    end $$`)
  for (const table of tables)
    await query(`
      create trigger note_${event} after ${event} on ${table} referencing old table as before
      for each statement execute function ${schema}.note()`)
  return () => query(`select name, max(rows) as most from ${schema}.changes group by name order by name`)
}
