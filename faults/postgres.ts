/** A PostgreSQL for faults: a server of its own, with data that only the scenario uses. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { getCluster } from '../src/platform/database/embedded-cluster.ts'
import { run } from '../src/platform/database/embedded-programs.ts'
import { startServer } from '../src/platform/database/embedded-server.ts'
import { makeFolder } from '../test/processes.ts'
import { timeout } from '../test/timeout.ts'

export interface Postgres {
  readonly port: number
  /** Its data folder, for a service that uses it as its embedded database. */
  readonly folder: string
  /** For the service's role; `port` is a proxy's, if there is one. */
  url(port?: number): string
  /** Queries as the superuser, to whom the wall does not apply. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** The process of the present or last server. */
  pid(): Promise<number>
  /** Locks a table, so that everybody else waits for it. @returns a function that releases it */
  lock(table: string): Promise<() => Promise<void>>
  /** Locks the rows of a `select … for update`. @returns a function that releases them */
  lockRows(text: string, values: unknown[]): Promise<() => Promise<void>>
  /** Kills the server with all its processes (`kill -9`), as a crash would, or stops it at once without a checkpoint. */
  end(how: 'SIGKILL' | 'immediate' | 'fast'): Promise<void>
  /** Starts it again on the same port, and waits until it answers. */
  start(): Promise<void>
  /** Whether to start it as a standby next time, which refuses writes until it is promoted. */
  beStandby(): Promise<void>
}

interface Options {
  /** A data folder; by default one of its own, as after a first start. */
  readonly folder?: string
  /** Settings of the server, beside those of every scenario. */
  readonly settings?: Readonly<Record<string, string>>
  /** The server that it follows, as its standby. The data of both were the same at first, as those of all first starts are. */
  readonly primary?: Postgres
}

/** A server on data of a first start. It must be ended. */
export async function startPostgres({ folder: given, settings: own, primary }: Options = {}): Promise<Postgres> {
  const folder = given ?? join(await makeFolder({ data: true }), '.guildhall')
  const cluster = await getCluster(folder, { sync: false })
  const settings: Record<string, string> = { max_connections: '60', shared_buffers: '32MB', ...own }
  if (primary) {
    const { superuser } = cluster.passwords // the same for both: it is in the data
    settings.primary_conninfo = `host=127.0.0.1 port=${primary.port} user=postgres password=${superuser}`
    await writeFile(join(cluster.path, 'standby.signal'), '')
  }
  const port = await startServer(cluster, settings)
  const url = (user: string, word: string, at: number, name: string) =>
    `postgresql://${user}:${word}@127.0.0.1:${at}/${name}`
  const pool = new pg.Pool({
    connectionString: url('postgres', cluster.passwords.superuser, port, 'guildhall'),
    max: 3,
    connectionTimeoutMillis: timeout,
    application_name: 'the faults',
  })
  pool.on('error', () => {}) // the server is killed repeatedly

  let last = 0
  const postgres: Postgres = {
    port,
    folder,
    url: (at = port) => url('guildhall', cluster.passwords.guildhall, at, 'guildhall'),
    query: async (text, values) => (await pool.query(text, values)).rows,
    pid: async () => {
      const text = await readFile(join(cluster.path, 'postmaster.pid'), 'utf8').catch(() => '')
      last = Number.parseInt(text, 10) || last // the file is removed when the server has stopped
      return last
    },
    lock: (table) => postgres.lockRows(`lock table ${table} in access exclusive mode`, []),
    lockRows: async (text, values) => {
      const client = await pool.connect()
      await client.query('begin')
      await client.query(text, values)
      return async () => {
        await client.query('rollback')
        client.release()
      }
    },
    end: async (how) => {
      if (how === 'SIGKILL') {
        // Its children notice its end, and end too.
        process.kill(await postgres.pid(), 'SIGKILL')
      } else {
        await run(join(cluster.binaries, 'pg_ctl'), ['stop', '-D', cluster.path, '-m', how], cluster.owner)
      }
    },
    start: async () => {
      for (const deadline = Date.now() + timeout; ; await setTimeout(50)) {
        try {
          await startServer(cluster, settings, port)
          await postgres.query('select 1')
          return
        } catch (error) {
          if (Date.now() > deadline) throw error // children of the killed server still hold its memory
        }
      }
    },
    beStandby: () => writeFile(join(cluster.path, 'standby.signal'), ''),
  }
  await postgres.pid()
  return postgres
}
