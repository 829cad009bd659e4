/**
 * The feed under load: forty writers that lock, wait and roll back, four processes that relay, readers that follow. No event is missed,
 * doubled, or out of the order of the changes of its object, also if relays lose their connections, PostgreSQL crashes, or an older backup
 * is restored. Planted faults show that the proof would find them: a relay that skips locked rows, and readers of a sequence and of
 * transaction ids.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Postgres, startPostgres } from '../faults/postgres.ts'
import { system } from '../src/domain/access/actors.ts'
import { record } from '../src/domain/record/record.ts'
import { selectWakes } from '../src/domain/webhooks/schedule.ts'
import {
  Database,
  type NamedRows,
  type NamedStatements,
  type Sql,
  type Statement,
  statement,
  type TransactionOptions,
} from '../src/platform/database/database.ts'
import { Relay } from '../src/platform/jobs/relay.ts'
import { until } from './smtp.ts'

const objects = Array.from({ length: 8 }, (_, index) => `org_${index}`)

/** An event as a reader gets it. */
interface Read {
  readonly place: number
  readonly id: string
  readonly object: string
  /** Of the object, after the change. */
  readonly version: number
}

/** Selects events after a place. */
type Select = (tenant: string, after: number) => Statement
const told = statement`e.id, e.target_id as object, (e.details ->> 'version')::integer as version`
const isChange = (tenant: string) => statement`e.tenant_id = ${tenant} and e.action = 'organization.updated'`

const byFeed: Select = (tenant, after) => statement`
  select f.sequence as place, ${told}
  from feed f
  join audit_entries e on ${isChange(tenant)} and e.id = f.entry_id
  where f.tenant_id = ${tenant} and f.sequence > ${after}
  order by f.sequence
  limit 20`
const bySequenceOfDatabase: Select = (tenant, after) => statement`
  select planted as place, ${told} from audit_entries e where ${isChange(tenant)} and planted > ${after} order by planted limit 20`
const xid = statement`e.xmin::text::bigint`
const byTransaction: Select = (tenant, after) => statement`
  select ${xid} as place, ${told} from audit_entries e where ${isChange(tenant)} and ${xid} > ${after} order by ${xid} limit 20`
/** It waits until no transaction is open that has begun before. */
const bySettledTransaction: Select = (tenant, after) => statement`
  select ${xid} as place, ${told}
  from audit_entries e
  where ${isChange(tenant)} and ${xid} > ${after} and ${xid} < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  order by ${xid}
  limit 20`

/** A planted fault: databases through which a relay sends other statements. */
function plant(change: (first: NamedStatements, tenant: string) => NamedStatements): typeof Database {
  return class extends Database {
    override inTenant<T>(
      tenant: string,
      work: (sql: Sql, first: NamedRows) => Promise<T>,
      options: TransactionOptions = {},
    ): Promise<T> {
      const { first } = options
      return super.inTenant(tenant, work, first?.place ? { ...options, first: change(first, tenant) } : options)
    }
  }
}

/** Rows of the outbox that are locked are skipped. */
const Skipping = plant((first) => ({ ...first, rows: statement`${first.rows} skip locked` }))
/** Sequences go on from the last one, whatever the clock says. */
const Counting = plant((first, tenant) => ({
  ...first,
  place: statement`select head as base, true as has_webhooks from feeds where tenant_id = ${tenant}`,
}))

interface Stage {
  readonly postgres: Postgres
  readonly tenant: string
  /** What serves, each as in a process of its own. */
  readonly databases: readonly Database[]
  close(): Promise<void>
}

/** @param Kind of the databases through which the relays work */
async function open(postgres: Postgres, Kind = Database): Promise<Stage> {
  const [tenant] = await postgres.query<{ id: string }>(`select id from tenants where slug = 'here'`)
  const databases = Array.from({ length: 4 }, () => new Kind(postgres.url(), { size: 11, onError: () => {} }))
  const relays = databases.map((database) => new Relay(database, () => {}, selectWakes))
  for (const relay of relays) relay.keepSweeping()
  const close = async () => {
    await Promise.all(relays.map((relay) => relay.stop()))
    await Promise.all(databases.map((database) => database.close()))
  }
  return { postgres, tenant: tenant?.id ?? '', databases, close }
}

async function raise(t: TestContext): Promise<Postgres> {
  const postgres = await startPostgres()
  t.after(() => postgres.end('immediate'))
  const { query } = postgres
  await query(`insert into tenants (id, slug, name, has_webhooks) values (gen_random_uuid(), 'here', 'Here', true)`)
  await query(
    `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
     select t.id, o.id, replace(o.id, '_', '-'), o.id, o.id, 1, 1 from tenants t, unnest($1::text[]) o (id) where t.slug = 'here'`,
    [objects],
  )
  await query('create sequence planted')
  await query('grant usage on sequence planted to guildhall')
  await query(`alter table audit_entries add column planted bigint default nextval('planted')`)
  return postgres
}

