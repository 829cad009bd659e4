/**
 * The data: a PostgreSQL of the benchmark's own, configured like the service's embedded one, with nothing switched off, but with checkpoints
 * on demand. It stores a population for the service and one for better-auth. Each run works on copies, so that all runs start with the
 * same data.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { ensureDefaultTenant, getTenantBySlug } from '../src/features/tenants/tenants.ts'
import { hashSecretly, sha256 } from '../src/platform/cryptography.ts'
import { Database } from '../src/platform/database/database.ts'
import { type EmbeddedDatabase, openEmbedded } from '../src/platform/database/embedded.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { migrateQueue } from '../src/platform/jobs/worker.ts'
import { password, populationOf, secret, suffixOf } from './population.ts'
import { otherSeedOf, seedOf } from './seed.ts'

export const folder = join(import.meta.dirname, '.data')
const otherProgram = join(import.meta.dirname, 'contenders/better-auth.mjs')

/** A database of a run. */
export interface Copy {
  /** For the service's role. */
  readonly url: string
  /** For the superuser, to whom the wall does not apply. */
  readonly adminUrl: string
  query(text: string): Promise<pg.QueryResultRow[]>
}

export interface Data {
  readonly guildhall: Copy
  readonly betterAuth: Copy
  /** The uuid of the only tenant. */
  readonly tenant: string
  /** The parent of all PostgreSQL processes. */
  readonly postmaster: number
  readonly version: string
  /** Removes the copies and the server; the seed stays. */
  close(): Promise<void>
}

/** @param isFresh whether to replace an existing seed */
export async function openData(scale: number, isFresh: boolean): Promise<Data> {
  const server = await openEmbedded(folder)
  const admin = await connect(server.adminUrl)
  await checkpointOnDemand(admin)
  const seeds = await ensureSeeds(server, admin, scale, isFresh)
  const copies = { guildhall: 'run_guildhall', betterAuth: 'run_better_auth' }
  await copy(admin, seeds.guildhall, copies.guildhall)
  await copy(admin, seeds.betterAuth, copies.betterAuth)
  const clients: pg.Client[] = []
  const open = async (name: string): Promise<Copy> => {
    const client = await connect(inDatabase(server.adminUrl, name))
    clients.push(client)
    return {
      url: inDatabase(server.url, name),
      adminUrl: inDatabase(server.adminUrl, name),
      query: async (text) => (await client.query(text)).rows,
    }
  }
  const guildhall = await open(copies.guildhall)
  const [tenant] = await guildhall.query(`select id from tenants where slug = 'default'`)
  const [about] = await guildhall.query(`select current_setting('server_version') as version`)
  return {
    guildhall,
    betterAuth: await open(copies.betterAuth),
    tenant: tenant?.id,
    postmaster: Number(readFileSync(join(server.path, 'postmaster.pid'), 'utf8').split('\n')[0]),
    version: about?.version,
    async close() {
      for (const client of clients) await client.end()
      for (const name of Object.values(copies)) await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
      await server.release()
    },
  }
}

/**
 * Leaves checkpoints to the bench, which makes one before each operation. After a checkpoint, PostgreSQL writes each changed page as a whole
 * once more, so one in the middle of an operation would burden the contender whose turn it is.
 */
async function checkpointOnDemand(admin: pg.Client): Promise<void> {
  await admin.query(`alter system set max_wal_size = '16GB'`)
  await admin.query(`alter system set checkpoint_timeout = '1h'`)
  await admin.query('select pg_reload_conf()')
}

interface Seeds {
  readonly guildhall: string
  readonly betterAuth: string
}

async function ensureSeeds(
  server: EmbeddedDatabase,
  admin: pg.Client,
  scale: number,
  isFresh: boolean,
): Promise<Seeds> {
  const [family, mark] = [`seed_${String(scale).replace('.', '_')}_`, markOf(scale)]
  const names = { guildhall: `${family}guildhall_${mark}`, betterAuth: `${family}better_auth_${mark}` }
  const { rows } = await admin.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1)',
    [family],
  )
  const kept = rows.map(({ name }) => name).filter((name) => !isFresh && Object.values(names).includes(name))
  for (const { name } of rows) if (!kept.includes(name)) await admin.query(`drop database ${name} with (force)`)
  if (!kept.includes(names.guildhall))
    await makeSeed(server, admin, names.guildhall, (url) => seedGuildhall(url, scale))
  if (!kept.includes(names.betterAuth))
    await makeSeed(server, admin, names.betterAuth, (url) => seedBetterAuth(url, scale))
  return names
}

/** Gets its name when it is complete. */
async function makeSeed(
  server: EmbeddedDatabase,
  admin: pg.Client,
  name: string,
  statementsOf: (url: string) => Promise<string[]>,
): Promise<void> {
  const begin = performance.now()
  await admin.query('drop database if exists unfinished with (force)')
  await admin.query('create database unfinished owner guildhall')
  const statements = await statementsOf(inDatabase(server.url, 'unfinished'))
  const client = await connect(inDatabase(server.adminUrl, 'unfinished'))
  await client.query(`set session_replication_role = 'replica'`) // skips the check of foreign keys for each row
  for (const statement of statements) await client.query(statement)
  await client.query('vacuum analyze')
  await client.end()
  await admin.query(`alter database unfinished rename to ${name}`)
  console.log(`seeded ${name} in ${((performance.now() - begin) / 1000).toFixed(0)} s`)
}

async function seedGuildhall(url: string, scale: number): Promise<string[]> {
  await migrate(url)
  const database = new Database(url)
  await migrateQueue(database)
  await ensureDefaultTenant(database)
  const { id } = await getTenantBySlug(database, 'default')
  await database.close()
  return seedOf(populationOf(scale), id, suffixOf(id), await hashSecretly(password))
}

async function seedBetterAuth(url: string, scale: number): Promise<string[]> {
  const run = promisify(execFile)
  const env = { ...process.env, DATABASE_URL: url, BETTER_AUTH_SECRET: secret }
  await run(process.execPath, [otherProgram, 'migrate'], { env })
  const { stdout } = await run(process.execPath, [otherProgram, 'hash', password], { env })
  return otherSeedOf(populationOf(scale), stdout)
}

async function copy(admin: pg.Client, seed: string, name: string): Promise<void> {
  await admin.query(`drop database if exists ${name} with (force)`)
  await admin.query(`create database ${name} template ${seed} owner guildhall strategy file_copy`)
}

/** Covers all sources of the seeds. */
function markOf(scale: number): string {
  const migrations = join(import.meta.dirname, '../migrations')
  const population = populationOf(scale)
  const parts = [
    ...readdirSync(migrations).map((name) => readFileSync(join(migrations, name), 'utf8')),
    readFileSync(join(import.meta.dirname, 'package-lock.json'), 'utf8'),
    ...seedOf(population, '', '', password),
    ...otherSeedOf(population, password),
  ]
  return sha256(parts.join('\n')).toString('hex').slice(0, 10)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  client.on('error', () => {}) // its queries fail anyway
  return client
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
