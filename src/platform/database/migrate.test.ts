import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { createDatabase } from '../../../test/database.ts'
import { addMigrations, haveTried } from '../../../test/migrations.ts'
import { until } from '../../../test/smtp.ts'
import { checkSchema, migrate } from './migrate.ts'
import { SchemaError } from './requirements.ts'

const nameOf = (url: string) => new URL(url).pathname.slice(1)

async function connectTo(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => {}) // the test's database may be dropped first
  await client.connect()
  t.after(() => client.end())
  return client
}

test('a migration that cannot get its lock stops with a message, and the next start applies it', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query('drop schema public cascade')
  await query('create schema public authorization guildhall')
  await query('begin')
  await query('create table tenants ()')

  await assert.rejects(
    migrate(url, { attempts: 2 }),
    (error) => error instanceof SchemaError && /^The migration 0001_tenants\.sql was not applied: /.test(error.message),
  )
  await query('rollback')

  assert.equal((await migrate(url))[0], '0001_tenants.sql')
})

test('a session that reads every table, as pg_dump does, keeps neither a start nor a migration waiting', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const { folder, names } = await addMigrations(t, [['later', 'select 1;\n']])
  await query('begin isolation level repeatable read; lock table migrations in access share mode')

  assert.deepEqual(await migrate(url, { attempts: 1 }), [])
  assert.deepEqual(await migrate(url, { folder, attempts: 1 }), names)
  await query('commit')
  assert.deepEqual(await migrate(url, { folder }), [])
})

test('a start that has to migrate waits while another process migrates, and others do not', async (t) => {
  const { url, query, waiting, drop } = await createDatabase()
  t.after(drop)
  const { folder, names } = await addMigrations(t, [['later', 'select 1;\n']])
  await query('begin; lock table migrations in share row exclusive mode')

  assert.deepEqual(await migrate(url, { attempts: 1 }), [])
  await checkSchema(url)
  const migrating = migrate(url, { folder, attempts: 1 })
  await haveTried(query, 3)
  assert.deepEqual(await waiting(), [])
  await query('rollback')
  assert.deepEqual(await migrating, names)
})

test('an index is built concurrently while other processes wait to migrate', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const [holder, builder, changer] = await Promise.all([connectTo(t, url), connectTo(t, url), connectTo(t, url)])
  const { folder, names } = await addMigrations(t, [['later', 'select 1;\n']])
  await holder.query('begin; lock table migrations in share row exclusive mode')

  const work = { isDone: false }
  // PostgreSQL reads the schema's row again after each change, and takes a snapshot for it, which a statement that then waits would keep.
  const change = async () => {
    while (!work.isDone) await changer.query('grant usage on schema public to guildhall')
  }
  const changing = change()
  const migrating = Promise.all([1, 2, 3].map(() => migrate(url, { folder })))
  await haveTried(query, 9)
  await builder.query('create index concurrently rates_again on rates (key)')
  work.isDone = true
  await changing
  await holder.query('rollback')
  assert.deepEqual((await migrating).flat(), names)
})

test('a process that waits for another one to migrate says so once, and waits no longer when it is stopped', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const { folder, names } = await addMigrations(t, [['later', 'select 1;\n']])
  await query('begin; lock table migrations in share row exclusive mode')
  const stopping = new AbortController()
  let said = 0

  const migrating = migrate(url, { folder, signal: stopping.signal, onWait: () => said++ })
  await until(() => said > 0, 'the process to say that it waits')
  await haveTried(query, 3)
  assert.equal(said, 1)
  stopping.abort(new Error('no longer'))
  await assert.rejects(migrating, /^Error: no longer$/)
  await query('rollback')
  assert.deepEqual(await migrate(url, { folder, onWait: () => said++ }), names)
  assert.equal(said, 1)
})

