/**
 * Distribution: how the tables lie on the nodes of a Citus cluster. Those of tenants are distributed by `tenant_id`, so that the rows of a
 * tenant are on one node; those that they refer to and that belong to no tenant are on every node; the others are on the coordinator.
 */
import type pg from 'pg'
import statement from 'sql-template-tag'
import { SchemaError } from './requirements.ts'

/** The tables without a tenant to which those of tenants refer. */
export const referenceTables = ['tenants', 'tenant_domains']
/** The table whose rows lie where those of all other tables do. */
export const firstTable = 'users'
/** Keeps the foreign keys while a distribution is unfinished. */
export const unfinishedTable = 'unfinished_distribution'

/** Whether the database has Citus. */
export const hasCitus = statement`to_regclass('pg_catalog.pg_dist_partition') is not null`

interface Distribution {
  /** By `tenant_id`. */
  readonly distributed: readonly string[]
  /** On every node. */
  readonly references: readonly string[]
  /** Of tenants, or referred to by them, and not where they should be. */
  readonly missing: readonly string[]
  readonly isUnfinished: boolean
}

/** @returns how the tables lie; undefined if the database has no Citus */
export async function findDistribution(client: pg.Client): Promise<Distribution | undefined> {
  const [about] = await select<{ has_citus: boolean; is_unfinished: boolean }>(
    client,
    `select ${hasCitus.text} as has_citus, to_regclass($1) is not null as is_unfinished`,
    [unfinishedTable],
  )
  if (!about?.has_citus) return undefined
  const tables = await select<{ name: string; is_reference: boolean; place: string | null }>(
    client,
    `select c.relname as name, c.relname = any($1) as is_reference,
       case when d.repmodel = 't' then 'reference' when d.partmethod = 'h'
         and column_to_column_name(d.logicalrelid, d.partkey) = 'tenant_id'
         and d.colocationid = (select f.colocationid from pg_dist_partition f where f.logicalrelid = to_regclass($2)) then 'tenant' end as place
     from pg_class c
     left join pg_dist_partition d on d.logicalrelid = c.oid
     where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' or c.relname = any($1))
     order by c.relname <> all($1), c.relname <> $2, c.relname`,
    [referenceTables, firstTable],
  )
  const namesAt = (wanted: string | null) => tables.filter(({ place }) => place === wanted).map(({ name }) => name)
  const isWrong = ({ place, is_reference }: (typeof tables)[number]) =>
    place !== (is_reference ? 'reference' : 'tenant')
  return {
    distributed: namesAt('tenant'),
    references: namesAt('reference'),
    missing: tables.filter(isWrong).map(({ name }) => name),
    isUnfinished: about.is_unfinished,
  }
}

/**
 * Checks what a service needs to serve on a cluster.
 *
 * @returns whether tables are distributed
 * @throws SchemaError if their distribution is unfinished, or if the shards do not learn which tenant a transaction names
 */
export async function checkDistribution(client: pg.Client): Promise<boolean> {
  const found = await findDistribution(client)
  if (found?.isUnfinished)
    throw new SchemaError('The database is only partly distributed. Run "guildhall distribute" again, which goes on.')
  if (!found || found.distributed.length === 0) return false
  await checkPropagation(client)
  return true
}

/**
 * Checks that a distributed installation has every table where it should be: of one that is missing, statements with others are refused.
 *
 * @throws SchemaError with the tables that are not
 */
export async function checkPlaces(client: pg.Client): Promise<void> {
  const { distributed, missing } = (await findDistribution(client)) ?? { distributed: [], missing: [] }
  if (distributed.length > 0 && missing.length > 0)
    throw new SchemaError(`These tables are not distributed: ${missing.join(', ')}. Run "guildhall distribute".`)
}

/** @throws SchemaError if `set local` does not reach the shards: the wall would show no rows */
export async function checkPropagation(client: pg.Client): Promise<void> {
  const [role] = await select<{ name: string; value: string }>(
    client,
    `select current_user as name, current_setting('citus.propagate_set_commands', true) as value`,
  )
  if (role?.value !== 'local')
    throw new SchemaError(
      `The shards do not learn which tenant a transaction names. Run: alter role ${role?.name} set citus.propagate_set_commands = 'local';`,
    )
}

/**
 * Runs a migration in a database whose tables are distributed, statement by statement: of several in one text, Citus hands on all with each.
 * A new table of tenants is distributed at once. Until then only the coordinator knows it, because Citus refuses foreign keys from a table
 * that is not distributed.
 */
export async function runDistributed(client: pg.Client, text: string): Promise<void> {
  const set = (name: string, value: string) => client.query('select set_config($1, $2, true)', [`citus.${name}`, value])
  // Citus changes the shards of a table side by side, and then refuses what touches them through a foreign key.
  await set('multi_shard_modify_mode', 'sequential')
  for (const statement of statementsOf(text)) {
    const [, table] = /^create table (\w+) \(.*\btenant_id\b/s.exec(statement) ?? []
    if (table) await set('enable_ddl_propagation', 'off')
    await client.query(statement)
    if (!table) continue
    await set('enable_ddl_propagation', 'on')
    await client.query(distribute(table))
  }
}

/** @returns the statements of a migration, each of which ends with its line, without the lines that only comment */
export function statementsOf(text: string): string[] {
  const statements = text.replace(/^\s*--.*\n/gm, '').split(/;[ \t]*(?:--.*)?\n/)
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

/** @returns the statement that distributes a table of tenants */
export function distribute(table: string): string {
  const place = table === firstTable ? 'none' : firstTable
  return `select create_distributed_table('${table}', 'tenant_id', colocate_with => '${place}')`
}

export async function select<Row extends object>(
  client: pg.Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await client.query<Row & pg.QueryResultRow>(text, [...values])).rows
}