/** Forty writers, each of which does a number of changes. A lost connection leaves open whether a change was made. */
async function write({ databases, tenant }: Pick<Stage, 'databases' | 'tenant'>, each: number): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T // none is empty
  const change = (database: Database) =>
    database.inTenant(tenant, async (sql) => {
      // As the claim of an idempotency key: a transaction may have an id before its lock.
      if (Math.random() < 0.5) await sql`select pg_current_xact_id()`
      const object = pick(objects)
      const [locked] = await sql<{ version: number }>`
        select version from organizations where tenant_id = ${sql.tenant} and id = ${object} for no key update`
      const version = (locked?.version ?? 0) + 1
      await sql`update organizations set version = ${version} where tenant_id = ${sql.tenant} and id = ${object}`
      const entry = {
        organizationId: object,
        target: { type: 'organization', id: object },
        details: { version },
      } as const
      await record(sql, system, 'organization.updated', entry)
      // Between the entry and the commit, where another writer begins before and ends after.
      if (Math.random() < 0.5) await sql`select pg_sleep(${Math.random() * 0.02})`
      if (Math.random() < 0.2) throw new RangeError('It is rolled back.')
    })
  const writers = Array.from({ length: 40 }, async (_, index) => {
    const database = databases[index % databases.length] as Database
    for (let done = 0; done < each; ) {
      const isOver = await change(database).then(
        () => true,
        (error: unknown) => error instanceof RangeError,
      )
      if (isOver) done++ // else PostgreSQL was not there, or the connection was lost
    }
  })
  await Promise.all(writers)
}

/** Follows the feed until it is stopped, and then to its end. */
function follow({ databases: [database], tenant }: Stage, select: Select = byFeed, from = 0) {
  const read: Read[] = []
  let isLast = false
  const reading = (async () => {
    for (;;) {
      const isEnd = isLast
      const place = read.at(-1)?.place ?? from
      const found = await database?.read(tenant, { events: select(tenant, place) }).catch(() => undefined)
      read.push(...((found?.events ?? []) as unknown as Read[])) // as `select` names its columns
      if (isEnd && found?.events.length === 0) return
    }
  })()
  return {
    read,
    stop: async () => {
      isLast = true
      await reading
      return read
    },
  }
}

/** Until every row of the outbox has its place. */
const settled = ({ postgres }: Stage) =>
  until(
    async () => (await postgres.query('select from outbox').catch(() => [1])).length === 0,
    'the outbox to be empty',
  )

/** @returns what is wrong with what was read, of all changes since the versions `before` */
async function faultsIn({ query }: Postgres, read: readonly Read[], before: Readonly<Record<string, number>> = {}) {
  const faults: string[] = []
  const ends = await query<{ id: string; version: number }>('select id, version from organizations')
  for (const { id, version: last } of ends) {
    const versions = read.filter(({ object }) => object === id).map(({ version }) => version)
    const first = (before[id] ?? 1) + 1
    for (let version = first; version <= last; version++)
      if (!versions.includes(version)) faults.push(`missed ${id} ${version}`)
    for (const [index, version] of versions.entries()) {
      if (versions.indexOf(version) < index) faults.push(`doubled ${id} ${version}`)
      else if (version < (versions[index - 1] ?? 0)) faults.push(`out of order ${id} ${version}`)
    }
  }
  return faults
}

/** Asserts that the proof has found faults of a kind. */
function assertFound(t: TestContext, faults: readonly string[], kind: 'missed' | 'out of order'): void {
  const found = faults.filter((fault) => fault.startsWith(kind)).length
  t.diagnostic(`${kind}: ${found}`)
  assert.ok(found > 0, faults.join())
}

/** Locks rows of the outbox for some time, as erasure does. */
async function lockRows({ databases, tenant }: Stage, isOver: () => boolean): Promise<void> {
  while (!isOver())
    await databases[0]
      ?.inTenant(tenant, async (sql) => {
        await sql`select from outbox where tenant_id = ${sql.tenant} order by random() limit 3 for update`
        await sql`select pg_sleep(0.03)`
      })
      .catch(() => {})
}

/** Ends connections in the middle of what relays do. */
async function cut({ postgres }: Stage, isOver: () => boolean): Promise<void> {
  while (!isOver())
    await postgres
      .query(
        `select pg_terminate_backend(pid), pg_sleep(0.05) from pg_stat_activity
         where usename = 'guildhall' and query ~ 'feed' order by random() limit 1`,
      )
      .catch(() => {})
}

/** Everything at once. @returns what each reader has got */
async function play(
  t: TestContext,
  stage: Stage,
  selections: readonly Select[],
  ...others: ((stage: Stage, isOver: () => boolean) => Promise<void>)[]
): Promise<Read[][]> {
  const elsewhere = await openElsewhere(t, stage.postgres)
  let isOver = false
  const meanwhile = [lockRows, ...others].map((other) => other(stage, () => isOver))
  const readers = selections.map((select) => follow(stage, select))
  await write(stage, 25)
  isOver = true
  await Promise.all(meanwhile)
  await elsewhere.end()
  await settled(stage)
  return Promise.all(readers.map((reader) => reader.stop()))
}

