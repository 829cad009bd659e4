/** A PostgreSQL to be hurt: a server of its own, on data that are the scenario's alone. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { getCluster } from '../src/platform/database/embedded-cluster.ts'
import { run } from '../src/platform/database/embedded-programs.ts'
import { startServer } from '../src/platform/database/embedded-server.ts'
import { makeFolder } from '../test/processes.ts'

export interface Postgres {
  readonly port: number
  /** The data folder that it belongs to, for a service that has it as its embedded database. */
  readonly folder: string
  /** For the role that serves; `port` is that of a proxy, where there is one. */
  url(port?: number): string
  /** Asks as the superuser, whom the wall does not stop. */
  ask<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** The process of the server that is there, or was there last. */
  pid(): Promise<number>
  /** Holds a table, so that everybody else waits for it. @returns what lets go of it */
  lock(table: string): Promise<() => Promise<void>>
  /** Kills the server as a crash would (`kill -9` of all of it), or has it stop at once without a checkpoint. */
  end(how: 'SIGKILL' | 'immediate' | 'fast'): Promise<void>
  /** Starts it again under the same port, and waits until it answers. */
  start(): Promise<void>
  /** Whether it shall be a standby when it is next started: it lets nobody write until it is promoted. */
  beStandby(): Promise<void>
}

/** Data as a first start leaves them, and a server on them. Must be ended. */
export async function startPostgres(): Promise<Postgres> {
  const folder = join(await makeFolder({ data: true }), '.guildhall')
  const cluster = await getCluster(folder, { sync: false })
  const settings = { max_connections: '60', shared_buffers: '32MB' }
  const port = await startServer(cluster, settings)
  const url = (user: string, word: string, at: number, name: string) =>
    `postgresql://${user}:${word}@127.0.0.1:${at}/${name}`
  const pool = new pg.Pool({
    connectionString: url('postgres', cluster.passwords.superuser, port, 'guildhall'),
    max: 3,
    connectionTimeoutMillis: 5_000,
    application_name: 'the faults',
  })
  pool.on('error', () => {}) // it is killed again and again

  let last = 0
  const postgres: Postgres = {
    port,
    folder,
    url: (at = port) => url('guildhall', cluster.passwords.guildhall, at, 'guildhall'),
    ask: async (text, values) => (await pool.query(text, values)).rows,
    pid: async () => {
      const text = await readFile(join(cluster.path, 'postmaster.pid'), 'utf8').catch(() => '')
      last = Number.parseInt(text, 10) || last // it is gone from there once the server has stopped
      return last
    },
    lock: async (table) => {
      const client = await pool.connect()
      await client.query(`begin; lock table ${table} in access exclusive mode`)
      return async () => {
        await client.query('rollback')
        client.release()
      }
    },
    end: async (how) => {
      if (how === 'SIGKILL') {
        // Its children notice by themselves that it is gone, and end.
        process.kill(await postgres.pid(), 'SIGKILL')
      } else {
        await run(join(cluster.binaries, 'pg_ctl'), ['stop', '-D', cluster.path, '-m', how], cluster.owner)
      }
    },
    start: async () => {
      for (const deadline = Date.now() + 20_000; ; await setTimeout(50)) {
        try {
          await startServer(cluster, settings, port)
          await postgres.ask('select 1')
          return
        } catch (error) {
          if (Date.now() > deadline) throw error // children of the one that was killed still hold its memory
        }
      }
    },
    beStandby: () => writeFile(join(cluster.path, 'standby.signal'), ''),
  }
  await postgres.pid()
  return postgres
}
