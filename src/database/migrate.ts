/**
 * Migrations: brings the schema to what the code expects, forward only, and refuses what it must not serve on.
 */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { sessionOptions } from './database.ts'

/** The database cannot be served on; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/** What makes a database that can be served on. */
const makingOne =
  "Make a role and a database of its own: create role guildhall login password '…'; create database guildhall owner guildhall encoding 'UTF8' template template0;"

const folder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Tables that belong to no tenant. Every other one must be behind the wall. */
const globalTables = ['migrations', 'tenants', 'tenant_domains', 'rates']

/**
 * Applies what is missing, each migration in a transaction of its own.
 *
 * @param url PostgreSQL connection URL
 * @returns the names of the migrations that were applied
 * @throws SchemaError for a server that is unreachable or too old, a role that could pass the wall, a schema newer than the code, a
 *   table that is in use for too long
 */
export async function migrate(url: string): Promise<string[]> {
  const client = await connect(url)
  try {
    await checkServer(client)
    await makeList(client)
    const known = await readMigrations()
    const applied: string[] = []
    for (const { version, name } of known) {
      await client.query('begin')
      // Another process that starts at the same time waits here, and then finds the migration applied.
      await client.query('lock table migrations in access exclusive mode')
      if ((await versionOf(client, known.length)) < version) {
        await apply(client, name)
        await client.query('insert into migrations (version, name) values ($1, $2)', [version, name])
        applied.push(name)
      }
      await client.query('commit')
    }
    await checkWall(client)
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
 * @throws SchemaError for a schema that is not the one of this code, and as `migrate` does
 */
export async function checkSchema(url: string): Promise<void> {
  const client = await connect(url)
  try {
    await checkServer(client)
    const { length: wanted } = await readMigrations()
    const { rows } = await client.query(`select from pg_class where oid = to_regclass('migrations')`)
    const version = rows.length > 0 ? await versionOf(client, wanted) : 0
    if (version < wanted) {
      throw new SchemaError(
        version === 0
          ? 'The database has no schema yet: "guildhall migrate" or the start of the service makes it.'
          : `The schema is at version ${version}, older than this code (${wanted}). Make a backup, then start the service or run "guildhall migrate".`,
      )
    }
    await checkWall(client)
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
        applied_at timestamptz(3) not null default now()
      )`)
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

/** @throws SchemaError for a schema that is newer than the code */
async function versionOf(client: pg.Client, known: number): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from migrations',
  )
  const [{ version } = { version: 0 }] = rows
  if (version <= known) return version
  throw new SchemaError(
    `The schema is at version ${version}, newer than this code (${known}). Start the newer Guildhall.`,
  )
}

/** @throws SchemaError when somebody else holds what the migration must change */
async function apply(client: pg.Client, name: string): Promise<void> {
  try {
    // Who waits for a lock holds up everybody behind; better no migration than no service.
    await client.query(`set local lock_timeout = '10s'`)
    await client.query(await readFile(`${folder}/${name}`, 'utf8'))
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '55P03') throw error
    throw new SchemaError(
      `The migration ${name} was not applied: for ten seconds another transaction has held a lock on a table that it changes. ` +
        'Wait until that transaction has ended (pg_stat_activity shows it), then start again.',
    )
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'guildhall migrate',
    options: sessionOptions,
  })
  client.on('error', () => {}) // a query that fails says so itself
  try {
    await client.connect()
    return client
  } catch (error) {
    const { host, port, database, user } = client
    const code = error instanceof pg.DatabaseError ? error.code : undefined
    const place = `PostgreSQL at ${host}:${port}`
    if (code === '3D000') throw new SchemaError(`${place} has no database "${database}". ${makingOne}`)
    if (code === '28P01' || code === '28000')
      throw new SchemaError(
        `${place} does not let the user "${user}" into the database "${database}" with this password.`,
      )
    const reason = error instanceof Error ? error.message || ('code' in error ? String(error.code) : '') : ''
    throw new SchemaError(
      `PostgreSQL cannot be reached at ${host}:${port} (database ${database}, user ${user}): ${reason}`,
    )
  }
}

/** @throws SchemaError */
async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{
    version: number
    name: string
    super: boolean
    bypass: boolean
    encoding: string
    standby: boolean
    readonly: boolean
  }>(`
    select current_setting('server_version_num')::integer / 10000 as version, rolname as name,
      current_setting('server_encoding') as encoding,
      rolsuper as super, rolbypassrls as bypass, pg_is_in_recovery() as standby,
      current_setting('default_transaction_read_only')::boolean as readonly
    from pg_roles
    where rolname = current_user`)
  const [server] = rows
  if (!server) throw new SchemaError('The role that serves cannot be found in pg_roles.')
  if (server.encoding !== 'UTF8')
    throw new SchemaError(`The database must be in UTF8; this one is in ${server.encoding}.`)
  if (server.version < 15) throw new SchemaError(`PostgreSQL 15 or newer is needed; this one is ${server.version}.`)
  if (server.super || server.bypass) {
    throw new SchemaError(
      `The role "${server.name}" ${server.super ? 'is a superuser' : 'bypasses row security'}, so the wall between tenants would not hold. ` +
        makingOne,
    )
  }
  if (server.standby) throw new SchemaError('This PostgreSQL is a standby; give the URL of the primary.')
  if (server.readonly)
    throw new SchemaError(
      'Nothing can be written there: PostgreSQL has default_transaction_read_only on for this role.',
    )
}

async function readMigrations(): Promise<{ version: number; name: string }[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort()
  return names.map((name, index) => {
    if (Number(name.slice(0, 4)) !== index + 1)
      throw new Error(`Migrations are numbered without a gap; ${name} is not.`)
    return { version: index + 1, name }
  })
}

/**
 * Every table that is no global one must force row security for the role that serves, by the one policy and no other.
 *
 * @throws SchemaError
 */
export async function checkWall(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name
     from pg_class c
     where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and c.relname <> all($1)
       and not (c.relrowsecurity and c.relforcerowsecurity and row_security_active(c.oid)
         and (select count(*) = 1 and bool_and(p.polpermissive and p.polcmd = '*' and p.polwithcheck is null
             and pg_get_expr(p.polqual, p.polrelid)
               = '(tenant_id = (NULLIF(current_setting(''guildhall.tenant''::text, true), ''''::text))::uuid)')
           from pg_policy p where p.polrelid = c.oid))`,
    [globalTables],
  )
  if (rows.length > 0) {
    throw new SchemaError(
      `The wall between tenants is missing on: ${rows.map(({ name }) => name).join(', ')}. The service does not start without it.`,
    )
  }
}