test('a stop ends an index that is being built, and the next process builds it', async (t) => {
  const { url, query, waiting, drop } = await createDatabase()
  t.after(drop)
  const { folder, names } = await addMigrations(t, [
    [
      'index',
      `drop index concurrently if exists rates_again;
create index concurrently if not exists rates_again on rates (key);
`,
    ],
  ])
  const reader = await connectTo(t, url)
  await reader.query('begin isolation level repeatable read; select from rates') // the index waits for it
  const stopping = new AbortController()
  const migrating = migrate(url, { folder, signal: stopping.signal })
  const isBuilding = async () => (await waiting('create index concurrently')).length === 1
  await until(isBuilding, 'the index to be built')

  stopping.abort(new Error('no longer'))
  await assert.rejects(migrating, /^Error: no longer$/)
  await until(async () => !(await isBuilding()), 'PostgreSQL to give it up')
  await assert.rejects(migrate(url, { folder, signal: stopping.signal }), /^Error: no longer$/)
  await reader.query('commit')
  assert.deepEqual(await migrate(url, { folder }), names)
  const index = await query(`select indisvalid as valid from pg_index where indexrelid = 'rates_again'::regclass`)
  assert.deepEqual(index, [{ valid: true }])
})

test('a start says so if it cannot read the version of the schema', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query('begin; lock table migrations in access exclusive mode')
  await assert.rejects(migrate(url, { attempts: 1 }), {
    name: 'SchemaError',
    message: /^The version of the schema was not read: for ten seconds, other transactions have locked a table/,
  })
  await query('rollback')
  assert.deepEqual(await migrate(url), [])
})

test('a table of migrations that older code has made gets its column, unless it stays locked', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query('alter table migrations drop column needs')
  await query('begin; lock table migrations in access share mode')
  await assert.rejects(migrate(url, { attempts: 1 }), /^SchemaError: The table "migrations" was not prepared: /)
  await query('commit')
  assert.deepEqual(await migrate(url), [])
  assert.deepEqual(await query('select distinct needs from migrations where version = 1'), [{ needs: 0 }])
})

test('a migration may take longer than the role lets a statement or a transaction take', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']
  const check = (names: readonly string[]) =>
    `if exists (select from pg_settings where name in ('${names.join("', '")}') and setting <> '0')
      then raise exception 'a timeout is left'; end if;`.replaceAll('\n', ' ')
  const { folder, names } = await addMigrations(t, [
    [
      'table',
      `do $$ begin ${check(timeouts)} end $$;
create function unlimited(text) returns text immutable language plpgsql
  as $$ begin ${check([...timeouts, 'lock_timeout'])} return $1; end $$;
`,
    ],
    ['index', 'create index concurrently if not exists rates_unlimited on rates (unlimited(key));\n'],
  ])
  await query(`insert into rates (key) values ('a row for the index')`)
  const settings = await query<{ name: string }>('select name from pg_settings where name = any($1)', [
    [...timeouts, 'lock_timeout'],
  ])
  assert.ok(settings.length >= 3)
  for (const { name } of settings) await query(`alter role guildhall in database ${nameOf(url)} set ${name} = '10min'`)

  assert.deepEqual(await migrate(url, { folder }), names)
})

test('the connections of a long migration are kept alive from both ends', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const check = `if current_setting('tcp_keepalives_idle') <> '30' or current_setting('tcp_keepalives_interval') <> '10'
    or current_setting('tcp_keepalives_count') <> '6' or current_setting('client_connection_check_interval') <> '10s'
    then raise exception 'PostgreSQL would notice late'; end if;`
  const { folder, names } = await addMigrations(t, [
    [
      'table',
      `do $$ begin ${check} end $$;
create function watched(text) returns text immutable language plpgsql as $$ begin ${check} return $1; end $$;
`,
    ],
    ['index', 'create index concurrently if not exists rates_watched on rates (watched(key));\n'],
  ])
  await query(`insert into rates (key) values ('a row for the index')`)
  const keeping = t.mock.method(Socket.prototype, 'setKeepAlive')

  assert.deepEqual(await migrate(url, { folder }), names)
  const twice = Array.from({ length: 2 }, () => [true, 30_000])
  assert.deepEqual(
    keeping.mock.calls.map((call) => call.arguments),
    twice,
  )
})

