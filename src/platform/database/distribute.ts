/**
 * The work of `guildhall distribute`: puts the tables of an installation onto a Citus cluster, once.
 *
 * Invariant: each step is one transaction, and finds out for itself whether it is done. So the command can be interrupted at any moment, and
 * goes on when it runs again. The foreign keys that are off meanwhile are noted in a table, and no service starts as long as it is there.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import {
  checkPropagation,
  distribute,
  findDistribution,
  firstTable,
  referenceTables,
  select,
  unfinishedTable,
} from './distribution.ts'
import { checkSchemaVersion, lockMigrations, pause } from './migrate.ts'
import { checkServer, connect, SchemaError } from './requirements.ts'

interface Step {
  /** What it does, for people. */
  readonly says: string
  run(): Promise<unknown>
}

interface Options {
  /** Whether only to show what would be done. */
  readonly isDry?: boolean
  readonly isPooled?: boolean
  readonly say?: (line: string) => void
}

/**
 * @param url connection URL of the coordinator
 * @throws SchemaError if something is missing; what was done before stays done
 */
export async function distributeDatabase(
  url: string,
  { isDry = false, isPooled = false, say = () => {} }: Options = {},
): Promise<void> {
  const client = await connect(url, isPooled)
  try {
    await checkServer(client)
    await checkSchemaVersion(client)
    const nodes = await checkCluster(client)
    const steps = await planSteps(client)
    if (steps.length === 0) return say('Everything is distributed.')
    say(
      `Each table that is distributed gets ${await countShards(client)} shards (citus.shard_count), on ${nodes.join(', ')}. ` +
        'The tables of the queue, migrations and rates stay on the coordinator.',
    )
    const others = await countOthers(client)
    if (others > 0 && !isDry) throw new SchemaError(stopFirst(others))
    if (isDry) say(`This plan changes nothing.${others > 0 ? ` For the change: ${stopFirst(others)}` : ''}`)
    for (const [place, step] of steps.entries()) {
      say(`${place + 1} of ${steps.length}: ${step.says}`)
      if (!isDry) await inStep(client, step, { isFirst: place === 0 })
    }
    if (!isDry) say('Everything is distributed. Start the service.')
  } finally {
    await client.end()
  }
}

/** Checks what the cluster and the schema need before anything changes. @returns the nodes that take shards */
async function checkCluster(client: pg.Client): Promise<string[]> {
  if (!(await findDistribution(client)))
    throw new SchemaError(
      `The database "${client.database}" has no extension citus. Run on each node, as a superuser: create extension citus;`,
    )
  await checkPropagation(client)
  const nodes = await select<{ name: string; takes_shards: boolean; is_coordinator: boolean; is_active: boolean }>(
    client,
    `select nodename || ':' || nodeport as name, shouldhaveshards as takes_shards, groupid = 0 as is_coordinator, isactive as is_active
     from pg_dist_node
     where noderole = 'primary'
     order by groupid`,
  )
  if (!nodes.some(({ is_coordinator }) => is_coordinator))
    throw new SchemaError(
      `The coordinator does not know its own address. Run, as a superuser: select citus_set_coordinator_host('<host>', ${client.port});`,
    )
  const takers = nodes.filter(({ takes_shards, is_active }) => takes_shards && is_active)
  if (takers.length === 0)
    throw new SchemaError("The cluster has no worker. Run, as a superuser: select citus_add_node('<host>', 5432);")
  for (const fault of await findFaultyNodes(client)) throw new SchemaError(fault)
  const refused = await select<{ name: string }>(
    client,
    `select conname as name from pg_constraint
     where contype = 'f' and connamespace = current_schema()::regnamespace and confdeltype in ('n', 'd')`,
  )
  if (refused.length > 0)
    throw new SchemaError(
      `Citus takes no foreign keys with "on delete set null", such as: ${refused.map(({ name }) => name).join(', ')}.`,
    )
  return takers.map(({ name }) => name)
}