/** A transaction that stays open, and has nothing to do with the others. */
async function openElsewhere(t: TestContext, postgres: Postgres): Promise<pg.Client> {
  const client = new pg.Client(postgres.url())
  client.on('error', () => {}) // PostgreSQL may crash
  t.after(() => client.end())
  await client.connect()
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return client
}

/** PostgreSQL crashes once, in the middle of it. */
async function crash({ postgres }: Stage): Promise<void> {
  await until(async () => (await postgres.query('select from feed').catch(() => [])).length > 200, 'events')
  await postgres.end('SIGKILL')
  await postgres.start()
}

test('no event is missed, doubled or out of order, though relays lose connections and PostgreSQL crashes', async (t) => {
  const postgres = await raise(t)
  const stage = await open(postgres)
  const [one = [], other = []] = await play(t, stage, [byFeed, byFeed], cut, crash)
  await stage.close()

  assert.ok(one.length > 400, `${one.length} events were read`)
  assert.deepEqual(await faultsIn(postgres, one), [])
  assert.deepEqual(other, one)
})

/** On a busy machine, no two of them may meet in one play. */
const mostPlays = 5

test('the proof finds a relay that skips locked rows', async (t) => {
  for (let played = 1, isFound = false; !isFound; played++) {
    const postgres = await raise(t)
    const stage = await open(postgres, Skipping)
    const [read = []] = await play(t, stage, [byFeed])
    await stage.close()

    const faults = await faultsIn(postgres, read)
    isFound = faults.some((each) => each.startsWith('out of order'))
    if (isFound || played === mostPlays) assertFound(t, faults, 'out of order')
  }
})

test('the proof finds readers that follow a sequence of the database, or transaction ids', async (t) => {
  const planted = [bySequenceOfDatabase, byTransaction, bySettledTransaction]
  const kinds = ['missed', 'missed', 'out of order'] as const
  const faults = kinds.map(() => [] as string[])
  const isFound = () => faults.every((each, index) => each.some((fault) => fault.startsWith(kinds[index] ?? '-')))
  for (let played = 0; played < mostPlays && !isFound(); played++) {
    const postgres = await raise(t)
    const stage = await open(postgres)
    const [exact = [], ...others] = await play(t, stage, [byFeed, ...planted])
    await stage.close()

    assert.deepEqual(await faultsIn(postgres, exact), [])
    for (const [index, read] of others.entries()) faults[index]?.push(...(await faultsIn(postgres, read)))
  }
  for (const [index, kind] of kinds.entries()) assertFound(t, faults[index] ?? [], kind)
})

/**
 * A backup is restored that is older than what a reader has read.
 *
 * @returns what is wrong with what that reader gets afterwards, and with what a new one gets
 */
async function restore(t: TestContext, Kind?: typeof Database): Promise<{ going: string[]; anew: string[] }> {
  const postgres = await raise(t)
  const data = await realpath(join(postgres.folder, 'postgres'))
  const backup = `${data}-backup`
  t.after(() => rm(backup, { recursive: true, force: true }))
  const copy = async (from: string, to: string) => {
    await postgres.end('fast')
    await rm(to, { recursive: true, force: true })
    await promisify(execFile)('cp', ['-a', from, to]) // Node's copy would not keep the owner
    await postgres.start()
  }
  /** Writes and reads to the end. */
  const live = async (from?: number) => {
    const stage = await open(postgres, Kind)
    const reader = follow(stage, byFeed, from)
    await write(stage, 5)
    await settled(stage)
    const read = await reader.stop()
    await stage.close()
    return read
  }
  await live()
  const placed = Object.fromEntries(
    (await postgres.query<{ id: string; version: number }>('select id, version from organizations')).map(
      ({ id, version }) => [id, version],
    ),
  )
  // Of these, only the outbox knows when the backup is made.
  const { tenant, close } = await open(postgres)
  await close()
  const idle = new Database(postgres.url(), { size: 40, onError: () => {} })
  await write({ databases: [idle], tenant }, 2)
  await idle.close()
  await copy(data, backup)
  const lost = await live()
  await copy(backup, data)

  const going = await faultsIn(postgres, await live(lost.at(-1)?.place), placed)
  const stage = await open(postgres, Kind)
  const anew = await faultsIn(postgres, await follow(stage).stop())
  await stage.close()
  return { going, anew }
}

test('after the restore of an older backup, a reader goes on from its place, and gets all that has none in the backup', async (t) => {
  assert.deepEqual(await restore(t), { going: [], anew: [] })
})

test('the proof finds a relay whose sequences do not follow the clock', async (t) => {
  const { going } = await restore(t, Counting)
  assertFound(t, going, 'missed')
})
