import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { raw } from 'sql-template-tag'
import { startProxy } from '../../../test/proxy.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld } from '../../../test/world.ts'
import { buildApp } from '../../app.ts'
import { getTenantBySlug } from '../../features/tenants/tenants.ts'
import { Database, type Sql, statement } from './database.ts'
import { ConstraintError, UnavailableError } from './errors.ts'

const world = await createWorld()
const { ask, url } = world.postgres
const { id: tenant } = await getTenantBySlug(world.database, 'default')
const { ann, ben, path: acme } = await world.organization()

/** A database of its own kind, closed with the test. */
function open(
  t: TestContext,
  options: { size?: number; url?: string; onError?: (error: Error) => void } = {},
): Database {
  const { url: at = url, ...rest } = options
  const database = new Database(at, rest)
  t.after(() => database.close())
  return database
}

function pidOf(database: Database): Promise<unknown> {
  return database.inTenant(tenant, async (sql) => (await sql<{ pid: number }>`select pg_backend_pid() as pid`)[0]?.pid)
}

/**
 * Stands between a client and the server. While it is told to hold, it keeps back whatever the server answers until the client has
 * sent its `commit`: who waits for an answer before that waits for ever.
 */
async function openProxy(t: TestContext): Promise<{
  readonly url: string
  hold(): void
  readonly commits: number
  /** How often the client has sent something. */
  readonly trips: number
}> {
  const target = new URL(url)
  const sockets: Socket[] = []
  const state = { holding: false, commits: 0, trips: 0 }
  const server: Server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    sockets.push(client, upstream)
    let kept: Buffer[] = []
    client.on('data', (chunk) => {
      upstream.write(chunk)
      state.trips++
      if (!chunk.includes('commit\0')) return
      state.commits++
      state.holding = false
      for (const each of kept) client.write(each)
      kept = []
    })
    upstream.on('data', (chunk) => {
      if (state.holding) kept.push(chunk)
      else client.write(chunk)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port) // of a server that listens on a port
  return {
    url: through.href,
    hold: () => {
      state.holding = true
    },
    get commits() {
      return state.commits
    },
    get trips() {
      return state.trips
    },
  }
}

test('a pipeline sends all statements before it waits for an answer', async (t) => {
  const proxy = await openProxy(t)
  const database = open(t, { size: 1, url: proxy.url })
  const fly = () =>
    database.flight(tenant, [
      statement`select 1 as one`,
      statement`select current_setting('guildhall.tenant') as tenant`,
      statement`select count(*) as users from users where id = ${ann.id}`,
    ])
  await pidOf(database) // connects

  for (const known of ['statements that it has never heard', 'statements that it knows']) {
    const before = proxy.commits
    proxy.hold()
    const rows = await fly()

    assert.deepEqual(rows, [[{ one: 1 }], [{ tenant }], [{ users: 1 }]], known)
    assert.equal(proxy.commits - before, 1, known)
  }
})

/** The service on one connection of its own, which is open. */
async function openApp(t: TestContext, url: string) {
  const database = open(t, { size: 1, url })
  const app = await buildApp(
    { config: world.app.config, database, keyring: world.keyring },
    { log: false, mailboxKey: undefined },
  )
  t.after(() => app.close())
  await pidOf(database)
  return app
}

test('a reading request takes one pipeline, including the check of its caller', async (t) => {
  const proxy = await openProxy(t)
  const app = await openApp(t, proxy.url)
  const headers = { authorization: `Bearer ${ann.token}` }

  for (const path of ['/api/users/me', '/api/users/me/devices', '/api/users/me/audit', '/api/organizations', acme]) {
    for (const url of path === acme ? [acme, `${acme}/members`, `${acme}/invites`, `${acme}/audit`] : [path]) {
      const before = proxy.commits
      proxy.hold()
      const answer = await app.inject({ url, headers })
      assert.equal(answer.statusCode, 200, url)
      assert.equal(proxy.commits - before, 1, url)
    }
  }
})

test('creating, changing, inviting, accepting, changing a role and removing take at most five round trips each, including caller and commit', async (t) => {
  const proxy = await openProxy(t)
  const app = await openApp(t, proxy.url)
  const cleo = await world.person('Cleo')
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, token: string, payload?: object) => {
    const before = proxy.trips
    const answer = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    })
    assert.ok(answer.statusCode < 300, `${method} ${url}: ${answer.body}`)
    assert.ok(proxy.trips - before <= 5, `${method} ${url} made ${proxy.trips - before} trips`)
    return answer.json()
  }

  await send('PATCH', '/api/users/me', ann.token, { name: 'Anna' })
  const { id } = await send('POST', '/api/organizations', ann.token, { name: 'Flights' })
  const path = `/api/organizations/${id}`
  await send('PATCH', path, ann.token, { name: 'Five Flights' })
  const inviting = {
    method: 'POST',
    url: `${path}/invites`,
    headers: { authorization: `Bearer ${ann.token}` },
  } as const
  await app.inject({ ...inviting, payload: { email: 'first@example.com' } }) // the rates connect
  const invitation = await send('POST', inviting.url, ann.token, { email: cleo.email })
  const { member } = await send('POST', `/api/invites/${invitation.id}/accept`, cleo.token)
  await send('PATCH', `${path}/members/${member.id}`, ann.token, { role: 'admin' })
  await send('DELETE', `${path}/members/${member.id}`, ann.token)
})

