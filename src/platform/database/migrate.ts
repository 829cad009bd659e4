/**
 * Migrations: brings the schema to what the code expects, forward only, while older code may serve on it.
 *
 * A migration says in a line `-- needs 0016` from which version on code can serve on the schema that it makes; without one, the code
 * from before can. Older code then starts, too, and leaves the schema as it is.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { checkServer, checkWall, connect, makingOne, SchemaError } from './requirements.ts'

export const migrationsFolder = join(import.meta.dirname, '../../../migrations')

/** How often a migration asks for its locks, each time for half a second, with a second in between. */
const attempts = 7

interface Migration {
  readonly version: number
  readonly name: string
  readonly text: string
  /** The version that code must know at least to serve on what this one makes; 0 for any. */
  readonly needs: number
}

/**
 * Applies what is missing, each migration in a transaction of its own, but for those that build an index concurrently.
 *
 * @param url PostgreSQL connection URL
 * @param options.folder the migrations, if they are not those of this code
 * @param options.upTo   the last version that is made, if it is not the newest
 * @param options.isPooled as of `Database`
 * @returns the names of the migrations that were applied
 * @throws SchemaError for a server that is unreachable or too old, a role that could pass the wall, a schema that needs newer code, a
 *   table that is in use for too long
 */
export async function migrate(
  url: string,
  {
    folder = migrationsFolder,
    upTo = Number.POSITIVE_INFINITY,
    isPooled = false,
  }: { folder?: string; upTo?: number; isPooled?: boolean } = {},
): Promise<string[]> {
  const open = () => connect(url, isPooled)
  const client = await open()
  try {
    await checkServer(client)
    await makeList(client)
    const known = (await readMigrations(folder)).filter(({ version }) => version <= upTo)
    const applied: string[] = []
    for (const migration of known) {
      if (await apply(client, open, migration, known.length)) applied.push(migration.name)
    }
    await checkWall(client, (await versionOf(client, known.length)) > known.length)
    return applied
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new SchemaError(`PostgreSQL refuses what the service needs: ${error.message}.`)
  } finally {
    await client.end()
  }
}

/**
 * Changes nothing: for those who work on what the service has made.
 *
 * @param url PostgreSQL connection URL
 * @param isPooled as of `Database`
 * @throws SchemaError for a schema that this code cannot work on, and as `migrate` does
 */
export async function checkSchema(url: string, isPooled = false): Promise<void> {
  const client = await connect(url, isPooled)
  try {
    await checkServer(client)
    const { length: wanted } = await readMigrations(migrationsFolder)
    const { rows } = await client.query(`select from pg_class where oid = to_regclass('migrations')`)
    const version = rows.length > 0 ? await versionOf(client, wanted) : 0
    if (version < wanted) {
      throw new SchemaError(
        version === 0
          ? 'The database has no schema yet: "guildhall migrate" or the start of the service makes it.'
          : `The schema is at version ${version}, older than this code (${wanted}). Make a backup, then start the service or run "guildhall migrate".`,
      )
    }
    await checkWall(client, version > wanted)
  } finally {
    await client.end()
  }
}

/** The list of what was applied. @throws SchemaError where the role may make no tables */
async function makeList(client: pg.Client): Promise<void> {
  try {
    await client.query(`
      create table if not exists migrations (
        version integer primary key,
        name text not null,
        needs integer not null default 0,
        applied_at timestamptz(3) not null default now()
      );
      alter table migrations add column if not exists needs integer not null default 0`)
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined
    // Another process that starts at the same time has made it: `if not exists` asks before it makes.
    if (code === '23505' || code === '42710' || code === '42P07') return makeList(client)
    if (code !== '42501' && code !== '3F000') throw error
    throw new SchemaError(
      `The database "${client.database}" does not belong to the role "${client.user}", which may make no tables in it. ${makingOne}`,
    )
  }
}

/** @throws SchemaError for a schema on which code that knows so many migrations cannot serve */
async function versionOf(client: pg.Client, known: number): Promise<number> {
  // By way of JSON, because a list that older code has made has no such column.
  const { rows } = await client.query<{ version: number; needs: number }>(`
    select coalesce(max(version), 0) as version, coalesce(max((to_jsonb(m) ->> 'needs')::integer), 0) as needs
    from migrations m`)
  const [{ version, needs } = { version: 0, needs: 0 }] = rows
  if (needs <= known) return version
  throw new SchemaError(
    `The schema is at version ${version}, newer than this code (${known}), and needs code of version ${needs} or later. ` +
      'Start the newer Guildhall.',
  )
}

/**
 * @returns whether it was missing
 * @throws SchemaError when somebody else holds what the migration must change
 */
async function apply(
  client: pg.Client,
  open: () => Promise<pg.Client>,
  migration: Migration,
  known: number,
): Promise<boolean> {
  const { version, name, text, needs } = migration
  for (let attempt = 1; ; attempt++) {
    await client.query('begin')
    try {
      // Another process that starts at the same time waits here, and then finds the migration applied.
      await client.query('lock table migrations in access exclusive mode')
      const isMissing = (await versionOf(client, known)) < version
      if (isMissing) {
        if (isConcurrent(text)) await applyConcurrently(open, text)
        else {
          // Who waits for a lock holds up everybody behind: for less time than a request waits for a connection, and than PostgreSQL
          // lets pass before it looks for deadlocks.
          await client.query(`set local lock_timeout = '500ms'`)
          await client.query(text)
        }
        await client.query('insert into migrations (version, name, needs) values ($1, $2, $3)', [version, name, needs])
      }
      await client.query('commit')
      return isMissing
    } catch (error) {
      await client.query('rollback').catch(() => {}) // the connection may be what failed
      const isInTheWay = error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? '')
      if (!isInTheWay) throw error
      if (attempt < attempts) {
        await setTimeout(1_000) // lets those pass who waited behind
        continue
      }
      throw new SchemaError(
        `The migration ${name} was not applied: for ten seconds other transactions have held a lock on a table that it changes. ` +
          'Wait until they have ended (pg_stat_activity shows them), then start again.',
      )
    }
  }
}

function isConcurrent(text: string): boolean {
  return /^(create( unique)?|drop) index concurrently /m.test(text)
}

/** Statement by statement, outside of any transaction. It holds nobody up, and waits for those before it as long as they take. */
async function applyConcurrently(open: () => Promise<pg.Client>, text: string): Promise<void> {
  const client = await open()
  try {
    for (const statement of text.split(/;\s*\n/)) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, index) => {
      if (Number(name.slice(0, 4)) !== index + 1)
        throw new Error(`Migrations are numbered without a gap; ${name} is not.`)
      const text = await readFile(join(folder, name), 'utf8')
      const [, needs = '0'] = /^-- needs (\d{4})\b/m.exec(text) ?? []
      return { version: index + 1, name, text, needs: Number(needs) }
    }),
  )
}
