/** The command `guildhall distribute`, and what docs/operate/citus.md says of a cluster. All but the first test need a Citus cluster, which CITUS_URL names. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { createOnCluster, dropOnCluster } from '../../../test/cluster-database.ts'
import { createDatabase } from '../../../test/database.ts'
import { listFixtures, readFixture } from '../../../test/fixtures.ts'
import { haveTried } from '../../../test/migrations.ts'
import { findPrograms } from '../../../test/postgres-programs.ts'
import { makeFolder, run } from '../../../test/processes.ts'
import { until } from '../../../test/smtp.ts'
import { distributeDatabase } from './distribute.ts'
import { unfinishedTable } from './distribution.ts'
import { checkSchema, migrate, migrationsFolder } from './migrate.ts'

const clusterUrl = process.env.CITUS_URL
const onCluster = { skip: clusterUrl ? false : 'CITUS_URL names no Citus cluster' }
const programs = findPrograms(['pg_dump', 'pg_restore', 'psql'])
const whereDumped = { skip: onCluster.skip || (programs ? false : 'No PostgreSQL with pg_dump is found') }
const operate = join(import.meta.dirname, '../../../docs/operate')
const documented = readFileSync(join(operate, 'citus.md'), 'utf8')

test('a server without Citus is refused with what to do', { skip: Boolean(clusterUrl) }, async (t) => {
  const { url, drop } = await createDatabase()
  t.after(drop)
  await assert.rejects(
    distributeDatabase(url),
    /has no extension citus\. Run on each node, .*: create extension citus;$/,
  )
})

/** A database on the cluster that is not distributed, with the rows of a fixture, or with nothing. */
async function installOnCluster(t: TestContext, { isEmpty = false } = {}) {
  const name = `test_${Math.random().toString(36).slice(2)}`
  t.after(() => dropOnCluster(clusterUrl ?? '', name))
  const { url, adminUrl } = await createOnCluster(clusterUrl ?? '', name, { isDistributed: false, isEmpty })
  const query = await connect(t, adminUrl)
  if (!isEmpty) await query(readFixture(listFixtures().at(-1) ?? '').sql)
  return { url, adminUrl, query }
}

type Query = (text: string) => Promise<pg.QueryResultRow[]>

/** @param options of its client @returns what asks on a connection of its own, which ends with the test */
async function connect(t: TestContext, url: string, options: pg.ClientConfig = {}): Promise<Query> {
  const client = new pg.Client({ connectionString: url, ...options })
  client.on('error', () => {}) // its database may be dropped before
  await client.connect()
  t.after(() => client.end())
  return async (text) => (await client.query(text)).rows
}

/** @returns what asks a worker, of whose own settings the others learn nothing */
async function connectToWorker(
  t: TestContext,
  { adminUrl, query }: { adminUrl: string; query: Query },
): Promise<Query> {
  const [worker] = await query('select nodename, nodeport from pg_dist_node where groupid > 0 order by groupid limit 1')
  const url = Object.assign(new URL(adminUrl), { hostname: worker?.nodename, port: String(worker?.nodeport) })
  url.searchParams.set('options', '-c citus.enable_alter_role_set_propagation=off')
  return connect(t, url.href)
}