test('a failed statement fails its pipeline, and the connection stays usable', async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  const never = statement`select 'never prepared before' as text`

  for (const failing of [statement`select 1 / 0`, statement`select from no_such_table`, statement`this is no SQL`]) {
    await assert.rejects(database.flight(tenant, [statement`select 1 as one`, failing, never]))
    const [rows] = await database.flight(tenant, [never])
    assert.deepEqual(rows, [{ text: 'never prepared before' }])
  }
  assert.equal(await pidOf(database), pid)
})

test('a statement that failed while it was being prepared is prepared the next time', async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  const divide = (by: number) => database.flight(tenant, [statement`select 6 / ${by}::int as sixth`])

  for (let time = 0; time < 2; time++) await assert.rejects(divide(0), /division by zero/)
  assert.deepEqual(await divide(2), [[{ sixth: 3 }]])
  assert.deepEqual(await divide(3), [[{ sixth: 2 }]])
  assert.equal(await pidOf(database), pid)
})

test('two statements of one pipeline may each wait for a lock as long as one alone may', async () => {
  const { email } = ben
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query(`begin; set local guildhall.tenant = '${tenant}'`)
  await holder.query('select from users where id = $1 for update', [ann.id])
  await holder.query('savepoint first')
  await holder.query('select from users where id = $1 for update', [ben.id])
  const lock = (sql: Sql, id: string) => sql<{ email: string }>`select email from users where id = ${id} for update`
  const working = world.database.inTenant(tenant, (sql) => Promise.all([lock(sql, ben.id), lock(sql, ann.id)]))
  await setTimeout(4_000)
  await holder.query('rollback to first')
  await setTimeout(4_000)
  await holder.query('rollback')
  await holder.end()

  const [[found]] = await working
  assert.equal(found?.email, email)
})

test('a reading pipeline cannot write', async () => {
  await assert.rejects(world.database.flight(tenant, [statement`update users set locale = 'en'`]))
  assert.equal((await ask(`select from users where locale = 'en'`)).length, 0)
})

test('a failed transaction leaves nothing behind, and the connection stays usable', async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  const change = async (work: () => Promise<unknown>) =>
    database.inTenant(tenant, async (sql) => {
      await sql`update users set locale = 'fr' where tenant_id = ${tenant} and id = ${ann.id}`
      await work()
      await sql`select 1`
    })

  await assert.rejects(
    change(async () => Promise.reject(new RangeError('ours'))),
    RangeError,
  )
  await assert.rejects(
    database.inTenant(tenant, async (sql) => {
      await sql`update users set locale = 'fr' where tenant_id = ${tenant} and id = ${ann.id}`
      await sql`select 1 / 0`
    }),
  )
  await assert.rejects(
    database.inTenant(tenant, async (sql) => {
      await sql`update users set locale = 'fr' where tenant_id = ${tenant} and id = ${ann.id}`
      await sql`select 1 / 0`.catch(() => {})
      return 'as if nothing had been'
    }),
  )
  await assert.rejects(database.inTenant(tenant, async () => {}, [statement`select 1 / 0`]))
  assert.deepEqual(await ask(`select locale from users where id = $1`, [ann.id]), [{ locale: null }])
  assert.equal(await pidOf(database), pid)
})