/** @returns how many shards a table gets: as many as those that are distributed, as its rows lie where theirs do */
async function countShards(client: pg.Client): Promise<number | undefined> {
  const [shards] = await select<{ count: number }>(
    client,
    `select coalesce(
       (select c.shardcount from pg_dist_colocation c join pg_dist_partition d using (colocationid)
        where d.logicalrelid = to_regclass($1) and d.partmethod = 'h'),
       current_setting('citus.shard_count')::integer) as count`,
    [firstTable],
  )
  return shards?.count
}

/** @returns how many connections services and other commands have */
async function countOthers(client: pg.Client): Promise<number> {
  const [others] = await select<{ count: number }>(
    client,
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and application_name like 'guildhall%' and pid <> pg_backend_pid()`,
  )
  return others?.count ?? 0
}

function stopFirst(connections: number): string {
  return `Stop every service and command first. Their connections to the database: ${connections}.`
}

/** @returns a sentence for each fault: a worker that does not answer, or whose role would see through the wall or write other times */
export async function findFaultyNodes(client: pg.Client): Promise<string[]> {
  const answers = await select<{ name: string; isAnswer: boolean; text: string }>(
    client,
    `select nodename || ':' || nodeport as name, success as "isAnswer", result as text from run_command_on_workers($$
       select json_build_object('zone', current_setting('timezone'), 'faults', concat_ws(', ',
         case when rolsuper then 'is a superuser' end, case when rolbypassrls then 'bypasses row security' end,
         case when not has_schema_privilege('public', 'create') then 'may not create tables' end,
         case when current_setting('lc_messages') !~* '^(c|posix|en)?([_.]|$)' then 'gets no English messages (lc_messages)' end))
       from pg_roles where rolname = current_user $$)`,
  )
  return answers.flatMap(({ name, isAnswer, text }) => {
    if (!isAnswer)
      return [
        `The worker ${name} does not answer: ${text}. It is down, or the role of the service may not sign in there from the ` +
          'coordinator (pg_dist_authinfo, .pgpass, pg_hba.conf).',
      ]
    const { zone, faults } = JSON.parse(text) as { zone: string; faults: string } // as the statement builds it
    const role = `On the worker ${name}, the role of the service`
    return [
      ...(faults === '' ? [] : [`${role} ${faults}. Make it as on the coordinator.`]),
      ...(/^(Etc\/)?UTC$/.test(zone)
        ? []
        : [`${role} has the time zone ${zone}. Run on each node: alter role ${client.user} set timezone = 'UTC';`]),
    ]
  })
}

/** @returns what is left to do, in its order */
async function planSteps(client: pg.Client): Promise<Step[]> {
  const found = await findDistribution(client)
  const missing = found?.missing ?? []
  if (missing.length === 0 && !found?.isUnfinished) return []
  const sizes = await select<{ name: string; size: string }>(
    client,
    `select c.relname as name, pg_size_pretty(pg_total_relation_size(c.oid)) as size
     from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)`,
    [missing],
  )
  const sizeOf = (table: string) => sizes.find(({ name }) => name === table)?.size
  const isUnfinished = found?.isUnfinished ?? false
  const foreignKeys = isUnfinished
    ? await select<ForeignKey>(client, notedKeys)
    : await select<ForeignKey>(client, keysAmong, [missing])
  return [
    ...(isUnfinished || foreignKeys.length === 0
      ? []
      : [{ says: `take off foreign keys (${foreignKeys.length})`, run: () => takeOff(client, foreignKeys, missing) }]),
    ...missing.map((table) =>
      referenceTables.includes(table)
        ? { says: `copy ${table} to every node (${sizeOf(table)})`, run: () => refer(client, table) }
        : { says: `distribute ${table} by tenant_id (${sizeOf(table)})`, run: () => distributeTable(client, table) },
    ),
    ...foreignKeys.map((key) => ({
      says: `put on the foreign key ${key.name} of ${key.table}`,
      run: () => putOn(client, key),
    })),
    { says: 'count what is on the nodes, for the planner', run: () => finish(client) },
  ]
}

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

/** The foreign keys from one of these tables to another. Those to a table that is distributed stay on. */
const keysAmong = `
  select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where contype = 'f' and conparentid = 0 and conrelid::regclass::text = any($1) and confrelid::regclass::text = any($1)
  order by 1, 2`
const notedKeys = `select "table", name, definition from ${unfinishedTable} order by 1, 2`

/** Citus distributes no table that others refer to from a single server. */
async function takeOff(client: pg.Client, keys: readonly ForeignKey[], tables: readonly string[]): Promise<void> {
  await client.query(
    `create table ${unfinishedTable} ("table" text, name text, definition text, primary key ("table", name))`,
  )
  const ofTenants = tables.filter((table) => !referenceTables.includes(table))
  await pastWall(client, ofTenants, async () => {
    for (const { table, name, definition } of keys) {
      await client.query(`insert into unfinished_distribution ("table", name, definition) values ($1, $2, $3)`, [
        table,
        name,
        definition,
      ])
      await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`)
    }
  })
}

