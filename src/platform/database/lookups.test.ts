/** Look-ups: what shares a trip, what becomes of the others when one fails, and how long they wait. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { onConnections } from '../../../test/connections.ts'
import { type Fate, startProxy } from '../../../test/proxy.ts'
import { until } from '../../../test/smtp.ts'
import { patient } from '../../../test/timeout.ts'
import { createWorld } from '../../../test/world.ts'
import { Database, statement } from './database.ts'
import { UnavailableError } from './errors.ts'

const world = await createWorld()
const { query, awaitLine, url } = world.postgres
const { tenantId: tenant } = world
const { pidOf } = onConnections(world)

/** The steps of each transaction here; each is one message `Bind`, and is answered by one message `CommandComplete`. */
const steps = ['begin', 'wall', 'number', 'square', 'commit'] as const

/** A look-up whose rows tell whose they are. A divisor of 0 makes it fail. */
async function lookUp(database: Database, number: number, divisor = 1): Promise<number[]> {
  const { numbers, squares } = await database.read(
    tenant,
    {
      numbers: statement`select ${number}::int as number`,
      squares: statement`select ${number}::int * ${number}::int / ${divisor}::int as square`,
    },
    { byKey: true },
  )
  return [numbers[0]?.number, squares[0]?.square] as number[]
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const together = (database: Database, count: number) =>
  Promise.all(upTo(count).map((number) => lookUp(database, number)))
const rowsUpTo = (count: number) => upTo(count).map((number) => [number, number * number])

/** A database behind a proxy, whose first connection knows all statements. */
async function openWatched(t: TestContext, options: { size?: number; isPooled?: boolean } = {}) {
  const proxy = await startProxy(Number(new URL(url).port))
  const database = new Database(url.replace(/:\d+\//, `:${proxy.port}/`), { size: 1, ...options, timeouts: patient })
  t.after(async () => {
    await database.close()
    proxy.close()
  })
  await lookUp(database, 1)
  /** How many transactions each write of the client contains. */
  const sent: number[] = []
  let judge: (from: 'client' | 'server', piece: Buffer, transactions: number, connection: object) => Fate = () => 'pass'
  proxy.inspect = (from, piece, connection) => {
    const transactions = from === 'client' ? messagesIn(piece).filter(isCommit).length : 0
    if (transactions > 0) sent.push(transactions)
    return judge(from, piece, transactions, connection)
  }
  return {
    database,
    proxy,
    sent,
    judgeBy: (next: typeof judge) => {
      judge = next
    },
  }
}

interface Message {
  readonly type: string
  readonly body: Buffer
}

/** The messages of the protocol in these bytes, which are the same memory. The first one of a connection has no type, and is left out. */
function messagesIn(bytes: Buffer): Message[] {
  const found: Message[] = []
  if (bytes[0] === 0) return found
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1))
    found.push({
      type: String.fromCharCode(bytes[at] ?? 0),
      body: bytes.subarray(at + 5, at + 1 + bytes.readInt32BE(at + 1)),
    })
  return found
}

/** Runs the prepared statement `commit`, or parses it without a name. */
const isCommit = ({ body }: Message) => body.toString('latin1').startsWith('\0commit\0')

/** Makes one step of one transaction fail: names a prepared statement that there is not, or misspells `set local`. */
function spoil(bytes: Buffer, transaction: number, step: (typeof steps)[number]): void {
  const binds = messagesIn(bytes).filter(({ type }) => type === 'B')
  const walls = messagesIn(bytes).filter(({ type }) => type === 'P')
  const spoilt =
    step === 'wall' ? walls[transaction]?.body : binds[transaction * steps.length + steps.indexOf(step)]?.body
  assert.ok(spoilt)
  spoilt[1] = '?'.charCodeAt(0) // after the empty name of the prepared statement, or that of the portal
}

test('look-ups of one turn of the event loop go out together, up to sixteen in one write and in four writes at once, and lists go alone', async (t) => {
  const { database, sent } = await openWatched(t, { size: 4 })
  await together(database, 64)
  await until(() => database.connections.idle === 4, 'four connections to be open')

  for (const [count, writes] of [
    [4, [4]],
    [6, [3, 3]],
    [20, [5, 5, 5, 5]],
    [64, [16, 16, 16, 16]],
    [66, [16, 16, 16, 16, 2]],
  ] as const) {
    sent.length = 0
    assert.deepEqual(await together(database, count), rowsUpTo(count))
    assert.deepEqual(sent, writes)
  }
  sent.length = 0

  const list = () => database.read(tenant, { all: statement`select generate_series(1, 3) as number` })
  const lists = await Promise.all([list(), list()])
  assert.deepEqual(
    lists.map(({ all }) => all.length),
    [3, 3],
  )
  assert.deepEqual(sent, [1, 1])
  assert.equal(database.connections.idle, 4)
})

test('look-ups that arrive while four trips are under way wait, and go out together when one of them is back', async (t) => {
  const { database, sent } = await openWatched(t, { size: 10 })
  await query('select pg_advisory_lock(1)')
  const waitForLock = () =>
    database.read(tenant, { locks: statement`select pg_advisory_xact_lock_shared(1)` }, { byKey: true })
  const first: Promise<unknown>[] = []
  for (const line of upTo(4)) {
    first.push(waitForLock())
    await awaitLine(line)
  }
  assert.deepEqual(sent.splice(0), [1, 1, 1, 1])

  const later: Promise<number[]>[] = []
  for (const number of upTo(3)) {
    later.push(lookUp(database, number))
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.deepEqual([sent, database.connections.waiting], [[], 3])
  await query('select pg_advisory_unlock(1)')
  await Promise.all(first)
  assert.deepEqual(await Promise.all(later), rowsUpTo(3))
  assert.equal(sent[0], 3)
})

for (const step of steps) {
  test(`if the step ${step} of a look-up fails, PostgreSQL runs nothing after it, and each look-up runs again alone`, async (t) => {
    const { database, sent, judgeBy } = await openWatched(t)
    for (const place of [0, 1, 3]) {
      sent.length = 0
      const answers: Buffer[] = []
      let spoilt: object | undefined
      judgeBy((from, piece, transactions, connection) => {
        if (from === 'server' && connection === spoilt) answers.push(piece)
        if (spoilt || transactions < 2) return 'pass'
        spoilt = connection
        spoil(piece, place, step)
        return 'pass'
      })

      assert.deepEqual(await together(database, 4), rowsUpTo(4))

      assert.deepEqual(sent, [4, 1, 1, 1, 1])
      const types = () => messagesIn(Buffer.concat(answers)).map(({ type }) => type)
      // The error goes ahead of the end of the trip: the look-ups may run again, on a new connection, before the end has come.
      await until(() => types().includes('Z'), 'the end of the trip that failed')
      const first = types().slice(0, types().indexOf('Z') + 1)
      const done = place * steps.length + steps.indexOf(step)
      assert.equal(first.filter((type) => type === 'C').length, done, 'the steps before are done')
      assert.deepEqual(first.slice(first.indexOf('E')), ['E', 'Z'], 'the server skips the rest')
      await isClean(database)
    }
  })
}

/** Nothing of a transaction is left on the connection. */
async function isClean(database: Database): Promise<void> {
  const [left] = await database.acrossTenants(
    (sql) => sql`select coalesce(current_setting('guildhall.tenant', true), '') as tenant`,
  )
  assert.deepEqual(left, { tenant: '' })
}

test('a look-up that fails by itself fails alone, and its connection is used again', async (t) => {
  const { database, sent } = await openWatched(t)
  const pid = await pidOf(database)
  for (const place of [1, 2, 4]) {
    sent.length = 0
    const settled = await Promise.allSettled(
      upTo(4).map((number) => lookUp(database, number, number === place ? 0 : 1)),
    )
    for (const [index, each] of settled.entries()) {
      if (index + 1 !== place) assert.deepEqual(each, { status: 'fulfilled', value: rowsUpTo(4)[index] })
      else assert.match(`${each.status === 'rejected' && each.reason}`, /division by zero/)
    }
    assert.deepEqual(sent, [4, 1, 1, 1, 1])
    await isClean(database)
    assert.equal(await pidOf(database), pid)
  }
})

test('rows that cannot be read fail their look-up alone', async (t) => {
  const { database } = await openWatched(t)
  const never = database.read(tenant, { never: statement`select 'infinity'::timestamptz as at` }, { byKey: true })
  const [failed, rows] = await Promise.all([assert.rejects(never, RangeError), together(database, 3)])
  assert.deepEqual([failed, rows], [undefined, rowsUpTo(3)])
})

test('if the connection of look-ups is cut at any moment, each runs again alone', async (t) => {
  const { database, judgeBy } = await openWatched(t, { size: 3 })
  const cuts: Record<string, { from: 'client' | 'server'; fate: Fate }> = {
    'before the server gets them': { from: 'client', fate: 'lose' },
    'once the server has them': { from: 'client', fate: 'pass and lose' },
    'before the answers come': { from: 'server', fate: 'lose' },
  }
  for (const [when, { from, fate }] of Object.entries(cuts)) {
    let isSent = false
    let isCut = false
    judgeBy((sender, _piece, transactions) => {
      isSent ||= transactions > 1
      if (isCut || !isSent || sender !== from) return 'pass'
      isCut = true
      return fate
    })
    assert.deepEqual(await together(database, 5), rowsUpTo(5), when)
    assert.ok(isCut, when)
  }
})

test('if the server cancels a look-up that takes too long, those that shared its trip are answered', async (t) => {
  const { database, sent } = await openWatched(t, { size: 2 })
  let isOver = false
  const slow = assert
    .rejects(database.read(tenant, { slept: statement`select pg_sleep(3600)` }, { byKey: true }), UnavailableError)
    .finally(() => {
      isOver = true
    })
  const others = together(database, 3)
  await until(async () => {
    await query(
      `select pg_cancel_backend(pid) from pg_stat_activity where query = 'select pg_sleep(3600)' and state = 'active'`,
    )
    return isOver
  }, 'the slow one to be cancelled')

  await slow
  assert.deepEqual(await others, rowsUpTo(3))
  assert.equal(sent[0], 4)
})

test('look-ups whose trip the network has forgotten run again alone when the limit of a read is over', async (t) => {
  const { database, proxy } = await openWatched(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  proxy.forget()
  const answers = together(database, 3)
  const isSent = () => database.connections.used === 1 && database.connections.waiting === 0
  await until(isSent, 'the look-ups to be sent')
  t.mock.timers.tick(patient.query)

  assert.deepEqual(await answers, rowsUpTo(3))
})

test('look-ups that find no connection in time are refused, however many wait, and the next ones are served', async (t) => {
  const { database } = await openWatched(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
  const taken = database.inTenant(tenant, () => isFree)
  await until(() => database.connections.used === 1, 'the connection to be taken')
  const waiting = upTo(40).map((number) => assert.rejects(lookUp(database, number), UnavailableError))
  await until(() => database.connections.waiting === 40, 'the look-ups to wait')
  t.mock.timers.tick(patient.wait)

  await Promise.all(waiting)
  assert.equal(database.connections.waiting, 0)
  free()
  await taken
  assert.deepEqual(await together(database, 2), rowsUpTo(2))
})

test('behind a pooler each look-up goes alone', async (t) => {
  const { database, sent } = await openWatched(t, { isPooled: true })
  assert.deepEqual(await together(database, 3), rowsUpTo(3))
  assert.deepEqual(sent, [1, 1, 1])
})
