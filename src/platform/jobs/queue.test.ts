import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hold } from '../../../test/holding.ts'
import { createWorld } from '../../../test/world.ts'
import { runRetention } from '../../tasks.ts'

const world = await createWorld()
const { query } = world.postgres

/** A statement that adds a job, in a queue of its own. */
const add = `select graphile_worker.add_job('send_logout', '{}', queue_name => $1)`
const names = async () =>
  (
    await query<{ name: string }>(
      'select queue_name as name from graphile_worker._private_job_queues order by queue_name',
    )
  ).map(({ name }) => name)

test('retention deletes named queues without jobs, and no other', async () => {
  await query(add, ['empty'])
  await query('delete from graphile_worker._private_jobs')
  await query(add, ['waiting'])

  await runRetention(world.database)

  assert.deepEqual(await names(), ['waiting'])
})

test('a job that is being added while retention runs keeps its queue', async (t) => {
  await query(add, ['old'])
  await query(`delete from graphile_worker._private_jobs`)
  const release = await hold(t, world.postgres, add, ['old'])

  await runRetention(world.database)
  await release()

  const jobs = await query('select queue_name from graphile_worker.jobs')
  assert.deepEqual(jobs, [{ queue_name: 'old' }])
})
