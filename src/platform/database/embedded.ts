/**
 * The embedded database: a real PostgreSQL from npm packages, without any other installation.
 *
 * The server belongs to the data folder, not to a process. The first process that needs it starts it, and the last one stops it. Each
 * process holds one connection with a shared advisory lock. Nothing else records the users of the server, so a killed process leaves no
 * wrong state. (Session-level locks are safe here: no pooler is between us and the server.)
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { forgetLibpqVariables } from '../settings/libpq.ts'
import { type Cluster, getCluster } from './embedded-cluster.ts'
import { EmbeddedError } from './embedded-programs.ts'
import { findServer, type Settings, startServer, stopServer } from './embedded-server.ts'

export { makeDataFolder, readOrCreate } from './embedded-cluster.ts'
export { EmbeddedError } from './embedded-programs.ts'

export interface EmbeddedDatabase {
  /** Connection URL of the role `guildhall`, which owns the database `guildhall` and has no other rights. */
  url: string
  /** Connection URL of the superuser. */
  adminUrl: string
  /** The real path of PGDATA: in the data folder, or the target of a symbolic link there. */
  path: string
  /** Ends our use of the server, and stops it if no other process uses it. */
  release(): Promise<void>
}

/** How long to wait for a server that starts or stops, in milliseconds. */
const timeout = 60_000
/** How long a server that crashed may hold its port, in milliseconds. */
const portTimeout = 5_000
/** How long to wait for an answer of a server that we leave, in milliseconds. */
const answerTimeout = 2_000
/** The pause before a lost server is looked for again, in milliseconds. */
const pause = 1_000
const lockKeys = { user: 4_100_001, setUp: 4_100_002 } // advisory locks in the database `postgres`

/**
 * Opens the embedded database of a data folder, and creates it if it is missing.
 *
 * @param options.settings PostgreSQL's settings; they apply only if this process starts the server
 * @param options.onError  called each time that a lost server has not come back; it is tried again
 * @throws EmbeddedError
 */
export async function openEmbedded(
  folder: string,
  { settings = {}, onError = () => {} }: { settings?: Settings; onError?: (error: Error) => void } = {},
): Promise<EmbeddedDatabase> {
  forgetLibpqVariables()
  const cluster = await getCluster(folder, { sync: settings.fsync !== 'off' })
  const first = await enter(cluster, settings)
  const { port } = first
  let leaving: Promise<void> | undefined
  let connection: Promise<pg.Client | undefined> = Promise.resolve(replaceWhenLost(first))

  /** Replaces a lost connection at once: without it, the server would stop as soon as the other processes leave. */
  function replaceWhenLost(client: pg.Client): pg.Client {
    return client.once('end', () => {
      if (!leaving) connection = enterAgain()
    })
  }

  /** Tries until it succeeds, or until there is nothing more to enter for. */
  async function enterAgain(): Promise<pg.Client | undefined> {
    while (!leaving) {
      try {
        return replaceWhenLost(await enter(cluster, settings, port))
      } catch (error) {
        onError(error as Error) // enter throws no others
        await delay(pause)
      }
    }
    return undefined
  }

  const address = (user: string, password: string, database: string) =>
    `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`
  return {
    url: address('guildhall', cluster.passwords.guildhall, 'guildhall'),
    adminUrl: address('postgres', cluster.passwords.superuser, 'postgres'),
    path: cluster.path,
    release() {
      leaving ??= connection.then((client) => client && leave(cluster, client))
      return leaving
    },
  }
}

/**
 * Checks that the folder has data, for commands that must not create a new database in the wrong folder.
 *
 * @throws EmbeddedError when it has none
 */
export function checkEmbedded(folder: string): void {
  if (existsSync(join(folder, 'postgres'))) return
  throw new EmbeddedError(
    `There is no Guildhall data in ${resolve(folder)}. Run the command in the folder of the service, ` +
      'or with the same GUILDHALL_DATA or DATABASE_URL as the service ("guildhall serve" creates a new database).',
  )
}

/**
 * Connects as a user of the server, and starts it if none runs. Waits for a server that starts or stops.
 *
 * @param needed the port of a server that was lost, which its clients go on to connect to
 */
async function enter(cluster: Cluster, settings: Settings, needed?: number): Promise<pg.Client> {
  const begin = performance.now()
  for (;;) {
    try {
      const running = await findServer(cluster)
      // For some time, the port of a server that crashed is needed, too: other processes may have clients of it.
      const isNeeded = needed !== undefined || performance.now() < begin + portTimeout
      const port = running ?? (await startServer(cluster, settings, needed, isNeeded))
      return await connect(cluster, port).catch(async (error) => {
        // We have just started it, and it refuses our login: nobody else will stop it.
        if (error instanceof EmbeddedError && running === undefined) await stopServer(cluster)
        throw error
      })
    } catch (error) {
      if (error instanceof EmbeddedError) throw error
      if (performance.now() > begin + timeout)
        throw new EmbeddedError(`The embedded database did not answer: ${String(error)}`)
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
  client.on('error', () => {}) // 'end' follows and is handled
  try {
    await client.connect()
    // Blocks while another process stops the server, then fails with it, and `enter` starts the server again.
    await client.query(`select pg_advisory_lock_shared(${lockKeys.user})`)
    await setUp(client, cluster.passwords.guildhall)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if ((error as pg.DatabaseError).code !== '28P01') throw error // other errors may have no code
    throw new EmbeddedError(
      `The passwords in ${join(cluster.home, 'postgres.json')} are not those of ${cluster.path}. ` +
        `Restore the right file, or delete ${cluster.home} to start with an empty database.`,
    )
  }
}

/** Creates the role and the database of the service, if a first start has not done so yet. */
async function setUp(client: pg.Client, password: string): Promise<void> {
  await client.query(`select pg_advisory_lock(${lockKeys.setUp})`)
  const roles = await client.query(`select from pg_roles where rolname = 'guildhall'`)
  if (!roles.rowCount) {
    const rights = 'login nosuperuser nobypassrls nocreatedb nocreaterole'
    await client.query(`create role guildhall ${rights} password ${client.escapeLiteral(password)}`)
  }
  const databases = await client.query(`select from pg_database where datname = 'guildhall'`)
  if (!databases.rowCount) await client.query('create database guildhall owner guildhall')
  await client.query(`select pg_advisory_unlock(${lockKeys.setUp})`)
}

/**
 * Closes our connection, and stops the server if we were its last user. Several processes may leave at once: only the last one to release
 * its shared lock can get the exclusive lock. While it holds that, no other process can enter.
 */
async function leave(cluster: Cluster, client: pg.Client): Promise<void> {
  // If the server is gone already, there is nothing to stop. If it is silent, it runs on, and the next start finds it.
  const isLast = await claimStop(client).catch(() => false)
  try {
    if (isLast) await stopServer(cluster)
  } finally {
    await client.end().catch(() => {})
  }
}

/** @returns whether we were the server's last user, and hold its exclusive lock now */
async function claimStop(client: pg.Client): Promise<boolean> {
  const query = (text: string) =>
    client.query<{ got: boolean }>({ text, query_timeout: answerTimeout } as pg.QueryConfig)
  await query(`select pg_advisory_unlock_shared(${lockKeys.user})`)
  const tryLast = async () =>
    (await query(`select pg_try_advisory_lock(${lockKeys.user}) as got`)).rows[0]?.got === true
  // The server may not have noticed yet that another process was just killed.
  return (await tryLast()) || (await delay(200).then(tryLast))
}
