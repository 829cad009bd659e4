/** What a database must be like to be served on: the server, the role, and the wall between tenants. */
import pg from 'pg'
import { sessionOptions } from './pool.ts'

/** The database cannot be served on; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/** What makes a database that can be served on. */
export const makingOne =
  "Make a role and a database of its own: create role guildhall login password '…'; create database guildhall owner guildhall encoding 'UTF8' template template0;"

/** Tables that belong to no tenant. Every other one must be behind the wall. */
const globalTables = ['migrations', 'tenants', 'tenant_domains', 'rates']

/**
 * @param isPooled whether the URL leads to a pooler that hands a connection on after each transaction
 * @throws SchemaError for a server that cannot be reached, or does not let us in
 */
export async function connect(url: string, isPooled: boolean): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'guildhall migrate',
    ...(!isPooled && { options: sessionOptions }),
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

/**
 * Every table that is no global one must force row security for the role that serves, by the one policy and no other.
 *
 * @param isNewer whether the schema is newer than this code. Which tables are global in it the code cannot know: of those that it has
 *   never heard of, only the ones that name a tenant must have the wall. The newer code has checked them all.
 * @throws SchemaError
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
