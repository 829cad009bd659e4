/**
 * Migrations: brings the schema to what the code expects, forward only, and refuses what it must not serve on.
 */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** The database cannot be served on; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

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
    await client.query(`
      create table if not exists migrations (
        version integer primary key,
        name text not null,
        applied_at timestamptz(3) not null default now()
      )`)
    const known = await readMigrations()
    const applied: string[] = []
    for (const { version, name } of known) {
      await client.query('begin')
      // Another process that starts at the same time waits here, and then finds the migration applied.
      await client.query('lock table migrations in access exclusive mode')
      const { rows } = await client.query<{ version: number }>('select version from migrations')
      const newest = Math.max(0, ...rows.map((row) => row.version))
      if (newest > known.length) {
        throw new SchemaError(
          `The schema is at version ${newest}, newer than this code (${known.length}). Start the newer Guildhall.`,
        )
      }
      if (!rows.some((row) => row.version === version)) {
        await apply(client, name)
        await client.query('insert into migrations (version, name) values ($1, $2)', [version, name])
        applied.push(name)
      }
      await client.query('commit')
    }
    await checkWall(client)
    return applied
  } finally {
    await client.end()
  }
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
  })
  client.on('error', () => {}) // a query that fails says so itself
  try {
    await client.connect()
    return client
  } catch (error) {
    const { host, port, database, user } = client
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
    readonly: boolean
  }>(`
    select current_setting('server_version_num')::integer / 10000 as version, rolname as name,
      current_setting('server_encoding') as encoding,
      rolsuper as super, rolbypassrls as bypass, pg_is_in_recovery() as readonly
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
        'Make a role of its own: create role guildhall login nosuperuser nobypassrls password …; create database guildhall owner guildhall;',
    )
  }
  if (server.readonly) throw new SchemaError('This PostgreSQL is a standby; give the URL of the primary.')
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