test('only a UUID names a tenant, and a refused name takes no connection', async (t) => {
  const database = open(t, { size: 1 })
  for (const wrong of [
    '',
    'default',
    `${tenant}'; drop table users; --`,
    tenant.toUpperCase(),
    ` ${tenant}`,
    `${tenant}\n`,
  ]) {
    await assert.rejects(
      database.inTenant(wrong, async () => {}),
      TypeError,
    )
    await assert.rejects(database.flight(wrong, [statement`select 1`]), TypeError)
  }
  assert.ok(await pidOf(database))
})

test('a deadlocked transaction is retried, and the caller does not notice', async () => {
  let attempts = 0
  let arrived = 0
  let meet: (() => void) | undefined
  const bothHaveOne = new Promise<void>((resolve) => {
    meet = resolve
  })
  const lockBoth = (first: string, second: string) =>
    world.database.inTenant(tenant, async (sql) => {
      attempts++
      await sql`update users set time_zone = 'Europe/Rome' where tenant_id = ${tenant} and id = ${first}`
      if (++arrived === 2) meet?.()
      await bothHaveOne
      await sql`update users set time_zone = 'Europe/Rome' where tenant_id = ${tenant} and id = ${second}`
      return 'done'
    })

  assert.deepEqual(await Promise.all([lockBoth(ann.id, ben.id), lockBoth(ben.id, ann.id)]), ['done', 'done'])
  assert.ok(attempts >= 3, 'one of the two was the victim of the other')
})

/** Fails as PostgreSQL would: `do` takes no parameters, so the code stands in the text. */
const failures = {
  '40001': statement`do $$ begin raise exception using errcode = '40001'; end $$`,
  '40P01': statement`do $$ begin raise exception using errcode = '40P01'; end $$`,
  '53300': statement`do $$ begin raise exception using errcode = '53300'; end $$`,
  '55P03': statement`do $$ begin raise exception using errcode = '55P03'; end $$`,
  '57014': statement`do $$ begin raise exception using errcode = '57014'; end $$`,
}

test('a failure that can be retried is tried four times, then the service is unavailable', async () => {
  for (const [code, failing] of Object.entries(failures)) {
    let attempts = 0
    await assert.rejects(
      world.database.inTenant(tenant, async (sql) => {
        attempts++
        await sql(Object.assign([failing.text], { raw: [failing.text] }))
      }),
      UnavailableError,
      code,
    )
    assert.equal(attempts, code.startsWith('40') ? 4 : 1, code)
  }
})

test('a violated constraint is reported by its name and kind', async () => {
  const refused = async (work: Parameters<Database['inTenant']>[1]) => {
    const error = await world.database.inTenant(tenant, work).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof ConstraintError)
    return [error.constraint, error.kind]
  }

  assert.deepEqual(
    await refused((sql) => sql`update users set email = ${ann.email} where tenant_id = ${tenant} and id = ${ben.id}`),
    ['users_email_key', 'unique'],
  )
  assert.deepEqual(await refused((sql) => sql`update organizations set owner_count = 0 where tenant_id = ${tenant}`), [
    'organizations_keep_an_owner',
    'check',
  ])
  const [, kind] = await refused(
    (sql) => sql`update memberships set user_id = 'user_none' where tenant_id = ${tenant} and user_id = ${ben.id}`,
  )
  assert.equal(kind, 'foreign_key')
})

test('rows have the form of the API: camelCase, times in RFC 3339, counts as numbers', async () => {
  const [row] = await world.database.inTenant(
    tenant,
    (sql) => sql`
      select timestamptz '2026-01-31 10:30:00.5+01' as created_at, count(*) as member_count, null as a_b_c, '{"a_b":1}'::jsonb as metadata`,
  )
  assert.deepEqual(row, { createdAt: '2026-01-31T09:30:00.500Z', memberCount: 1, aBC: null, metadata: { a_b: 1 } })
})

