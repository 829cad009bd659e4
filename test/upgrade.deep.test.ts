/** Upgrading: this version reads the rows of older services, and keeps serving on a newer schema. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { codeAt } from '../src/domain/credentials/totp.ts'
import { checkSchema, migrate, migrationsFolder } from '../src/platform/database/migrate.ts'
import { SchemaError } from '../src/platform/database/requirements.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { startService } from '../src/process/serve.ts'
import { createDatabase } from './database.ts'
import { kept, listFixtures, readFixture } from './fixtures.ts'
import { addMigrations } from './migrations.ts'
import { freePort } from './ports.ts'
import { until } from './smtp.ts'
import { underLoad } from './under-load.ts'
import { Client, createWorld, type Json } from './world.ts'

/** Changes that a release may make while the one before serves, on tables that every request uses. */
const tomorrow = [
  [
    'additions',
    `create table of_tomorrow (tenant_id uuid not null, id text not null, primary key (tenant_id, id));
    alter table of_tomorrow enable row level security;
    alter table of_tomorrow force row level security;
    create policy tenant on of_tomorrow using (tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid);
    alter table users add column of_tomorrow text;
    alter table organizations add column of_tomorrow text not null default 'free';
    alter table sessions add constraint sessions_type_length check (length(type) < 100) not valid;`,
  ],
  ['validation', 'alter table sessions validate constraint sessions_type_length;'],
  [
    'index',
    `drop index concurrently if exists audit_entries_by_actor;
create index concurrently if not exists audit_entries_by_actor on audit_entries (tenant_id, actor_subject, id);`,
  ],
] as const

test('the newest version of the schema and a few before it have fixtures', async () => {
  const { length: newest } = await readdir(migrationsFolder)
  const versions = listFixtures()
  assert.equal(versions.at(-1), String(newest).padStart(4, '0'), 'run: npm run fixture')
  assert.ok(versions.length > 1 && versions.length <= kept, versions.join())
})

for (const version of listFixtures()) {
  test(`data written on schema ${version} is read back: people, organizations, logs, sessions, links, cursors, keys, jobs`, async (t) => {
    const postgres = await createDatabase()
    await postgres.query('drop schema public cascade')
    await postgres.query('create schema public authorization guildhall')
    await migrate(postgres.url, { upTo: Number(version) })
    const { sql, fixture, age } = readFixture(version)
    await postgres.query(sql)
    // As rows from before migration 0021 that nobody has filled in; 0032 does.
    if (Number(version) < 32) await postgres.query(`update audit_details set action = ''`)
    await migrate(postgres.url)
    const others = 'select from audit_details d join audit_entries e on e.id = d.entry_id where d.action <> e.action'
    assert.deepEqual(await postgres.query(others), [])
    const world = await createWorld({ postgres, worker: true, settings: { PUBLIC_URL: 'http://127.0.0.1:3000' } })

    for (const { method, path, headers, body: fields, totp, status, answer } of fixture.exchanges) {
      // The time inside an encrypted cursor cannot be moved.
      if (path.includes('cursor=')) t.mock.timers.enable({ apis: ['Date'], now: Date.now() - age })
      const body = totp ? { ...fields, totp: codeAt(totp, Math.floor(Date.now() / 30_000)) } : fields
      const given = await new Client(world, headers).request(path, { method, body })
      t.mock.timers.reset()
      const place = `${method} ${path}`
      assert.equal(given.status, status, `${place}: ${JSON.stringify(given.body)}`)
      assert.deepEqual(shared(given.body, answer), answer, place)
    }
    await until(async () => (await world.mails('late@example.com')).length === 1, 'the mail that waited in the queue')
  })
}

test('no request fails while a newer release migrates under load, and the older code starts again on its schema', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const { folder, names: versions } = await addMigrations(t, tomorrow)
  const port = await freePort()
  const secret = 'a secret that is only used in tests'
  const config = readConfig({ DATABASE_URL: url, GUILDHALL_SECRET: secret, PORT: String(port), LIMITS: 'off' })
  const serveWhile = async (work: () => Promise<void>) => {
    const service = await startService(config, false)
    await underLoad(`http://127.0.0.1:${port}`, query, work).finally(() => service.stop())
  }

  await serveWhile(async () => {
    // Like a backup, this reads a table for longer than a request may wait.
    const reader = new pg.Client(url)
    await reader.connect()
    await reader.query('begin; lock table users in access share mode')
    const migrated = migrate(url, { folder })
    const waiting = `select from pg_locks where not granted and relation = 'users'::regclass`
    await until(async () => (await query(waiting)).length > 0, 'the migration to wait for the reader')
    await setTimeout(2_500)
    await reader.end()
    assert.deepEqual(await migrated, versions)
  })
  await serveWhile(async () => {
    const named = ['audit_entries_by_actor']
    const index = await query('select indisvalid as valid from pg_index where indexrelid = $1::regclass', named)
    assert.deepEqual(index, [{ valid: true }])
  })
})

test('after a migration that removes what older code uses, that code does not start', async (t) => {
  const { url, drop } = await createDatabase()
  t.after(drop)
  const latest = (await readdir(migrationsFolder)).length
  const needed = String(latest + 1).padStart(4, '0')
  const { folder } = await addMigrations(t, [
    ['addition', 'alter table users add column of_tomorrow text;'],
    [
      'removal',
      `-- Takes away what no code since ${needed} reads.\n-- needs ${needed}\nalter table users drop column locale;`,
    ],
  ])
  await migrate(url, { folder, upTo: latest + 1 })
  await checkSchema(url)

  await migrate(url, { folder })
  for (const start of [migrate, checkSchema]) {
    await assert.rejects(
      start(url),
      (error) => error instanceof SchemaError && error.message.includes(`needs code of version ${latest + 1} or later`),
    )
  }
  assert.deepEqual(await migrate(url, { folder, upTo: latest + 1 }), [], 'the code of the release between')
})

/** @returns the parts of a value that an older version knows, because present answers may have more fields, and people more permissions */
function shared(value: Json, older: Json): Json {
  if (typeof older !== 'object' || older === null || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each, index) => shared(each, older[index]))
  return Object.fromEntries(
    Object.entries<Json>(value).flatMap(([name, each]) => {
      if (!(name in older)) return []
      if (name === 'permissions') return [[name, each.filter((key: Json) => older[name].includes(key))]]
      return [[name, shared(each, older[name])]]
    }),
  )
}
