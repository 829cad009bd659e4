/** Databases for tests: one for each test file, cloned from a template that is migrated once. */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openEmbedded } from '../src/platform/database/embedded.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { migrateQueue } from '../src/platform/jobs/worker.ts'
import { cloneOnCluster, dropOnCluster } from './cluster-database.ts'
import { openPatient, timeout } from './timeout.ts'

export interface TestDatabase {
  /** For the service's role. */
  readonly url: string
  /** Queries as the superuser, to whom the wall does not apply. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** The transactions that wait for a lock. @param part of their statements, a pattern of `like` */
  waiting(part?: string): Promise<{ readonly pid: number | string }[]>
  /** Waits until a number of transactions wait for a lock, or (counted by `passed`) have ended without waiting. */
  awaitLine(wanted: number, passed?: () => number): Promise<void>
  drop(): Promise<void>
}

/** Each checkout has its own server: one that is removed, or another schema, does not disturb the tests of another. */
const checkout = createHash('sha256')
  .update(join(import.meta.dirname, '..'))
  .digest('hex')
  .slice(0, 8)
const folder = join(tmpdir(), `guildhall-tests-${userInfo().username}-${checkout}`)
/**
 * The data does not outlive the tests, and no test waits for a vacuum. The connections are enough for the worlds of all files that run at
 * a time, each of which may have several services with full pools.
 */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  max_connections: '1000',
}

/** A Citus cluster, on which all databases are made then (cluster-database.ts). */
const clusterUrl = process.env.CITUS_URL
export const isOnCluster = clusterUrl !== undefined

/** How to reach the server. */
export interface Server {
  /** Connection URL of the service's role. */
  readonly url: string
  /** Connection URL of the superuser. */
  readonly adminUrl: string
}

/** The server that another process keeps running for this one. */
let lent: Server | undefined

/** Uses a server that another process keeps running: to join it and to leave it takes as long as to make a database. */
export function borrowServer(server: Server): void {
  lent = server
}

/** This process's use of the server, and how often it was entered. */
let shared: { readonly opened: ReturnType<typeof openEmbedded>; uses: number } | undefined

async function enter(): Promise<Server> {
  if (lent) return lent
  shared ??= { opened: openEmbedded(folder, { settings }), uses: 0 }
  shared.uses += 1
  return shared.opened
}

async function leave(): Promise<void> {
  if (!shared) return
  shared.uses -= 1
  if (shared.uses > 0) return
  const { opened } = shared
  shared = undefined
  await (await opened).release()
}

/** A fresh database with the present schema. It must be dropped. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const { url, adminUrl, remove } = await (clusterUrl ? makeOnCluster(clusterUrl, name) : clone(name))
  const superuser = new pg.Client({ connectionString: adminUrl })
  await superuser.connect()
  superuser.on('error', () => {}) // a test may stop the server; its queries fail anyway
  let last: Promise<unknown> = Promise.resolve() // the driver asks one thing at a time
  const query: TestDatabase['query'] = (text, values) => {
    const asked = last.then(() => superuser.query(text, values)).catch(refuse)
    last = asked.catch(() => {}) // the caller gets the error
    return asked.then(({ rows }) => rows)
  }
  const waiting: TestDatabase['waiting'] = async (part = '') => {
    await query('select pg_stat_clear_snapshot()') // a transaction would otherwise see the same snapshot
    return query<{ pid: number | string }>(clusterUrl ? waitingOnCluster : waitingHere, [`%${part}%`])
  }
  return {
    url,
    query,
    waiting,
    awaitLine: async (wanted, passed = () => 0) => {
      for (const end = performance.now() + timeout; ; await setTimeout(2)) {
        if ((await waiting()).length + passed() >= wanted) return
        if (performance.now() > end) throw new Error(`${wanted} transactions never came to wait`)
      }
    },
    drop: async () => {
      await superuser.end()
      await remove()
    },
  }
}

/** @returns the URL of an empty database on the server of the tests, which is dropped at the end of the test */
export async function createEmptyDatabase(t: TestContext): Promise<URL> {
  const { url, query, drop } = await createDatabase()
  const empty = new URL(url)
  empty.pathname += '_empty'
  const name = empty.pathname.slice(1)
  await query(`create database ${name} owner guildhall`)
  t.after(async () => {
    await query(`drop database ${name} with (force)`)
    await drop()
  })
  return empty
}