test('every time is read to the millisecond', async () => {
  const times = {
    '2026-01-31 10:30:00+01': '2026-01-31T09:30:00.000Z',
    '2026-01-31 09:30:00.5+00': '2026-01-31T09:30:00.500Z',
    '2026-01-31 09:30:59.999999+00': '2026-01-31T09:30:59.999Z',
    '1969-12-31 23:59:59.000001+00': '1969-12-31T23:59:59.000Z',
    '12026-01-31 09:30:00+00': '+012026-01-31T09:30:00.000Z',
  }
  const read = (zone: string) =>
    world.database.inTenant(tenant, async (sql) => {
      await sql`select set_config('timezone', ${zone}, true)`
      return sql<{
        at: string
      }>`select t.at from unnest(${Object.keys(times)}::timestamptz[]) with ordinality t (at, n) order by n`
    })
  for (const zone of ['UTC', 'Asia/Kolkata']) {
    const rows = await read(zone)
    assert.deepEqual(
      rows.map(({ at }) => at),
      Object.values(times),
      zone,
    )
  }
})

test('when no connection is free a request is answered 503, and the service serves again once one is free', async (t) => {
  const database = open(t, { size: 1 })
  const app = await buildApp(
    { config: world.app.config, database, keyring: world.keyring },
    { log: false, mailboxKey: undefined },
  )
  t.after(() => app.close())
  let free: (() => void) | undefined
  const isFree = new Promise<void>((resolve) => {
    free = resolve
  })
  const taken = database.inTenant(tenant, async () => isFree)

  const read = () => app.inject({ url: '/api/users/me', headers: { authorization: `Bearer ${ann.token}` } })
  const [refused, answer] = await Promise.all([assert.rejects(pidOf(database), UnavailableError), read()])
  assert.equal(refused, undefined)
  assert.deepEqual([answer.statusCode, answer.json().code], [503, 'unavailable'])
  assert.equal(answer.headers['retry-after'], '1')

  free?.()
  await taken
  assert.equal((await read()).statusCode, 200)
})

test('if PostgreSQL cannot be reached, the service is unavailable', async (t) => {
  const database = open(t, { url: 'postgresql://nobody@127.0.0.1:1/none' })
  await assert.rejects(database.flight(tenant, [statement`select 1`]), UnavailableError)
  await assert.rejects(
    database.inTenant(tenant, async () => {}),
    UnavailableError,
  )
  await assert.rejects(
    database.acrossTenants(async () => {}),
    UnavailableError,
  )
})

test('connections that were terminated while idle are replaced, and the next requests succeed', async (t) => {
  const database = open(t, { size: 5 })
  for (let round = 0; round < 5; round++) {
    const pids = await Promise.all(Array.from({ length: 20 }, () => pidOf(database)))
    const different = [...new Set(pids)]
    // Nobody waits until the pool has noticed.
    await ask('select pg_terminate_backend(pid) from unnest($1::integer[]) pid', [different])
    const rows = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? database.flight(tenant, [statement`select 1 as one`]).then(([each]) => each)
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
    await assert.rejects(database.flight(tenant, [statement`select 1`, terminate]), UnavailableError)
    assert.notEqual(await pidOf(database), pid)
    await assert.rejects(
      database.inTenant(tenant, async (sql) => {
        await sql`update users set locale = 'it' where tenant_id = ${tenant} and id = ${ann.id}`
        await sql`select pg_terminate_backend(pg_backend_pid())`
      }),
      UnavailableError,
    )
    assert.deepEqual(await ask(`select locale from users where id = $1`, [ann.id]), [{ locale: null }])
  }
  assert.ok(await pidOf(database))
})