/** What must be the same before and after: each table's rows, and the foreign keys. */
async function readAll(query: Query) {
  const tables = await query(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  const rows = []
  for (const { name } of tables) {
    const texts = (await query(`select to_jsonb(t)::text as text from ${name} t`)).map(({ text }) => text)
    rows.push([name, texts.sort()])
  }
  const keys = await query(
    `select conrelid::regclass::text as table, conname, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c join pg_class t on t.oid = conrelid
     where contype = 'f' and t.relnamespace = 'public'::regnamespace order by 1, 2`,
  )
  return { rows, keys }
}

test('an interrupted distribution goes on, and loses no row and no foreign key', onCluster, async (t) => {
  const { url, query } = await installOnCluster(t)
  const before = await readAll(query)

  const plan: string[] = []
  await distributeDatabase(url, { isDry: true, say: (line) => plan.push(line) })
  assert.match(plan[0] ?? '', /^Each table that is distributed gets 4 shards \(citus\.shard_count\), on \S+:\d+, /)
  assert.equal(plan[1], 'This plan changes nothing.')
  assert.ok(
    plan.some((line) => /^\d+ of \d+: distribute users by tenant_id \(/.test(line)),
    plan.join('\n'),
  )
  assert.deepEqual(await readAll(query), before, 'a plan changes nothing')

  const second = plan.filter((line) => line.includes(': put on the foreign key'))[1]
  const say = (line: string) => {
    if (line === second) throw new RangeError('interrupted')
  }
  await assert.rejects(distributeDatabase(url, { say }), RangeError)
  assert.equal((await query(`select from ${unfinishedTable}`)).length, before.keys.length - 1, 'said before it is done')
  await assert.rejects(checkSchema(url), /partly distributed\. Run "guildhall distribute" again/)
  await assert.rejects(migrate(url), /partly distributed/)

  await distributeDatabase(url)
  await checkSchema(url)
  assert.deepEqual(await readAll(query), before)
  assert.deepEqual(await query(`select to_regclass('${unfinishedTable}') as left`), [{ left: null }])

  const again: string[] = []
  await distributeDatabase(url, { say: (line) => again.push(line) })
  assert.deepEqual(again, ['Everything is distributed.'])
})

test(
  'a table that is missing in a distributed installation keeps services away, and is distributed alone',
  onCluster,
  async (t) => {
    const { url, query } = await installOnCluster(t)
    await distributeDatabase(url)
    await query(`alter database ${new URL(url).pathname.slice(1)} set citus.shard_count = 8`)
    const [user] = await query('select tenant_id as tenant, id from users order by id limit 1')
    const asService = await connect(t, url)
    const make = async (table: string, columns: string) => {
      await asService(
        `create table ${table} (tenant_id uuid not null, id text not null, primary key (tenant_id, id), ${columns})`,
      )
      await asService(`insert into ${table} values ('${user?.tenant}', 'note_1')`)
      await asService(`alter table ${table} enable row level security`)
      await asService(`alter table ${table} force row level security`)
      const wall = `tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid`
      await asService(`create policy tenant on ${table} using (${wall})`)
    }
    await make('notes', 'foreign key (tenant_id) references tenants (id)')
    await make('remarks', 'foreign key (tenant_id, id) references notes (tenant_id, id)')
    const before = await readAll(query)
    const isRefused = /^SchemaError: These tables are not distributed: notes, remarks\. Run "guildhall distribute"\.$/
    await assert.rejects(checkSchema(url), isRefused)
    await assert.rejects(migrate(url), isRefused)

    const lines: string[] = []
    await distributeDatabase(url, { say: (line) => lines.push(line.replace(/ \(.*\)/, '')) })
    assert.match(lines[0] ?? '', / gets 4 shards/, 'as the other tables have')
    assert.deepEqual(lines.slice(1), [
      '1 of 5: take off foreign keys',
      '2 of 5: distribute notes by tenant_id',
      '3 of 5: distribute remarks by tenant_id',
      '4 of 5: put on the foreign key remarks_tenant_id_id_fkey of remarks',
      '5 of 5: count what is on the nodes, for the planner',
      'Everything is distributed. Start the service.',
    ])
    assert.deepEqual(await readAll(query), before)
    assert.deepEqual(await asService('select from remarks'), [], 'the wall is up')
    await checkSchema(url)
  },
)

test('a service that starts just before the first step is noticed', onCluster, async (t) => {
  const { url, query } = await installOnCluster(t)
  const before = await readAll(query)
  await query('begin; lock table migrations in access share mode')
  const distributing = assert.rejects(distributeDatabase(url), /^SchemaError: Stop every service and command first\./)
  await haveTried(query, 1)
  await connect(t, url, { application_name: 'guildhall' })
  await query('commit')
  await distributing
  assert.deepEqual(await readAll(query), before)
})

test('the doctor says of a cluster whether it is in order', onCluster, async (t) => {
  const installation = await installOnCluster(t)
  const { url } = installation
  const onWorker = await connectToWorker(t, installation)
  const name = new URL(url).pathname.slice(1)
  const folder = await makeFolder()
  /** @returns the line of the cluster, and all that fails */
  const examine = async () => {
    const doctor = run(['doctor'], {
      folder,
      env: { DATABASE_URL: url, GUILDHALL_SECRET: 'a secret that is only used in tests' },
    })
    await doctor.ended
    const lines = doctor.out.match(/^ +(fail .*|\w+ +Cluster .*)/gm) ?? []
    return lines.map((line) => line.trim().replace(/ +/g, ' ')).join('\n')
  }
  assert.match(
    await examine(),
    /^warn Cluster This cluster has \d+ workers?, but no table is distributed\. Run "guildhall distribute"\.$/,
  )
  await distributeDatabase(url)
  assert.match(
    await examine(),
    /^ok Cluster \d+ tables are distributed by tenant_id; tenants and tenant_domains are on every node, and all workers answer\.$/,
  )
  await onWorker(`alter role guildhall in database ${name} set timezone = 'Asia/Tokyo'`)
  assert.match(
    await examine(),
    /^fail Cluster On the worker \S+:\d+, the role of the service has the time zone Asia\/Tokyo\. Run on each node: .*$/,
  )
  await onWorker('set citus.enable_ddl_propagation = off')
  await onWorker(`revoke connect on database ${name} from public, guildhall`)
  assert.match(
    await examine(),
    /^fail Cluster The worker \S+:\d+ does not answer: .*[^.]\. It is down, or the role of the service may not sign in there from .*\.$/,
  )
})

test('what is missing is refused before anything changes', onCluster, async (t) => {
  const installation = await installOnCluster(t)
  const { url, query } = installation
  const refused = async (change: string, restore: string, message: RegExp, ask = query) => {
    await ask(change)
    const before = await readAll(query)
    await assert.rejects(distributeDatabase(url), { name: 'SchemaError', message })
    assert.deepEqual(await readAll(query), before)
    await ask(restore)
  }
  const name = new URL(url).pathname.slice(1)
  await refused(
    `alter role guildhall in database ${name} set citus.propagate_set_commands = 'none'`,
    `alter role guildhall in database ${name} reset citus.propagate_set_commands`,
    /Run: alter role guildhall set citus\.propagate_set_commands = 'local';$/,
  )
  await refused(
    `alter table links add constraint links_maker foreign key (tenant_id, created_by)
       references users (tenant_id, id) on delete set null (created_by) not valid`,
    'alter table links drop constraint links_maker',
    /no foreign keys with "on delete set null", such as: links_maker\.$/,
  )
  await refused(
    `select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) from pg_dist_node where groupid > 0`,
    `select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) from pg_dist_node where groupid > 0`,
    /^The cluster has no worker\. /,
  )
  await refused(
    `alter role guildhall in database ${name} set timezone = 'Asia/Tokyo'`,
    `alter role guildhall in database ${name} reset timezone`,
    /has the time zone Asia\/Tokyo\. Run on each node: alter role guildhall set timezone = 'UTC';$/,
    await connectToWorker(t, installation),
  )
  await connect(t, url, { application_name: 'guildhall' })
  await assert.rejects(
    distributeDatabase(url),
    /^SchemaError: Stop every service and command first\. .* database: 1\.$/,
  )
  const plan: string[] = []
  await distributeDatabase(url, { isDry: true, say: (line) => plan.push(line) })
  assert.match(plan.join('\n'), /\nThis plan changes nothing\. For the change: Stop .*\n1 of \d+: take off/)
})

test(
  'a later migration distributes the tables that it creates, with their foreign keys and their wall',
  onCluster,
  async (t) => {
    const { url, query } = await installOnCluster(t)
    await distributeDatabase(url)
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-'))
    t.after(() => rm(folder, { recursive: true }))
    await cp(migrationsFolder, folder, { recursive: true })
    const [{ version } = { version: 0 }] = await query('select max(version) as version from migrations')
    const put = (number: number, text: string) =>
      writeFile(join(folder, `${`${number}`.padStart(4, '0')}_later.sql`), text)
    await put(
      Number(version) + 1,
      `-- A table; with a comment.
create table notes (
  tenant_id uuid not null references tenants (id) on delete cascade,
  id text not null,
  user_id text not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create index notes_by_user on notes (tenant_id, user_id); -- for the erasure
alter table notes enable row level security;
alter table notes force row level security;
create policy tenant on notes
  using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
alter table users add column motto text constraint users_motto_check check (motto <> '');
`,
    )
    await put(
      Number(version) + 2,
      `drop index concurrently if exists users_by_motto;
create index concurrently if not exists users_by_motto on users (tenant_id, motto);
`,
    )

    assert.equal((await migrate(url, { folder })).length, 2)

    const [user] = await query('select tenant_id as tenant, id from users order by id limit 1')
    await query(`insert into notes (tenant_id, id, user_id) values ('${user?.tenant}', 'note_1', '${user?.id}')`)
    await assert.rejects(
      query(`insert into notes (tenant_id, id, user_id) values ('${user?.tenant}', 'note_2', 'user_none')`),
      /violates foreign key constraint/,
    )
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    assert.equal((await client.query('select from notes')).rowCount, 0, 'the wall is up')
    await client.end()
    await distributeDatabase(url, { say: (line) => assert.equal(line, 'Everything is distributed.') })
  },
)

test('shards that a new worker takes from another lose no write, and keep their wall', onCluster, async (t) => {
  const { url, query } = await installOnCluster(t)
  const takeShards = (ofAll: boolean) =>
    query(`select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', ${ofAll} or groupid = 1)
      from pg_dist_node where groupid > 0`)
  const busyNodes = () =>
    query(`select distinct nodeport from citus_shards where table_name = 'users'::regclass order by nodeport`)
  await takeShards(false)
  await distributeDatabase(url)
  assert.equal((await busyNodes()).length, 1)
  await takeShards(true)

  const tenants = (await query('select id from tenants order by id')).map(({ id }) => String(id))
  const asService = await connect(t, url)
  const written: string[] = []
  let isOver = false
  const writing = (async () => {
    for (let number = 0; !isOver; number++) {
      const [id, tenant = ''] = [`user_${number}`, tenants[number % tenants.length]]
      await asService(`begin; set local guildhall.tenant = '${tenant}'`)
      await asService(`insert into users (tenant_id, id, email) values ('${tenant}', '${id}', '${id}@example.com')`)
      await asService('commit')
      written.push(id)
    }
  })()
  await until(() => written.length > 0, 'the first write')
  const [, move = '', wait = ''] =
    /`(select citus_rebalance_start\(.*?\);)`.*?`(select citus_rebalance_wait\(\);)`/s.exec(documented) ?? []
  await query(move)
  await query(wait)
  const during = written.length
  await until(() => written.length > during, 'a write after the move')
  isOver = true
  await writing

  assert.ok((await busyNodes()).length > 1)
  const users = (await query(`select id from users where email like 'user\\_%@example.com'`)).map(({ id }) =>
    String(id),
  )
  assert.deepEqual(users.sort(), written.sort())
  assert.deepEqual(await asService('select from users'), [], 'the wall is up')
  await checkSchema(url)
})

test('a backup of a cluster restores a cluster, and one PostgreSQL', whereDumped, async (t) => {
  const source = await installOnCluster(t)
  await distributeDatabase(source.url)
  const before = await readAll(source.query)
  const BACKUP = await mkdtemp(join(tmpdir(), 'guildhall-backup-'))
  t.after(() => rm(BACKUP, { recursive: true }))
  const runBlock = async (text: string, beginning: string, env: Record<string, string>) => {
    const [, block] = new RegExp(`^\`\`\`sh\\n(${beginning}.*?)^\`\`\``, 'ms').exec(text) ?? []
    const PATH = [programs, process.env.PATH].filter(Boolean).join(delimiter)
    await promisify(execFile)('bash', ['-euc', block ?? assert.fail(beginning)], { env: { PATH, BACKUP, ...env } })
  }
  await runBlock(readFileSync(join(operate, 'backup.md'), 'utf8'), 'pg_dump', {
    BACKUP_URL: source.adminUrl.replace(/\?.*/, ''),
  })

  const target = await installOnCluster(t, { isEmpty: true })
  await runBlock(documented, 'pg_restore', { DATABASE_URL: target.url })
  await distributeDatabase(target.url)
  assert.deepEqual(await readAll(target.query), before)
  await checkSchema(target.url)

  const name = `test_${Math.random().toString(36).slice(2)}`
  await source.query(`create database ${name} owner guildhall encoding 'UTF8' template template0`)
  t.after(() => dropOnCluster(clusterUrl ?? '', name))
  const at = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  await runBlock(documented, 'pg_restore', { DATABASE_URL: at(source.url) })
  assert.deepEqual(await readAll(await connect(t, at(source.adminUrl))), before)
  await checkSchema(at(source.url))
})
