/** The pool: connections that are taken, lost, replaced and closed. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type pg from 'pg'
import { raw } from 'sql-template-tag'
import { onConnections } from '../../../test/connections.ts'
import { createDatabase } from '../../../test/database.ts'
import { startProxy } from '../../../test/proxy.ts'
import { until } from '../../../test/smtp.ts'
import { patient } from '../../../test/timeout.ts'
import { createWorld } from '../../../test/world.ts'
import { Database, type Sql, statement } from './database.ts'
import { UnavailableError } from './errors.ts'
import { ofService } from './pool.ts'
import { connect, SchemaError } from './requirements.ts'

const world = await createWorld()
const { query, url } = world.postgres
const { tenantId: tenant } = world
const { open, pidOf } = onConnections(world)
const { ann } = await world.organization()

test('when no connection is free a request is answered 503, and the service serves again once one is free', async (t) => {
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
  t.after(() => free())
  const database = open(t, { size: 1, timeouts: { ...patient, wait: 200 } })
  await until(() => pidOf(database).catch(() => undefined), 'a connection to be open')
  const app = await world.otherApp(database)
  t.after(() => app.close())
  const taken = database.inTenant(tenant, async () => isFree)
  await until(() => database.connections.used === 1, 'the connection to be taken')

  const read = () => app.inject({ url: '/api/users/me', headers: { authorization: `Bearer ${ann.token}` } })
  const [refused, answer] = await Promise.all([assert.rejects(pidOf(database), UnavailableError), read()])
  assert.equal(refused, undefined)
  assert.deepEqual([answer.statusCode, answer.json().code], [503, 'unavailable'])
  assert.equal(answer.headers['retry-after'], '1')

  free()
  await taken
  await until(async () => (await read()).statusCode === 200, 'the service to serve again')
})

test('if PostgreSQL cannot be reached, the service is unavailable', async (t) => {
  const database = open(t, { url: 'postgresql://nobody@127.0.0.1:1/none' })
  await assert.rejects(database.read(tenant, { ones: statement`select 1` }), UnavailableError)
  await assert.rejects(
    database.inTenant(tenant, async () => {}),
    UnavailableError,
  )
  await assert.rejects(
    database.acrossTenants(async () => {}),
    UnavailableError,
  )
})

test('the file of a certificate is read once, so that connections are opened after it has gone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-pool-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'ca.pem')
  await writeFile(file, 'the certificate')
  // The driver reads the file in any mode. The PostgreSQL of tests has no TLS.
  const named = `${url}?sslmode=disable&sslrootcert=${encodeURIComponent(file)}`
  const database = open(t, { url: named, size: 2 })
  await rm(file)
  const pool = database.libraryPool(1)
  t.after(() => pool.end())

  const ones = statement`select 1 as one`
  assert.deepEqual(await database.read(tenant, { ones }, { byKey: true }), { ones: [{ one: 1 }] })
  assert.ok(await pidOf(database))
  assert.deepEqual((await pool.query(ones)).rows, [{ one: 1 }])
  const unreadable = (error: unknown) =>
    error instanceof SchemaError && /^DATABASE_URL cannot be used: ENOENT: .*ca\.pem/.test(error.message)
  assert.throws(() => open(t, { url: named }), unreadable)
  await assert.rejects(connect(named, false), unreadable)
})

test('connections that were terminated while idle are replaced, and the next requests succeed', async (t) => {
  const database = open(t, { size: 5 })
  for (let round = 0; round < 5; round++) {
    const pids = await Promise.all(Array.from({ length: 20 }, () => pidOf(database)))
    const different = [...new Set(pids)]
    // Nobody waits until the pool has noticed.
    await query('select pg_terminate_backend(pid) from unnest($1::integer[]) pid', [different])
    const rows = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? database.read(tenant, { ones: statement`select 1 as one` }).then(({ ones }) => ones)
          : database.inTenant(tenant, (sql) => sql`select 1 as one`),
      ),
    )
    assert.ok(rows.every((each) => each?.[0]?.one === 1))
  }
})

test('a connection that is terminated during its work is dropped, and the next one works', async (t) => {
  const database = open(t, { size: 1 })
  const terminate = statement`select pg_terminate_backend(pg_backend_pid())`

  for (let round = 0; round < 3; round++) {
    const pid = await pidOf(database)
    await assert.rejects(database.read(tenant, { ones: statement`select 1`, terminate }), UnavailableError)
    assert.notEqual(await pidOf(database), pid)
    await assert.rejects(
      database.inTenant(tenant, async (sql) => {
        await sql`update users set locale = 'it' where tenant_id = ${tenant} and id = ${ann.id}`
        await sql`select pg_terminate_backend(pg_backend_pid())`
      }),
      UnavailableError,
    )
    assert.deepEqual(await query(`select locale from users where id = $1`, [ann.id]), [{ locale: null }])
  }
  assert.ok(await pidOf(database))
})

// Before its version 17, PostgreSQL ends no transaction for its length.
const skip = (await query(`select from pg_settings where name = 'transaction_timeout'`)).length === 0
test('if PostgreSQL ends a long transaction, it is unavailable, and the next one succeeds', { skip }, async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  const tooLong = statement`select set_config('transaction_timeout', '50', true), pg_sleep(60)`

  await assert.rejects(
    database.inTenant(tenant, (sql) => sql`${tooLong}`),
    (error) => error instanceof UnavailableError && (error.cause as pg.DatabaseError).code === '25P04',
  )

  assert.notEqual(await pidOf(database), pid)
})

test('a query on a connection that the network has forgotten fails in time, and the next connection works', async (t) => {
  const proxy = await startProxy(Number(new URL(url).port))
  const database = open(t, {
    size: 1,
    url: url.replace(/:\d+\//, `:${proxy.port}/`),
    timeouts: { ...patient, query: ofService.query, pipeline: ofService.pipeline },
  })
  const pool = database.libraryPool(1)
  t.after(async () => {
    await pool.end()
    proxy.close()
  })
  const work = () => [pidOf(database), pool.query('select 1')]
  await Promise.all(work())

  proxy.forget()
  await Promise.all(work().map((each) => assert.rejects(each)))

  await Promise.all(work())
})

test('each connection is kept alive, so that the network does not forget one that is silent', async (t) => {
  const database = open(t, { size: 1 })
  const pool = database.libraryPool(1, { isPatient: true })
  t.after(() => pool.end())
  const keeping = t.mock.method(Socket.prototype, 'setKeepAlive')

  await Promise.all([pidOf(database), pool.query('select 1')])

  const kept = keeping.mock.calls.filter(({ arguments: [isOn, delay] }) => isOn && delay === 30_000)
  assert.ok(kept.length >= 2, `${kept.length} of two`)
})

test('PostgreSQL looks for the client of a patient connection while a statement waits', async (t) => {
  const pool = open(t, { size: 1 }).libraryPool(1, { isPatient: true })
  t.after(() => pool.end())
  const names = ['client_connection_check_interval', 'tcp_keepalives_idle']
  const { rows } = await pool.query('select current_setting(name) as value from unnest($1::text[]) as name', [names])
  assert.deepEqual(
    rows.map(({ value }) => value),
    ['10s', '30'],
  )
})

test('PostgreSQL notices in time that the machine of a silent client is gone, on every connection', async (t) => {
  const database = open(t, { size: 1 })
  const pool = database.libraryPool(1)
  t.after(() => pool.end())
  const idle = statement`select current_setting('tcp_keepalives_idle') as idle`
  const { rows } = await pool.query(idle)
  assert.deepEqual([await database.read(tenant, { idle }), rows], [{ idle: [{ idle: '30' }] }, [{ idle: '30' }]])
})

test("a connection whose prepared statements differ from the server's is replaced", async (t) => {
  const database = open(t, { size: 1 })
  await query('create table shapes (edges int); insert into shapes values (3); grant select on shapes to guildhall')
  const read = () => database.read(tenant, { shapes: statement`select * from shapes` })
  assert.deepEqual(await read(), { shapes: [{ edges: 3 }] })

  await query('alter table shapes alter edges type text')
  assert.deepEqual(await read(), { shapes: [{ edges: '3' }] })

  const { prepared } = await database.read(tenant, {
    prepared: statement`select name from pg_prepared_statements where statement like '%from shapes'`,
  })
  await database.read(tenant, { nothing: raw(`deallocate ${prepared[0]?.name}`) })
  assert.deepEqual(await read(), { shapes: [{ edges: '3' }] })
  await query('drop table shapes')
})

test('a change whose last pipeline meets other prepared statements than it knows is done on another connection', async (t) => {
  const database = open(t, { size: 1 })
  await query('create table shapes (edges int); insert into shapes values (3); grant all on shapes to guildhall')
  const change = () =>
    database.inTenant(tenant, async (sql) => {
      const [shapes] = await sql.commit([sql`update shapes set edges = edges returning *`])
      return shapes
    })
  assert.deepEqual(await change(), [{ edges: 3 }])

  await query('alter table shapes alter edges type text')
  assert.deepEqual(await change(), [{ edges: '3' }])
  await query('drop table shapes')
})

test('a change whose connection is lost before its last pipeline is sent is done on another one', async (t) => {
  const { promise: isLost, resolve: lose } = Promise.withResolvers<void>()
  const database = open(t, { size: 1, onError: () => lose() })
  const pids: unknown[] = []
  await database.inTenant(tenant, async (sql) => {
    const [row] = await sql<{ pid: number }>`select pg_backend_pid() as pid`
    if (pids.push(row?.pid) === 1) {
      await query('select pg_terminate_backend($1::integer)', [row?.pid])
      await isLost
    }
    await sql.commit([sql`update users set locale = 'nl' where tenant_id = ${tenant} and id = ${ann.id}`])
  })

  assert.equal(pids.length, 2)
  assert.deepEqual(await query('select locale from users where id = $1', [ann.id]), [{ locale: 'nl' }])
})

test('a change that sends only its last pipeline is done on another connection if its own is lost before', async (t) => {
  const { promise: isLost, resolve: lose } = Promise.withResolvers<void>()
  const database = open(t, { size: 1, onError: () => lose() })
  const pid = await pidOf(database)
  let tries = 0
  await database.inTenant(tenant, async (sql) => {
    if (++tries === 1) {
      await query('select pg_terminate_backend($1::integer)', [pid])
      await isLost
    }
    await sql.commit([sql`update users set locale = 'fi' where tenant_id = ${tenant} and id = ${ann.id}`])
  })

  assert.equal(tries, 2)
  assert.deepEqual(await query('select locale from users where id = $1', [ann.id]), [{ locale: 'fi' }])
})

test('a connection that only reads is not kept, and the next change is done on another one', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query('create table shapes (edges int); grant all on shapes to guildhall')
  const name = new URL(url).pathname.slice(1)
  const changes: ((sql: Sql) => Promise<unknown>)[] = [
    (sql) => sql`insert into shapes values (3)`,
    (sql) => sql.commit([sql`insert into shapes values (4)`]),
  ]
  for (const change of changes) {
    await query(`alter database ${name} set default_transaction_read_only = on`)
    const database = open(t, { url, size: 1 })
    await assert.rejects(database.inTenant(tenant, change), UnavailableError)
    const reading = await pidOf(database)

    await query(`set default_transaction_read_only = off; alter database ${name} reset default_transaction_read_only`)
    await database.inTenant(tenant, change)
    assert.notEqual(await pidOf(database), reading)
  }
  assert.deepEqual(await query('select edges from shapes order by 1'), [{ edges: 3 }, { edges: 4 }])
})

test('a closed pool leaves no connection behind, even if the server does not answer', async (t) => {
  const proxy = await startProxy(Number(new URL(url).port))
  t.after(() => proxy.close())
  const silenced = new Database(url.replace(/:\d+\//, `:${proxy.port}/`), { size: 1, timeouts: patient })
  const { mock } = t.mock.method(Socket.prototype, 'setKeepAlive')
  await pidOf(silenced)
  const socket = mock.calls.map((call) => call.this as Socket).find(({ remotePort }) => remotePort === proxy.port) // `this` of a method of sockets
  assert.equal(socket?.destroyed, false)

  proxy.manner = 'hold'
  await silenced.close()

  await until(() => socket?.destroyed, 'the connection to be dropped')
})