/** The relay waits by itself, now and then, for the row of a tenant, on which its events depend. */
const isRelay = `like '%insert into feed%'`
const waitingHere = `
  select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like $1 and not query ${isRelay}`
const waitingOnCluster = `
  select distinct global_pid as pid from citus_lock_waits join citus_dist_stat_activity on global_pid = waiting_gpid
  where datname = current_database() and query like $1 and not query ${isRelay}` // the waits are those of all databases

/** A test's own statement that no cluster takes, such as a join of tables without their tenants: the test cannot run there. */
export class NotOnCluster extends Error {
  override name = 'NotOnCluster'
}

function refuse(error: pg.DatabaseError): never {
  const isUnsupported = error.code === '0A000' || /not supported|multiple commands/.test(error.message) // feature_not_supported
  throw clusterUrl && isUnsupported ? new NotOnCluster(error.message) : error
}

type Made = Server & { remove(): Promise<void> }

async function clone(name: string): Promise<Made> {
  const server = await enter()
  const admin = new pg.Client({ connectionString: server.adminUrl })
  await admin.connect()
  const template = await ensureTemplate(admin, server.url)
  await admin.query(`create database ${name} template ${template} strategy file_copy owner guildhall`)
  const remove = async () => {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
    await leave()
  }
  return { url: inDatabase(server.url, name), adminUrl: inDatabase(server.adminUrl, name), remove }
}

async function makeOnCluster(clusterUrl: string, name: string): Promise<Made> {
  return { ...(await cloneOnCluster(clusterUrl, nameTemplate(), name)), remove: () => dropOnCluster(clusterUrl, name) }
}

/** @returns the name of the template of the present schema */
function nameTemplate(): string {
  const root = join(import.meta.dirname, '..')
  const code = ['migrate', 'distribute'].map((name) => `src/platform/database/${name}.ts`)
  const migrations = readdirSync(join(root, 'migrations')).sort()
  const hash = createHash('sha256')
  for (const file of [...code, ...migrations.map((name) => `migrations/${name}`)])
    hash.update(readFileSync(join(root, file)))
  return `template_${hash.digest('hex').slice(0, 12)}`
}

/** Test files run in several processes: the first that needs the template makes it, the others wait for it. */
async function ensureTemplate(admin: pg.Client, url: string): Promise<string> {
  const name = nameTemplate()
  await admin.query('select pg_advisory_lock(1)')
  try {
    const made = await admin.query('select from pg_database where datname = $1', [name])
    if (made.rowCount === 0) {
      await admin.query(`drop database if exists ${name}_new with (force)`) // of a run that was killed
      await admin.query(`create database ${name}_new owner guildhall`)
      await migrate(inDatabase(url, `${name}_new`))
      const database = openPatient(inDatabase(url, `${name}_new`))
      await migrateQueue(database)
      await database.close()
      await admin.query(`alter database ${name}_new rename to ${name}`)
    }
  } finally {
    await admin.query('select pg_advisory_unlock(1)')
  }
  return name
}

/**
 * Keeps the server running until released, so that test files do not start and stop it in turn. First it removes what killed runs left,
 * unless another process uses the server.
 */
export async function holdServer(): Promise<{ readonly server: Server; release(): Promise<void> }> {
  const { url, adminUrl } = await enter()
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    const { rows } = await admin.query<{ name: string }>(`
      select datname as name from pg_database
      where starts_with(datname, 'test_')
        and (select count(*) from pg_stat_activity where application_name = 'guildhall embedded') = 1`)
    for (const { name } of rows) await admin.query(`drop database if exists ${name} with (force)`)
  } finally {
    await admin.end()
  }
  return { server: { url, adminUrl }, release: leave }
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
