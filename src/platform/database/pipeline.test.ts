/** Pipelines: statements that are sent together, and the round trips of requests. */
import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { raw } from 'sql-template-tag'
import { onConnections } from '../../../test/connections.ts'
import { holdRow } from '../../../test/holding.ts'
import { until } from '../../../test/smtp.ts'
import { patient } from '../../../test/timeout.ts'
import { createWorld, type Person } from '../../../test/world.ts'
import { pipeline, type Sql, statement } from './database.ts'
import { UnavailableError } from './errors.ts'
import { mostPrepared } from './pipeline.ts'
import { ofService } from './pool.ts'

const world = await createWorld()
const { query, url } = world.postgres
const { tenantId: tenant } = world
const { open, pidOf } = onConnections(world)
const { ann, ben, path: acme } = await world.organization()

type Method = 'POST' | 'PATCH' | 'DELETE'
const guest = (number: number) => `guest-${number}@example.com`

/** The message at the end of a pipeline. */
const sync = Buffer.from([0x53, 0, 0, 0, 4])

/**
 * Stands between a client and the server. While it holds, it keeps back the server's answers until the client has sent its
 * `commit`: a client that waits for an answer before that waits for ever.
 */
async function openProxy(t: TestContext): Promise<{
  readonly url: string
  hold(): void
  readonly commits: number
  /** How often the client has waited for the answers to what it has sent. */
  readonly trips: number
}> {
  const target = new URL(url)
  const sockets: Socket[] = []
  const state = { holding: false, commits: 0, trips: 0 }
  const server: Server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    sockets.push(client, upstream)
    let kept: Buffer[] = []
    let last = Buffer.alloc(0)
    client.on('data', (chunk) => {
      upstream.write(chunk)
      last = Buffer.concat([last, chunk]).subarray(-sync.length) // the network may cut it
      if (last.equals(sync)) state.trips++
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
    database.read(tenant, {
      ones: statement`select 1 as one`,
      tenants: statement`select current_setting('guildhall.tenant') as tenant`,
      counts: statement`select count(*) as users from users where id = ${ann.id}`,
    })
  await pidOf(database) // connects

  for (const known of ['statements that it has never heard', 'statements that it knows']) {
    const before = proxy.commits
    proxy.hold()
    const rows = await fly()

    assert.deepEqual(rows, { ones: [{ one: 1 }], tenants: [{ tenant }], counts: [{ users: 1 }] }, known)
    assert.equal(proxy.commits - before, 1, known)
  }
})

/** The service on one connection of its own, which is open. */
async function openApp(t: TestContext, url: string) {
  const database = open(t, { size: 1, url })
  const app = await world.otherApp(database)
  t.after(() => app.close())
  await pidOf(database)
  // The use of a session is noted after the answer, at most once a minute. That would take the only connection.
  await query('update sessions set last_active_at = now()')
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

test('a back end that verifies a credential takes one pipeline, for both credentials', async (t) => {
  const proxy = await openProxy(t)
  const app = await openApp(t, proxy.url)
  const key = await world.key(['credentials:verify'])
  await query('update api_key_secrets set last_used_at = now()')
  await query('update memberships set last_active_at = now()')
  const payload = { credential: ann.token, organization: acme.split('/').at(-1), permissions: ['members:update'] }

  for (const refused of [false, true]) {
    const before = proxy.commits
    proxy.hold()
    const answer = await app.inject({
      method: 'POST',
      url: '/api/credentials/verify',
      headers: { authorization: `Bearer ${key.token}` },
      payload: { ...payload, ...(refused && { credential: ben.token, permissions: ['organization:delete'] }) },
    })
    assert.deepEqual([answer.statusCode, answer.json().valid], [200, !refused])
    assert.equal(proxy.commits - before, 1)
  }
})

test('a change takes as few round trips as its locks allow, including caller and commit', async (t) => {
  const proxy = await openProxy(t)
  const app = await openApp(t, proxy.url)
  const cleo = await world.person('Cleo')
  const made: Record<string, number> = {}
  const send = async (what: string, { token }: Person, method: Method, url: string, payload?: object, key?: string) => {
    // The use of a membership is noted after the answer, too.
    await query('update memberships set last_active_at = now()')
    const before = proxy.trips
    const headers = { authorization: `Bearer ${token}`, ...(key && { 'idempotency-key': key }) }
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    assert.ok(answer.statusCode < 300, `${method} ${url}: ${answer.body}`)
    made[what] = proxy.trips - before
    return answer.json()
  }

  await send('profile', ann, 'PATCH', '/api/users/me', { name: 'Anna' })
  const { id } = await send('create', ann, 'POST', '/api/organizations', { name: 'Pipelines' })
  const path = `/api/organizations/${id}`
  await send('update', ann, 'PATCH', path, { name: 'Two Pipelines' })
  const invitation = await send('invite', ann, 'POST', `${path}/invites`, { email: cleo.email })
  await send('invite with a key', ann, 'POST', `${path}/invites`, { email: guest(1) }, 'trips')
  await send('replay', ann, 'POST', `${path}/invites`, { email: guest(1) }, 'trips')
  const other = await send('invite again', ann, 'POST', `${path}/invites`, { email: guest(2) })
  await send('resend', ann, 'POST', `${path}/invites/${other.id}/resend`)
  await send('revoke', ann, 'DELETE', `${path}/invites/${other.id}`)
  const { member } = await send('accept', cleo, 'POST', `/api/invites/${invitation.id}/accept`)
  await send('change role', ann, 'PATCH', `${path}/members/${member.id}`, { role: 'admin' })
  await send('change nothing', ann, 'PATCH', `${path}/members/${member.id}`, { role: 'admin' })
  await send('remove', ann, 'DELETE', `${path}/members/${member.id}`)

  // Rates are counted on connections of their own.
  assert.deepEqual(made, {
    profile: 3,
    create: 3,
    update: 2,
    invite: 2,
    'invite with a key': 3,
    replay: 3,
    'invite again': 2,
    resend: 2,
    revoke: 2,
    accept: 3,
    'change role': 2,
    'change nothing': 2,
    remove: 2,
  })
})

test('a failed statement fails its pipeline, and the connection stays usable', async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  const never = statement`select 'never prepared before' as text`

  for (const failing of [statement`select 1 / 0`, statement`select from no_such_table`, statement`this is no SQL`]) {
    await assert.rejects(database.read(tenant, { ones: statement`select 1 as one`, failing, never }))
    const rows = await database.read(tenant, { never })
    assert.deepEqual(rows.never, [{ text: 'never prepared before' }])
  }
  assert.equal(await pidOf(database), pid)
})

test('a statement that failed while it was being prepared is prepared the next time', async (t) => {
  const database = open(t, { size: 1 })
  const pid = await pidOf(database)
  const divide = (by: number) => database.read(tenant, { sixths: statement`select 6 / ${by}::int as sixth` })

  for (let time = 0; time < 2; time++) await assert.rejects(divide(0), /division by zero/)
  assert.deepEqual(await divide(2), { sixths: [{ sixth: 3 }] })
  assert.deepEqual(await divide(3), { sixths: [{ sixth: 2 }] })
  assert.equal(await pidOf(database), pid)
})

/**
 * Sends two statements together, each of which waits for a lock a bit more than half as long as a statement may: together they wait longer.
 *
 * @param limit how long a statement may wait, in milliseconds; the other limits are to it as those of a service
 * @returns what the first one has read @throws if one has waited too long
 */
async function waitTwice(t: TestContext, limit: number): Promise<string | undefined> {
  const scaled = (timeout: number) => (timeout * limit) / ofService.statement
  const timeouts = {
    ...patient,
    statement: limit,
    query: scaled(ofService.query),
    pipeline: scaled(ofService.pipeline),
  }
  const database = open(t, { size: 1, timeouts })
  await pidOf(database) // connects
  const release = await holdRow(t, world.postgres, 'users', ann.id)
  await query('savepoint first')
  await query('select from users where id = $1 for update', [ben.id])
  const lock = (sql: Sql, id: string) => sql<{ email: string }>`select email from users where id = ${id} for update`
  let isOver = false
  const working = database
    .inTenant(tenant, (sql) => Promise.all([lock(sql, ben.id), lock(sql, ann.id)]))
    .finally(() => {
      isOver = true
    })
  working.catch(() => {}) // below, it is waited for
  const hasWaited = async () => {
    const waiting = await query(
      `select from pg_locks
       where not granted and waitstart < clock_timestamp() - make_interval(secs => $1)
         and pid in (select pid from pg_stat_activity where datname = current_database())`,
      [(0.52 * limit) / 1_000],
    )
    return isOver || waiting.length > 0
  }
  try {
    await until(hasWaited, 'the first to wait')
    await query('rollback to first')
    await until(hasWaited, 'the second to wait')
    t.mock.timers.tick(2 * limit) // as long as both may wait
  } finally {
    await release()
  }
  const [[found]] = await working
  return found?.email
}

test('two statements of one pipeline may each wait for a lock as long as one alone may', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] }) // those of the driver, all of them: a real one could not be cleared any more
  // A slow machine may look too late, when a statement has waited for longer than it may. It looks in time if the limit is larger.
  const isUnavailable = (error: unknown) => {
    if (!(error instanceof UnavailableError)) throw error
  }
  const found =
    (await waitTwice(t, 5_000).catch(isUnavailable)) ??
    (await waitTwice(t, 20_000).catch(isUnavailable)) ??
    (await waitTwice(t, 80_000))
  assert.equal(found, ben.email)
})

