/** Requirements of the database: its server, its role, and the wall between tenants. */
import pg from 'pg'
import { parse } from 'pg-connection-string'
import { type ConnectionParameters, keptAlive, noticeLostClient, sessionOptions } from './pool.ts'

/** The service cannot work with this database. The message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/** A sentence that says how to create a suitable database. */
export const howToCreate =
  "Create a role and a database for it: create role guildhall login password '…'; create database guildhall owner guildhall encoding 'UTF8' template template0;"

/** Tables that belong to no tenant. Every other table must have the wall. */
const globalTables = ['migrations', 'tenants', 'tenant_domains', 'rates', 'unfinished_distribution']

/** What counts of a URL. The driver would take all of its parameters for settings of its own. */
const parameterNames: readonly (keyof ConnectionParameters)[] = [
  'host',
  'port',
  'database',
  'user',
  'password',
  'ssl',
  'sslnegotiation',
  'options',
  'application_name',
]

/**
 * Reads a URL, and the files of certificates that it names: once, as the driver would read them again for each connection, and a service
 * should not lose its database when one of them is replaced.
 *
 * @param url PostgreSQL connection URL
 * @throws SchemaError if the driver cannot use it, or if a file cannot be read
 */
export function readUrl(url: string): ConnectionParameters {
  try {
    const all: Record<string, unknown> = parse(url)
    const entries = parameterNames.filter((name) => name in all).map((name) => [name, all[name]])
    const parameters: ConnectionParameters = Object.fromEntries(entries) // the driver takes what its parser returns
    new pg.Client(parameters) // it checks how TLS begins
    return parameters
  } catch (error) {
    throw new SchemaError(`DATABASE_URL cannot be used: ${error instanceof Error ? error.message : ''}`)
  }
}

/**
 * @param url      PostgreSQL connection URL
 * @param isPooled whether the URL leads to a pooler in transaction mode, which assigns a connection to each transaction
 * @throws SchemaError as `readUrl`, or when the server cannot be reached or refuses the login
 */
export async function connect(url: string, isPooled: boolean): Promise<pg.Client> {
  const client = new pg.Client({
    application_name: 'guildhall migrate',
    ...(!isPooled && { options: sessionOptions }),
    ...readUrl(url),
    connectionTimeoutMillis: 10_000,
    ...keptAlive,
  })
  client.on('error', () => {}) // the query that fails rejects as well
  try {
    await client.connect()
    if (!isPooled) await noticeLostClient(client)
    return client
  } catch (error) {
    void client.end() // the driver leaves it open if it cannot answer the server, which then waits for a minute
    const { host, port, database, user } = client
    const code = error instanceof pg.DatabaseError ? error.code : undefined
    const place = `PostgreSQL at ${host}:${port}`
    if (code === '3D000') throw new SchemaError(`${place} has no database "${database}". ${howToCreate}`)
    const reason = error instanceof Error ? error.message || ('code' in error ? String(error.code) : '') : ''
    // PostgreSQL refuses a missing password by most of its methods; for SCRAM the driver itself does.
    if (!client.password && (code === '28P01' || reason.includes('client password must be')))
      throw new SchemaError(`${place} asks for the password of the user "${user}", but DATABASE_URL has no password.`)
    if (code === '28P01' || code === '28000')
      throw new SchemaError(
        `${place} refuses the login of the user "${user}" to the database "${database}" with this password.`,
      )
    throw new SchemaError(
      `PostgreSQL cannot be reached at ${host}:${port} (database ${database}, user ${user}): ${reason}`,
    )
  }
}

/**
 * Connects until the signal is aborted. Then PostgreSQL ends what the connection does: it would go on with a long statement if only its
 * client were gone.
 *
 * @throws SchemaError as `connect`, or the reason of the signal
 */
export async function connectUntil(
  signal: AbortSignal | undefined,
  url: string,
  isPooled: boolean,
): Promise<pg.Client> {
  const client = await connect(url, isPooled)
  const end = async () => {
    // Behind a pooler, the number is not that of a process of PostgreSQL.
    const other = isPooled ? undefined : await connect(url, isPooled).catch(() => undefined)
    const { processID } = client as pg.Client & { readonly processID?: number } // the types lack it
    await other?.query('select pg_terminate_backend($1)', [processID]).catch(() => {})
    await Promise.all([client.end(), other?.end()])
  }
  signal?.addEventListener('abort', end)
  client.once('end', () => signal?.removeEventListener('abort', end))
  if (!signal?.aborted) return client
  void client.end()
  throw signal.reason
}

/** What would end a long migration. The names of those that the server has are read: the last one is new in PostgreSQL 17. */
const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']

/**
 * Lifts the timeouts that the role or the server sets: building an index takes as long as it takes.
 *
 * @param scope the transaction, or the whole session with its waits for locks
 */
export async function liftTimeouts(client: pg.Client, scope: 'local' | 'session'): Promise<void> {
  const lifted = scope === 'session' ? [...timeouts, 'lock_timeout'] : timeouts
  const { rows } = await client.query<{ name: string }>('select name from pg_settings where name = any($1)', [lifted])
  for (const { name } of rows) await client.query(`set ${scope} ${name} = 0`)
}

/** Checks version, encoding and role. @throws SchemaError */
export async function checkServer(client: pg.Client): Promise<void> {
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
  if (!server) throw new SchemaError('The role of the service is not in pg_roles.')
  if (server.encoding !== 'UTF8')
    throw new SchemaError(`The encoding of the database must be UTF8; it is ${server.encoding}.`)
  if (server.version < 15)
    throw new SchemaError(`PostgreSQL 15 or newer is required; this is version ${server.version}.`)
  if (server.super || server.bypass) {
    throw new SchemaError(
      `The role "${server.name}" ${server.super ? 'is a superuser' : 'bypasses row security'}, so the wall between tenants would not hold. ` +
        howToCreate,
    )
  }
  if (server.standby) throw new SchemaError('This PostgreSQL is a standby. Set DATABASE_URL to the primary.')
  if (server.readonly)
    throw new SchemaError('The database is read-only: default_transaction_read_only is on for this role.')
}

/**
 * Checks that every table except the global ones forces row security for our role, by exactly one policy, the wall.
 *
 * @param isNewer whether the schema is newer than this code. This code does not know the global tables of a newer schema, so it checks only
 *   tables with a column `tenant_id`. The newer code has checked them all.
 * @throws SchemaError with the names of the tables without it
 */
export async function checkWall(client: pg.Client, isNewer = false): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name
     from pg_class c
     where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and c.relname <> all($1)
       and (not $2 or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id'))
       and not (c.relrowsecurity and c.relforcerowsecurity and row_security_active(c.oid)
         and (select count(*) = 1 and bool_and(p.polpermissive and p.polcmd = '*' and p.polwithcheck is null
             and pg_get_expr(p.polqual, p.polrelid)
               = '(tenant_id = (NULLIF(current_setting(''guildhall.tenant''::text, true), ''''::text))::uuid)')
           from pg_policy p where p.polrelid = c.oid))`,
    [globalTables, isNewer],
  )
  if (rows.length > 0) {
    throw new SchemaError(
      `The wall between tenants is missing on: ${rows.map(({ name }) => name).join(', ')}. The service does not start without it.`,
    )
  }
}
