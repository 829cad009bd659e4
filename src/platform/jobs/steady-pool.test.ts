import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../../test/world.ts'
import { steady } from './steady-pool.ts'

const world = await createWorld()

test('a connection for notifications that is given back twice is given back once, and serves again', async (t) => {
  const pool = world.database.libraryPool(1)
  t.after(steady(pool, world.app.log))
  for (let round = 0; round < 2; round++) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    pool.connect((error, client, release) => {
      if (error || !client) return reject(error)
      client.query('select 1').then(() => {
        release()
        release()
        resolve()
      }, reject)
    })
    await promise
  }
  assert.deepEqual([pool.totalCount, pool.idleCount], [1, 1])
})