test('a reading pipeline cannot write', async () => {
  await assert.rejects(world.database.read(tenant, { changed: statement`update users set locale = 'en'` }))
  assert.equal((await query(`select from users where locale = 'en'`)).length, 0)
})

test('the number of statements that a connection keeps prepared is limited, and it prepares a closed one again', async (t) => {
  const database = open(t, { size: 1 })
  const [perPipeline, runs] = [50, Math.ceil((2.2 * mostPrepared) / 50)]
  const columnOf = (run: number, index: number) => `x${run}y${index}`
  const readRun = (run: number) =>
    database.read(
      tenant,
      Object.fromEntries(
        Array.from({ length: perPipeline }, (_, index) => [
          `s${index}`,
          statement`select ${run}::int as ${raw(columnOf(run, index))}`,
        ]),
      ),
    )
  const check = async (run: number) => {
    const rows = await readRun(run)
    for (let index = 0; index < perPipeline; index++)
      assert.deepEqual(rows[`s${index}`], [{ [columnOf(run, index)]: run }])
  }
  const counted = { count: statement`select count(*) from pg_prepared_statements` }
  for (let run = 0; run < runs; run++) {
    await check(run)
    await check(0)
    const { count } = await database.read(tenant, counted)
    // Those of a pipeline may be beyond, and those that open and end a transaction.
    assert.ok(Number(count[0]?.count) < mostPrepared + 2 * perPipeline, `${count[0]?.count} in run ${run}`)
  }
})

test('a connection closes prepared statements between the pipelines of a transaction, and after one that fails', async (t) => {
  const database = open(t, { size: 1 })
  const select = (name: string) => statement`select 1 as ${raw(name)}`
  await database.inTenant(tenant, async (sql) => {
    for (let run = 0; run < mostPrepared + 10; run++) {
      const [[row], [same]] = await pipeline([
        sql<{ [name: string]: number }>`${select(`within${run}`)}`,
        sql<{ same: number }>`${select('same')}`,
      ])
      assert.deepEqual([row, same], [{ [`within${run}`]: 1 }, { same: 1 }])
    }
  })
  for (let run = 0; run < 1.2 * mostPrepared; run++)
    await assert.rejects(
      database.read(tenant, { prepared: select(`before${run}`), failing: statement`select 1 / 0 as failing` }),
    )
  const { count } = await database.read(tenant, {
    count: statement`select count(*) from pg_prepared_statements`,
  })
  assert.ok(Number(count[0]?.count) < mostPrepared + 20, String(count[0]?.count))
})
