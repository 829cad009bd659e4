/** The command `guildhall distribute`. All but the first test need a Citus cluster, which CITUS_URL names. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { createOnCluster, dropOnCluster } from '../../../test/cluster-database.ts'
import { createDatabase } from '../../../test/database.ts'
import { listFixtures, readFixture } from '../../../test/fixtures.ts'
import { distributeDatabase } from './distribute.ts'
import { unfinishedTable } from './distribution.ts'
import { checkSchema, migrate, migrationsFolder } from './migrate.ts'

const clusterUrl = process.env.CITUS_URL
const onCluster = { skip: clusterUrl ? false : 'CITUS_URL names no Citus cluster' }

test('a server without Citus is refused with what to do', { skip: Boolean(clusterUrl) }, async (t) => {
  const { url, drop } = await createDatabase()
  t.after(drop)
  await assert.rejects(
    distributeDatabase(url),
    /has no extension citus\. Run on each node, .*: create extension citus;$/,
  )
})

/** A database on the cluster that is not distributed, with the rows of a fixture. */
async function installOnCluster(t: TestContext) {
  const name = `test_${Math.random().toString(36).slice(2)}`
  const { url, adminUrl } = await createOnCluster(clusterUrl ?? '', name, { isDistributed: false })
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await dropOnCluster(clusterUrl ?? '', name)
  })
  await admin.query(readFixture(listFixtures().at(-1) ?? '').sql)
  return { url, query: async (text: string) => (await admin.query(text)).rows }
}

/** What must be the same before and after: each table's rows, and the foreign keys. */
async function readAll(query: (text: string) => Promise<Record<string, unknown>[]>) {
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
  assert.ok(
    plan.some((line) => /^Would distribute users by tenant_id \(/.test(line)),
    plan.join('\n'),
  )
  assert.deepEqual(await readAll(query), before, 'a plan changes nothing')

  const interruptAt = /^Done: put on the foreign key/
  const say = (line: string) => {
    if (interruptAt.test(line)) throw new RangeError('interrupted')
  }
  await assert.rejects(distributeDatabase(url, { say }), RangeError)
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

test('what is missing is refused before anything changes', onCluster, async (t) => {
  const { url, query } = await installOnCluster(t)
  const refused = async (change: string, restore: string, message: RegExp) => {
    await query(change)
    const before = await readAll(query)
    await assert.rejects(distributeDatabase(url), { name: 'SchemaError', message })
    assert.deepEqual(await readAll(query), before)
    await query(restore)
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
  const service = new pg.Client({ connectionString: url, application_name: 'guildhall' })
  await service.connect()
  await assert.rejects(distributeDatabase(url), /^SchemaError: Stop every service and command first\. .* 1 connections/)
  await service.end()
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
