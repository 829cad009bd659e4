/**
 * Migrations: bring the schema to the version of the code, forward only, while older code may serve on it.
 *
 * A line `-- needs 0016` in a migration names the oldest version of the code that can serve on the new schema. Without it, any older code
 * can serve on it: it starts and leaves the schema unchanged.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { checkDistribution, checkPlaces, runDistributed, statementsOf } from './distribution.ts'
import {
  checkServer,
  checkWall,
  connect,
  connectUntil,
  howToCreate,
  liftTimeouts,
  SchemaError,
} from './requirements.ts'

export const migrationsFolder = join(import.meta.dirname, '../../../migrations')

/** How often a migration tries to lock its tables, with a pause of a second. */
const usualAttempts = 7
/** How long each time. */
const lockTimeout = '500ms'
/** How long a process pauses, in milliseconds, before it looks again whether another one still migrates. */
export const pause = 250
/** After how many pauses it says so: a few seconds. */
const pausesInSilence = 12

interface Migration {
  readonly version: number
  readonly name: string
  readonly text: string
  /** The oldest version of the code that can serve after it; 0 for any. */
  readonly needs: number
}

/**
 * Applies the missing migrations, each in its own transaction, except those that build an index concurrently.
 *
 * @param url PostgreSQL connection URL
 * @param options.folder   the folder of the migrations; by default those of this code
 * @param options.upTo     the last version to apply; by default the newest
 * @param options.isPooled as of `Database`
 * @param options.attempts how often it tries to lock a table
 * @param options.signal   ends what it waits for or does when it is aborted
 * @param options.onWait   called once if it has waited for a few seconds for another process that migrates
 * @returns the names of the applied migrations
 * @throws SchemaError when the server is unreachable or too old, the role bypasses the wall, the schema needs newer code, or a table stays
 *   locked for too long; the reason of the signal
 */
export async function migrate(
  url: string,
  {
    folder = migrationsFolder,
    upTo = Number.POSITIVE_INFINITY,
    isPooled = false,
    attempts = usualAttempts,
    signal,
    onWait = () => {},
  }: {
    folder?: string
    upTo?: number
    isPooled?: boolean
    attempts?: number
    signal?: AbortSignal | undefined
    onWait?: () => void
  } = {},
): Promise<string[]> {
  const client = await connectUntil(signal, url, isPooled)
  try {
    await checkServer(client)
    await createMigrationsTable(client, attempts)
    const known = (await readMigrations(folder)).filter(({ version }) => version <= upTo)
    const version = await readVersion(client, known.length, attempts)
    const isDistributed = await checkDistribution(client)
    const applied: string[] = []
    const about = { url, isPooled, known: known.length, isDistributed, attempts, signal, onPause: afterPauses(onWait) }
    for (const migration of known.filter((each) => each.version > version)) {
      if (await apply(client, migration, about)) applied.push(migration.name)
    }
    await checkWall(client, (await readVersion(client, known.length, attempts)) > known.length)
    await checkPlaces(client)
    return applied
  } catch (error) {
    signal?.throwIfAborted() // this is why it failed
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new SchemaError(`PostgreSQL refused a statement of the migration: ${error.message}.`)
  } finally {
    await client.end()
  }
}

/** @returns what is called after each pause; it calls `onWait` once, after `pausesInSilence` */
function afterPauses(onWait: () => void): () => void {
  let pauses = 0
  return () => {
    if (++pauses === pausesInSilence) onWait()
  }
}

/**
 * Checks the schema without changing it, for commands that work on existing data.
 *
 * @param url PostgreSQL connection URL
 * @param isPooled as of `Database`
 * @throws SchemaError when this code cannot work on the schema, and as `migrate` does
 */
export async function checkSchema(url: string, isPooled = false): Promise<void> {
  const client = await connect(url, isPooled)
  try {
    await checkServer(client)
    await checkSchemaVersion(client)
    await checkDistribution(client)
    await checkPlaces(client)
  } finally {
    await client.end()
  }
}

/** @throws SchemaError when this code cannot work on the schema */
export async function checkSchemaVersion(client: pg.Client): Promise<void> {
  const { length: wanted } = await readMigrations(migrationsFolder)
  const { rows } = await client.query(`select from pg_class where oid = to_regclass('migrations')`)
  const version = rows.length > 0 ? await readVersion(client, wanted) : 0
  if (version < wanted) {
    throw new SchemaError(
      version === 0
        ? 'The database has no schema yet. Run "guildhall migrate" or start the service to create it.'
        : `The schema is at version ${version}, older than this code (${wanted}). Make a backup, then start the service or run "guildhall migrate". If one of them runs, wait until it has ended.`,
    )
  }
  await checkWall(client, version > wanted)
}

/**
 * Creates the table `migrations`, or its newer column, if it is missing: `alter table` locks out all readers even if there is nothing to do.
 *
 * @throws SchemaError when the role may not create tables, or the table stays locked for too long
 */
