import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import type { WorkerPool } from 'graphile-worker'
import { until } from '../../../test/smtp.ts'
import { createWorld } from '../../../test/world.ts'
import { Lookout } from './lookout.ts'

const world = await createWorld()
const pool = world.database.libraryPool(2)
const lookout = new Lookout(pool, world.app.log)
after(async () => {
  lookout.stop()
  await pool.end()
})
afterEach(() => world.postgres.query('truncate graphile_worker._private_jobs'))

const runners = { busy: recordNudges('busy', 3), other: recordNudges('other', 3), idle: recordNudges('idle', 3) }

test('a look wakes a place for each due job, at most all places, and no runner without due jobs', async () => {
  await add('busy', 98)
  await add('other', 1)
  await until(() => runners.other().length > 0, 'a look that sees the jobs')
  assert.deepEqual([new Set(runners.other()), runners.busy().at(-1), runners.idle()], [new Set([1]), 3, []])
})

test('beside more due jobs than a look tells apart, one place of each other runner is woken', async () => {
  await add('busy', 101)
  await until(() => runners.idle().length > 0, 'a look that sees the jobs')
  assert.deepEqual([new Set(runners.idle()), runners.busy().at(-1)], [new Set([1]), 3])
})

/** @returns how many places of a new runner each look has woken */
function recordNudges(task: string, places: number): () => number[] {
  const nudges: number[] = []
  // The cast is safe: the lookout uses only this method.
  const workerPool = { nudge: (count: number) => void nudges.push(count) } as unknown as WorkerPool
  lookout.eventsOf([task], places).emit('pool:create', { workerPool } as never)
  return () => nudges
}

async function add(task: string, count: number): Promise<void> {
  await world.postgres.query(`select graphile_worker.add_job($1) from generate_series(1, $2)`, [task, count])
}