/**
 * Lets the owner see all rows of tables meanwhile: Citus copies them as the owner, and would silently lose those that the wall hides. It
 * copies to the shards, and also when a foreign key is taken off a table that it knew for its way to `tenants`.
 */
async function pastWall(client: pg.Client, tables: readonly string[], work: () => Promise<unknown>): Promise<void> {
  for (const table of tables) await client.query(`alter table ${table} no force row level security`)
  await work()
  for (const table of tables) await client.query(`alter table ${table} force row level security`)
}

async function putOn(client: pg.Client, { table, name, definition }: ForeignKey): Promise<void> {
  await client.query(`alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`)
  await client.query(`delete from ${unfinishedTable} where "table" = $1 and name = $2`, [table, name])
}

async function refer(client: pg.Client, table: string): Promise<void> {
  await client.query(`select create_reference_table('${table}')`)
  await client.query(`select truncate_local_data_after_distributing_table('${table}')`)
}

async function distributeTable(client: pg.Client, table: string): Promise<void> {
  // Citus would change the shards side by side, and then refuse what touches those of others through a foreign key.
  await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`)
  await pastWall(client, [table], () => client.query(distribute(table)))
  await client.query(`select truncate_local_data_after_distributing_table('${table}')`)
}

/** Analyzes every table: an earlier run, which was interrupted, may have distributed some. */
async function finish(client: pg.Client): Promise<void> {
  const { distributed = [], references = [] } = (await findDistribution(client)) ?? {}
  for (const table of [...references, ...distributed]) await client.query(`analyze ${table}`)
  await client.query(`drop table if exists ${unfinishedTable}`)
}

async function inStep(client: pg.Client, { says, run }: Step, { isFirst }: { isFirst: boolean }): Promise<void> {
  try {
    // A start of the service that reads its version waits for the first step, and then finds that the distribution is unfinished. Later
    // steps let it read and find that, and keep other migrations away.
    await beginLocked(client, isFirst ? 'access exclusive' : 'share row exclusive')
    // One that began before is connected. Later, only those that are refused connect.
    const others = isFirst ? await countOthers(client) : 0
    if (others > 0) throw new SchemaError(stopFirst(others))
    await run()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {}) // the connection may be what failed
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new SchemaError(
      `This step failed: ${says}. PostgreSQL says: ${error.message}. The steps before it are done; run the command again to go on.`,
    )
  }
}

/** Begins a transaction that has locked the table `migrations`. As in a migration, it waits for that outside of a transaction. */
async function beginLocked(client: pg.Client, mode: 'share row exclusive' | 'access exclusive'): Promise<void> {
  for (;;) {
    await client.query('begin')
    if (await lockMigrations(client, mode)) return
    await client.query('rollback')
    await setTimeout(pause)
  }
}
