/**
 * The embedded database at work: a real PostgreSQL that needs nothing installed but what npm brings.
 *
 * The server belongs to the data folder, not to a process. Whoever needs it first starts it, everyone after that uses
 * it, and the last one out stops it. Each of them holds one connection with a shared advisory lock; no other record is
 * kept of who is there, so a process that was killed leaves nothing behind that could be wrong. (These locks are safe
 * here: nothing stands between us and the server that could share a session out.)
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Cluster, getCluster } from './embedded-cluster.ts'
import { EmbeddedError } from './embedded-programs.ts'
import { findServer, type Settings, startServer, stopServer } from './embedded-server.ts'

export { makeDataFolder } from './embedded-cluster.ts'
export { EmbeddedError } from './embedded-programs.ts'

export interface EmbeddedDatabase {
  /** For the role `guildhall`, which owns the database `guildhall` and has no other rights. */
  url: string
  /** For the superuser. */
  adminUrl: string
  /** Where the data really is: beside the data folder's own files, or where a link there leads. */
  path: string
  /** Takes us off the list of users of the server, and stops it if nobody else is on it. */
  release(): Promise<void>
}

const patience = 60_000
const presence = { user: 4_100_001, setUp: 4_100_002 } // advisory locks in the database `postgres`

/**
 * Opens the embedded database of a data folder, which is made if it is missing. `settings` are PostgreSQL's own; they
 * hold for a server that this call starts, not for one that runs already.
 */
export async function openEmbedded(
  folder: string,
  options: { settings?: Record<string, string> } = {},
): Promise<EmbeddedDatabase> {
  const settings = options.settings ?? {}
  const cluster = await getCluster(folder, { sync: settings.fsync !== 'off' })
  const first = await enter(cluster, settings)
  const { port } = first
  let present = Promise.resolve(keep(first))
  let left: Promise<void> | undefined

  /** Without our connection somebody else's leaving would stop the server, so a lost one is replaced at once. */
  function keep(client: pg.Client): pg.Client {
    return client.once('end', () => {
      if (left) return
      present = enter(cluster, settings, port).then(keep)
      present.catch(() => {}) // told to those who query; release() has nothing to leave then
    })
  }

  const address = (user: string, password: string, database: string) =>
    `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`
  return {
    url: address('guildhall', cluster.passwords.guildhall, 'guildhall'),
    adminUrl: address('postgres', cluster.passwords.superuser, 'postgres'),
    path: cluster.path,
    release() {
      left ??= present.catch(() => undefined).then((client) => client && leave(cluster, client))
      return left
    },
  }
}

/**
 * For those who work on data that is there: in a wrong folder, opening would make a new database.
 *
 * @throws EmbeddedError where nobody has made one
 */
export function checkEmbedded(folder: string): void {
  if (existsSync(join(folder, 'postgres'))) return
  throw new EmbeddedError(
    `No Guildhall data is found in ${resolve(folder)}: run this in the folder of the service, ` +
      'or with the same GUILDHALL_DATA or DATABASE_URL as the service ("guildhall serve" makes a new database).',
  )
}

/** Starts the server if nobody has, and becomes one of its users. A server on its way up or down is waited for. */
async function enter(cluster: Cluster, settings: Settings, wanted?: number): Promise<pg.Client> {
  const deadline = Date.now() + patience
  for (;;) {
    try {
      const running = await findServer(cluster)
      const port = running ?? (await startServer(cluster, settings, wanted))
      return await connect(cluster, port).catch(async (error) => {
        // Nobody else could stop a server that does not let us in.
        if (error instanceof EmbeddedError && running === undefined) await stopServer(cluster)
        throw error
      })
    } catch (error) {
      if (error instanceof EmbeddedError) throw error
      if (Date.now() > deadline) throw new EmbeddedError(`The embedded database did not answer: ${String(error)}`)
      await delay(100)
    }
  }
}

async function connect(cluster: Cluster, port: number): Promise<pg.Client> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: cluster.passwords.superuser,
    database: 'postgres',
    ssl: false,
    application_name: 'guildhall embedded',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => {}) // 'end' follows, and is what we act on
  try {
    await client.connect()
    // Waits while the last one out is stopping the server, and fails with it: then we start it again.
    await client.query(`select pg_advisory_lock_shared(${presence.user})`)
    await setUp(client, cluster.passwords.guildhall)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if ((error as pg.DatabaseError).code !== '28P01') throw error // any other error has at most no code
    throw new EmbeddedError(
      `The passwords in ${join(cluster.home, 'postgres.json')} are not those of ${cluster.path}. ` +
        `Put the right file back, or delete ${cluster.home} to begin anew.`,
    )
  }
}

/** Makes the role and the database that serve, where a first start did not get so far. */
async function setUp(client: pg.Client, password: string): Promise<void> {
  await client.query(`select pg_advisory_lock(${presence.setUp})`)
  const roles = await client.query(`select from pg_roles where rolname = 'guildhall'`)
  if (!roles.rowCount) {
    const rights = 'login nosuperuser nobypassrls nocreatedb nocreaterole'
    await client.query(`create role guildhall ${rights} password ${client.escapeLiteral(password)}`)
  }
  const databases = await client.query(`select from pg_database where datname = 'guildhall'`)
  if (!databases.rowCount) await client.query('create database guildhall owner guildhall')
  await client.query(`select pg_advisory_unlock(${presence.setUp})`)
}

/**
 * Of several that leave at once, the last to drop the shared lock gets the exclusive one, if nobody had it before: so
 * one stops the server. Nobody can enter any more while it does.
 */
async function leave(cluster: Cluster, client: pg.Client): Promise<void> {
  let isLast: boolean
  try {
    await client.query(`select pg_advisory_unlock_shared(${presence.user})`)
    const tryLast = async () => {
      const answer = await client.query<{ got: boolean }>(`select pg_try_advisory_lock(${presence.user}) as got`)
      return answer.rows[0]?.got === true
    }
    // Of somebody who was killed at this moment the server does not know it yet.
    isLast = (await tryLast()) || (await delay(200).then(tryLast))
  } catch {
    return // the server is gone already
  }
  try {
    if (isLast) await stopServer(cluster)
  } finally {
    await client.end().catch(() => {})
  }
}