async function createMigrationsTable(client: pg.Client, attempts: number): Promise<void> {
  const { rows } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('migrations') and attname = 'needs' and not attisdropped`,
  )
  if (rows.length > 0) return
  try {
    await withLocks(client, 'The table "migrations" was not prepared', attempts, () =>
      client.query(`
        create table if not exists migrations (
          version integer primary key,
          name text not null,
          needs integer not null default 0,
          applied_at timestamptz(3) not null default now()
        );
        alter table migrations add column if not exists needs integer not null default 0`),
    )
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined
    // Another process has created it at the same moment: `if not exists` does not lock.
    if (code === '23505' || code === '42710' || code === '42P07') return createMigrationsTable(client, attempts)
    if (code !== '42501' && code !== '3F000') throw error
    throw new SchemaError(
      `The database "${client.database}" does not belong to the role "${client.user}", which may not create tables in it. ${howToCreate}`,
    )
  }
}

/** As `versionOf`. @throws SchemaError also when the table `migrations` stays locked for too long */
async function readVersion(client: pg.Client, known: number, attempts = usualAttempts): Promise<number> {
  return withLocks(client, 'The version of the schema was not read', attempts, () => versionOf(client, known))
}

/** @param known the number of migrations that this code has @returns the version of the schema @throws SchemaError when it needs newer code */
async function versionOf(client: pg.Client, known: number): Promise<number> {
  // Through JSON, because a table that older code has created may lack the column `needs`.
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
 * Applies a migration if it is missing. While another process migrates, it waits, however long that takes.
 *
 * It waits outside of a transaction: PostgreSQL may keep a snapshot for a statement that waits for a lock, and an index that the other
 * process builds concurrently waits for all older snapshots.
 *
 * @param about.known         the number of migrations that this code has
 * @param about.isDistributed whether its tables are distributed over a cluster
 * @returns whether it was missing
 * @throws SchemaError when other transactions lock its tables for too long
 */
async function apply(
  client: pg.Client,
  { version, name, text, needs }: Migration,
  about: {
    url: string
    isPooled: boolean
    known: number
    isDistributed: boolean
    attempts: number
    signal: AbortSignal | undefined
    onPause: () => void
  },
): Promise<boolean> {
  for (;;) {
    const isApplied = await withLocks(client, `The migration ${name} was not applied`, about.attempts, async () => {
      if ((await versionOf(client, about.known)) >= version) return false
      await liftTimeouts(client, 'local')
      if (!(await lockMigrations(client))) return undefined
      if ((await versionOf(client, about.known)) >= version) return false
      if (isConcurrent(text)) await applyConcurrently(about, text)
      else await (about.isDistributed ? runDistributed(client, text) : client.query(text))
      await client.query('insert into migrations (version, name, needs) values ($1, $2, $3)', [version, name, needs])
      return true
    })
    if (isApplied !== undefined) return isApplied
    await setTimeout(pause, undefined, { signal: about.signal })
    about.onPause()
  }
}

/**
 * Keeps other processes from migrating until the transaction ends. It does not wait: see `apply`.
 *
 * @param mode `share row exclusive` lets readers, such as `pg_dump`, go on
 * @returns false if another process has locked the table; the transaction can then only end
 */
export async function lockMigrations(
  client: pg.Client,
  mode: 'share row exclusive' | 'access exclusive' = 'share row exclusive',
): Promise<boolean> {
  try {
    await client.query(`lock table migrations in ${mode} mode nowait`)
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '55P03') return false
    throw error
  }
}

/**
 * Does work in a transaction that waits for locks half a second at a time, and lets other transactions go first meanwhile.
 *
 * @param undone what was not done if a lock was not to be had, for people
 * @throws SchemaError if a lock was not to be had
 */
async function withLocks<Result>(
  client: pg.Client,
  undone: string,
  attempts: number,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    // The work reads, waits for a lock, and reads again what others have committed meanwhile.
    await client.query('begin isolation level read committed')
    try {
      // While we wait for a lock, later statements on the table wait behind us. Half a second is shorter than a request's timeout for
      // a connection, and shorter than `deadlock_timeout`.
      await client.query(`set local lock_timeout = '${lockTimeout}'`)
      const result = await work()
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch(() => {}) // the connection may be what failed
      const isLocked = error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? '')
      if (!isLocked) throw error
      if (attempt < attempts) {
        await setTimeout(1_000) // the statements that waited behind us can run
        continue
      }
      throw new SchemaError(
        `${undone}: for ten seconds, other transactions have locked a table that it needs. ` +
          'Wait until they end (pg_stat_activity lists them), then start again.',
      )
    }
  }
}

function isConcurrent(text: string): boolean {
  return /^(create( unique)?|drop) index concurrently /m.test(text)
}

/**
 * Runs the statements one by one, outside of a transaction, on a connection of their own. They block no other statement, and wait for older
 * transactions without a timeout.
 */
async function applyConcurrently(
  { url, isPooled, signal }: { url: string; isPooled: boolean; signal: AbortSignal | undefined },
  text: string,
): Promise<void> {
  const client = await connectUntil(signal, url, isPooled)
  try {
    // Behind a pooler, the settings would stay on a connection that others get next.
    if (!isPooled) await liftTimeouts(client, 'session')
    for (const statement of statementsOf(text)) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, index) => {
      if (Number(name.slice(0, 4)) !== index + 1)
        throw new Error(`The numbers of migrations must have no gap: ${name} follows one.`)
      const text = await readFile(join(folder, name), 'utf8')
      const [, needs = '0'] = /^-- needs (\d{4})\b/m.exec(text) ?? []
      return { version: index + 1, name, text, needs: Number(needs) }
    }),
  )
}
