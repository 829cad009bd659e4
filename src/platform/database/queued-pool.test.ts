/** The queue before the pool: who gets a connection that opens slowly, and what becomes of it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { startProxy } from '../../../test/proxy.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld } from '../../../test/world.ts'
import { QueuedPool } from './queued-pool.ts'

const world = await createWorld()

/** A pool behind a proxy, and how many of its connections were opened and thrown away. */
async function openQueued(t: TestContext, { size, longestWait }: { size: number; longestWait: number }) {
  const proxy = await startProxy(Number(new URL(world.postgres.url).port))
  const url = world.postgres.url.replace(/:\d+\//, `:${proxy.port}/`)
  const pool = new QueuedPool({ connectionString: url, max: size, connectionTimeoutMillis: 60_000 }, longestWait)
  const seen = { opened: 0, removed: 0 }
  pool.on('connect', () => seen.opened++)
  pool.on('remove', () => seen.removed++)
  t.after(async () => {
    proxy.manner = 'pass'
    await pool.end()
    proxy.close()
  })
  return { pool, proxy, seen }
}

test('a connection that opens too late for its caller is kept, and serves the next one', async (t) => {
  const { pool, proxy, seen } = await openQueued(t, { size: 1, longestWait: 1 })
  proxy.manner = 'hold'
  await assert.rejects(pool.connect(), /No connection was free in time/)
  await assert.rejects(pool.query('select 1'), /No connection was free in time/)
  assert.deepEqual([pool.callers, pool.totalCount, pool.idleCount], [0, 1, 0])

  proxy.manner = 'pass'
  await until(() => pool.idleCount === 1, 'the connection to be kept')
  const client = await pool.connect()
  client.release()
  assert.deepEqual(seen, { opened: 1, removed: 0 })
})

test('a connection that is given back serves the first in the queue, while another one is still being opened', async (t) => {
  const { pool, proxy } = await openQueued(t, { size: 2, longestWait: 60_000 })
  const first = await pool.connect()
  proxy.manner = 'hold'
  const order: string[] = []
  const waiting = ['second', 'third'].map(async (name) => {
    const client = await pool.connect()
    order.push(name)
    return client
  })
  await until(() => pool.totalCount === 2 && pool.callers === 2, 'both to wait')

  first.release()
  const second = await waiting[0]
  assert.equal(second, first)
  assert.deepEqual([order, pool.callers], [['second'], 1])
  second?.release()
  assert.equal(await waiting[1], first)
  first.release()
  proxy.manner = 'pass'
  await until(() => pool.idleCount === 2, 'both connections to be idle')
})

test('if connections cannot be opened, every caller is refused', async () => {
  const pool = new QueuedPool({ connectionString: 'postgresql://nobody@127.0.0.1:1/none', max: 2 }, 60_000)
  const refused = await Promise.allSettled(Array.from({ length: 5 }, () => pool.connect()))
  assert.deepEqual(
    refused.map((each) => each.status === 'rejected' && each.reason.code),
    Array(5).fill('ECONNREFUSED'),
  )
  assert.equal(pool.callers, 0)
  await pool.end()
})

test('if the driver cannot make a client its caller is refused, and the next one is served', async (t) => {
  let tries = 0
  class Failing extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      if (++tries <= 2) throw new Error('too many open files')
      super(config)
    }
  }
  const pool = new QueuedPool({ connectionString: world.postgres.url, max: 1, Client: Failing }, 60_000)
  t.after(() => pool.end())
  await assert.rejects(pool.connect(), /too many open files/)
  await assert.rejects(pool.reserve(), /too many open files/)
  assert.deepEqual([pool.callers, pool.totalCount], [0, 0])

  const client = await pool.connect()
  client.release()
  assert.deepEqual([pool.callers, pool.idleCount], [0, 1])
})