test('a command does not migrate the schema, and says what does', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await checkSchema(url)
  await query('delete from migrations where version = (select max(version) from migrations)')
  await assert.rejects(checkSchema(url), /older than this code .* start the service or run "guildhall migrate"/)
  await query(`insert into migrations (version, name, needs) values (9999, '9999_later.sql', 9998)`)
  await assert.rejects(checkSchema(url), /The schema is at version 9999, newer than this code \(\d+\), and needs code/)
  await query('alter table migrations drop column needs') // as older code has made it
  await checkSchema(url)
  await query('drop schema public cascade')
  await query('create schema public authorization guildhall')
  await assert.rejects(checkSchema(url), /The database has no schema yet/)
  assert.deepEqual(await query(`select from pg_class where relnamespace = 'public'::regnamespace`), [], 'none was made')
})

test('the error says so if the database is read-only', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query(`alter database ${nameOf(url)} set default_transaction_read_only = on`)
  await assert.rejects(
    migrate(url),
    (error) =>
      error instanceof SchemaError && /^The database is read-only: default_transaction_read_only/.test(error.message),
  )
})

test('a login that needs a password and has none is given up, without waiting for PostgreSQL to do so', async (t) => {
  const { url, drop } = await createDatabase()
  t.after(drop)
  const lead = createServer()
  t.after(() => lead.close())
  const closed = new Promise((resolve) => {
    lead.once('connection', (client) => {
      const server = connect(Number(new URL(url).port), '127.0.0.1')
      for (const each of [client, server]) each.on('error', () => {}) // one may be written to when it has ended
      client.pipe(server).pipe(client)
      client.on('data', (sent: Buffer) => sent.toString('latin1').startsWith('X') && resolve('by the client')) // Terminate
      server.once('end', () => resolve('by PostgreSQL'))
    })
  })
  await once(lead.listen(0, '127.0.0.1'), 'listening')
  const through = new URL(url)
  through.password = ''
  through.port = String((lead.address() as AddressInfo).port) // it listens on a port
  await assert.rejects(migrate(through.href), /asks for the password .*, but DATABASE_URL has no password\.$/)
  assert.equal(await closed, 'by the client')
})

test('a database that does not belong to the role is refused with the statement that creates one', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query('drop schema public cascade')
  await query('create schema public') // of the superuser
  await assert.rejects(
    migrate(url),
    (error) =>
      error instanceof SchemaError &&
      /does not belong to the role "guildhall".* template template0;$/.test(error.message),
  )
})

test('the service can migrate with the role and the database of docs/operate/postgres.md', async (t) => {
  const { url, query, drop } = await createDatabase()
  const name = `${new URL(url).pathname.slice(1)}_own`
  t.after(async () => {
    await query(`drop database if exists ${name}`)
    await query(`drop role if exists ${name}`)
    await drop()
  })
  const documented = readFileSync(new URL('../../../docs/operate/postgres.md', import.meta.url), 'utf8')
  const [, block = '', password = ''] =
    /```sql\n(.*? password '(.*?)'.*?)```/s.exec(documented) ?? assert.fail('the guide has no SQL')
  for (const statement of block.replace(/\bguildhall\b/g, name).split(';')) await query(statement)

  const own = new URL(url)
  Object.assign(own, { username: name, password, pathname: `/${name}` })
  assert.equal((await migrate(own.href))[0], '0001_tenants.sql')
})

test('processes that migrate an empty database at the same time apply each migration once', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  for (let round = 0; round < 5; round++) {
    await query('drop schema public cascade')
    await query('create schema public authorization guildhall')
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url)))
    assert.equal(new Set(applied.flat()).size, applied.flat().length, 'each was applied once')
  }
})