test('a query on a connection that the network has forgotten fails in time, and the next connection works', async (t) => {
  const proxy = await startProxy(Number(new URL(url).port))
  const database = open(t, { size: 1, url: url.replace(/:\d+\//, `:${proxy.port}/`) })
  const pool = database.libraryPool(1)
  t.after(async () => {
    await pool.end()
    proxy.close()
  })
  const ask = () => [pidOf(database), pool.query('select 1')]
  await Promise.all(ask())

  proxy.forget()
  await Promise.all(ask().map((asked) => assert.rejects(asked)))

  await Promise.all(ask())
})

test('a statement sent after its transaction has ended is refused, and runs in no other transaction', async (t) => {
  const database = open(t, { size: 1 })
  const rename = (sql: Sql) => sql`update users set locale = 'pt' where tenant_id = ${tenant} and id = ${ann.id}`
  let late: Promise<unknown> = Promise.resolve()
  const goOn = async (sql: Sql) => {
    for (let turn = 0; turn < 5; turn++) await sql`select 1`
    await rename(sql)
  }
  const work = async (sql: Sql) => {
    late = goOn(sql)
    late.catch(() => {}) // looked at below
    await sql`select 1`
    throw new RangeError('ours')
  }

  await assert.rejects(database.inTenant(tenant, work), RangeError)
  await database.inTenant(tenant, async (sql) => {
    for (let turn = 0; turn < 10; turn++) await sql`select 1`
  })

  await assert.rejects(late, /transaction was over/)
  assert.deepEqual(await ask(`select from users where locale = 'pt'`), [])
})

test('a value that cannot be read fails only the query that selected it', async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  await assert.rejects(database.flight(tenant, [statement`select 'infinity'::timestamptz as at`]), RangeError)
  assert.deepEqual(await database.flight(tenant, [statement``, statement`select 1 as one`]), [[], [{ one: 1 }]])
  assert.equal(await pidOf(database), pid)
})

test('if work goes on after a failed statement, the transaction is not reported as committed', async (t) => {
  const database = open(t, { size: 1 })
  const unwritable = [(sql: Sql) => sql`select ${{ large: 1n }}::jsonb`, (sql: Sql) => sql`select 1 / 0`]
  for (const failing of unwritable) {
    const work = async (sql: Sql) => {
      await sql`update users set locale = 'nl' where tenant_id = ${tenant} and id = ${ann.id}`
      await failing(sql).catch(() => {})
    }
    await assert.rejects(database.inTenant(tenant, work), /failed, and its work did not/)
  }
  assert.deepEqual(await ask(`select from users where locale = 'nl'`), [])
})

test("a connection whose prepared statements differ from the server's is replaced", async (t) => {
  const database = open(t, { size: 1 })
  await ask('create table shapes (edges int); insert into shapes values (3); grant select on shapes to guildhall')
  const read = () => database.flight(tenant, [statement`select * from shapes`])
  assert.deepEqual(await read(), [[{ edges: 3 }]])

  await ask('alter table shapes alter edges type text')
  assert.deepEqual(await read(), [[{ edges: '3' }]])

  const [[known] = []] = await database.flight(tenant, [
    statement`select name from pg_prepared_statements where statement like '%from shapes'`,
  ])
  await database.flight(tenant, [raw(`deallocate ${known?.name}`)])
  assert.deepEqual(await read(), [[{ edges: '3' }]])
  await ask('drop table shapes')
})

test('a closed pool leaves no connection behind, even if the server does not answer', async (t) => {
  const proxy = await startProxy(Number(new URL(url).port))
  t.after(() => proxy.close())
  const silenced = new Database(url.replace(/:\d+\//, `:${proxy.port}/`), { size: 1 })
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  await pidOf(silenced)
  const connected = sockets()

  proxy.manner = 'hold'
  await silenced.close()

  await until(() => sockets() < connected, 'the connection to be dropped')
})

test("a statement that waited for a lock sees what is committed by then, whatever the server's default isolation", async (t) => {
  const database = open(t)
  await ask(`alter role guildhall set default_transaction_isolation = 'repeatable read'`)
  try {
    const [row] = await database.inTenant(
      tenant,
      (sql) => sql<{ level: string }>`
      select current_setting('transaction_isolation') as level`,
    )
    assert.equal(row?.level, 'read committed')
  } finally {
    await ask('alter role guildhall reset default_transaction_isolation')
  }
})
