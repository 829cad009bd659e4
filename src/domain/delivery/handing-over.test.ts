/** Attempts without an answer, which go on when their run has ended. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { earlier } from '../../../test/earlier.ts'
import { holdRow } from '../../../test/holding.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { failsForAnHour, postAnywhere, startEndpoints, tenantWithWebhooks } from '../../../test/webhooks.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { jobKeysOf, queueRun } from '../webhooks/schedule.ts'
import { mostWaiting, Waiting } from './waiting.ts'

const world = await createWorld({ settings: { WEBHOOK_CONCURRENCY: '1' } })
const endpoints = await startEndpoints()
const worker = await world.startWorker({ post: postAnywhere })
after(() => worker.stop())
const { query } = world.postgres

/** Answers all requests from now on, also those that wait. */
function answerAll(path: string, status: number): void {
  endpoints.manners.set(path, status)
  endpoints.answerWaiting(path, status)
}

/** A webhook whose server has not answered an event, and whose run has ended. */
async function tenantWithStalled() {
  const acme = await tenantWithWebhooks(world, endpoints)
  const stalled = await acme.addWebhook({ types: ['organization.updated'] })
  endpoints.manners.set(stalled.path, 'stall')
  await acme.rename()
  const [row] = await until(async () => {
    const rows = await acme.logOf(stalled)
    return rows.length > 0 ? rows : undefined
  }, 'the attempt to be handed over')
  await until(() => endpoints.waiting(stalled.path) === 1, 'the request to arrive')
  assert.deepEqual([row?.status, row?.attempts, row?.response_status, row?.error], ['retrying', 1, null, null])

  const answer = (status: number) => answerAll(stalled.path, status)
  /** The log, once a condition on it holds. */
  const logWhen = (holds: (statuses: string) => boolean) =>
    until(async () => {
      const rows = await acme.logOf(stalled)
      return holds(rows.map(({ status, response_status }) => `${status} ${response_status}`).join()) ? rows : undefined
    }, 'the log')
  return { ...acme, stalled, answer, logWhen }
}

/**
 * A webhook with an event that has failed before, and whose next attempt will get no answer.
 *
 * @param failed how many attempts
 */
async function tenantWithRetry(failed: number) {
  const acme = await tenantWithWebhooks(world, endpoints)
  const retried = await acme.addWebhook({ types: ['organization.updated'] })
  /** The oldest event of the log, once a condition on it holds. */
  const rowWhen = (holds: (row: Json) => boolean) =>
    until(async () => (await acme.logOf(retried)).slice(0, 1).find(holds), 'the event in the log')
  endpoints.manners.set(retried.path, failsForAnHour)
  await acme.rename()
  const { place: sequence } = await rowWhen(({ error }) => error === 'status')
  await query('update webhook_deliveries set attempts = $2 where webhook_id = $1', [retried.id, failed])
  // A busy machine may have made it slow.
  await query('update webhooks set slow_until = null where id = $1', [retried.id])
  endpoints.manners.set(retried.path, 'stall')
  const answer = (status: number) => answerAll(retried.path, status)
  return { ...acme, retried, sequence, rowWhen, answer }
}

const isHandedOver = ({ response_status, error }: Json) => response_status === null && error === null

/** In how many seconds the run of a webhook for later begins, once a condition on that holds. */
const laterWhen = (id: string, holds: (seconds: number) => boolean) =>
  until(async () => {
    const [job] = await query<{ seconds: number }>(
      `select extract(epoch from run_at - now())::float8 as seconds from graphile_worker.jobs where key = $1`,
      [jobKeysOf(id)[1]],
    )
    return job && holds(job.seconds)
  }, 'the run for later')

test('a server that does not answer holds no place, is sent nothing more meanwhile, and each event once', async () => {
  const { rename, addWebhook, stalled, answer, sentTo, logWhen, stateWhen } = await tenantWithStalled()
  const other = await addWebhook({ types: ['organization.updated'] })
  await rename()
  await sentTo(other)
  assert.deepEqual([endpoints.to(stalled.path).length, endpoints.waiting(stalled.path)], [1, 1])
  answer(204)

  const rows = await logWhen((statuses) => statuses === 'delivered 204,delivered 204')

  assert.deepEqual(
    rows.map(({ attempts }) => attempts),
    [1, 1],
  )
  const { place } = rows.at(-1) ?? {}
  await stateWhen(stalled.id, (row) => Number(row.place) >= place && row.failures === 0, 'the place to move')
  const sent = (await sentTo(stalled)).map(({ event }) => event.sequence)
  assert.deepEqual(
    sent,
    rows.map((row) => row.place),
  )
})

test('an attempt that fails after its run counts, and is tried again', async () => {
  const { stalled, answer, logWhen, makeDue, stateWhen } = await tenantWithStalled()
  answer(500)
  const [failed] = await logWhen((statuses) => statuses === 'retrying 500')
  assert.equal(failed?.attempts, 1)
  await stateWhen(stalled.id, ({ failures }) => failures === 1, 'the failure to count')
  answer(204)
  await makeDue(stalled)

  const [delivered] = await logWhen((statuses) => statuses === 'delivered 204')

  assert.equal(delivered?.attempts, 2)
})

test('an event whose attempt nobody has written down is sent again under its id when its minute is over', async () => {
  const { rename, stalled, answer, makeDue, sentTo, logWhen } = await tenantWithStalled()
  await rename()
  endpoints.manners.set(stalled.path, 204)
  await makeDue(stalled)

  await logWhen((statuses) => statuses === 'delivered 204,delivered 204')

  const [first, second, third] = (await sentTo(stalled, 3)).map(({ headers }) => headers['webhook-id'])
  assert.ok([second, third].includes(first))
  answer(204)
})

test('what a person changes while an attempt is handed over holds', async () => {
  const { stalled, answer, logWhen, stateOf } = await tenantWithStalled()
  const { place } = await stateOf(stalled.id)
  await query(`update webhooks set status = 'disabled', disabled_because = 'person', moves = moves + 1 where id = $1`, [
    stalled.id,
  ])
  answer(410)

  await logWhen((statuses) => statuses === 'retrying 410')

  const { disabled_because, place: now, failures } = await stateOf(stalled.id)
  assert.deepEqual([disabled_because, now, failures], ['person', place, 0])
})

for (const [failed, status, becomes] of [
  [1, 500, 'retrying'],
  [9, 500, 'failed'],
  [1, 410, 'retrying'],
] as const) {
  test(`after ${failed} failures, a ${status} to a retry that was handed over is written: ${becomes}`, async () => {
    const { retried, rowWhen, makeDue, stateWhen, answer } = await tenantWithRetry(failed)
    await makeDue(retried)
    await rowWhen(isHandedOver)
    answer(status)

    const row = await rowWhen(({ response_status }) => response_status === status)

    assert.deepEqual([row.status, row.attempts, row.error], [becomes, failed + 1, 'status'])
    if (becomes === 'failed') assert.equal(row.next_at, null)
    else assert.ok(row.next_at - row.attempted_at > 200_000, 'by the schedule')
    if (status === 410) await stateWhen(retried.id, (each) => each.disabled_because === 'gone', 'it to be disabled')
  })
}

test('an event that was delivered meanwhile stays so when an attempt that was handed over fails', async () => {
  const { tess, stalled, sentTo, logOf, logWhen, stateWhen } = await tenantWithStalled()
  const [row] = await logOf(stalled)
  endpoints.manners.set(stalled.path, 204)
  await tess.post(`/api/admin/webhooks/${stalled.id}/retry`, { sequences: [row?.place] })
  await sentTo(stalled, 2)
  await logWhen((statuses) => statuses === 'delivered 204')
  endpoints.answerWaiting(stalled.path, 500)

  await stateWhen(stalled.id, ({ failures }) => failures === 1, 'the failure to count')

  assert.deepEqual(
    (await logOf(stalled)).map(({ status, response_status }) => [status, response_status]),
    [['delivered', 204]],
  )
})

test('what a person has sent again before an attempt is handed over gets all its attempts', async () => {
  const { tess, retried, sequence, rowWhen, makeDue, sentTo, answer } = await tenantWithRetry(9)
  await makeDue(retried)
  await sentTo(retried, 2)
  await tess.post(`/api/admin/webhooks/${retried.id}/retry`, { sequences: [sequence] })
  await rowWhen((row) => row.attempts === 1 && isHandedOver(row))
  await until(() => endpoints.waiting(retried.path) === 2, 'both to wait')
  answer(500)

  const row = await rowWhen(({ response_status }) => response_status === 500)

  assert.deepEqual([row.status, row.attempts], ['retrying', 1])
})

test('a run keeps its attempts if a person changes the webhook before it hands them over', async (t) => {
  const { tenantId, retried, rename, addWebhook, sentTo, logOf, answer } = await tenantWithRetry(1)
  const witness = await addWebhook({
    types: ['organization.updated'],
    slow_until: new Date(Date.now() + 600_000), // in the other lane
  })
  const release = await holdRow(t, world.postgres, 'webhooks', retried.id)
  await world.database.inTenant(tenantId, async (sql) => {
    await sql`update webhook_deliveries set next_at = now() where tenant_id = ${sql.tenant} and webhook_id = ${retried.id}`
    await queueRun(sql, retried.id, false)
  })
  await sentTo(retried, 2)
  await world.postgres.awaitLine(1)
  await query('update webhooks set moves = moves + 1 where id = $1', [retried.id])
  await release()
  for (let count = 1; count <= 3; count++) {
    await rename()
    await sentTo(witness, count)
  }
  assert.equal(endpoints.to(retried.path).length, 2)
  answer(204)

  await until(async () => {
    const rows = await logOf(retried)
    return rows.length === 4 && rows.every(({ status }) => status === 'delivered')
  }, 'all to be delivered')
  assert.equal(endpoints.to(retried.path).length, 5)
})

test('the next retry has its run when a person changes the webhook while another event is handed over', async () => {
  const { retried, rename, logOf, answer } = await tenantWithRetry(2)
  await query(`update webhook_deliveries set next_at = now() + interval '25 minutes' where webhook_id = $1`, [
    retried.id,
  ])
  await rename()
  await until(async () => (await logOf(retried)).some(isHandedOver), 'the attempt to be handed over')
  await query('update webhooks set moves = moves + 1 where id = $1', [retried.id])
  answer(204)

  await laterWhen(retried.id, (seconds) => seconds > 600)
})

test('the trial of a webhook that has begun to fail waits for an attempt that goes on', async () => {
  const { stalled, answer, logWhen } = await tenantWithStalled()
  await laterWhen(stalled.id, (seconds) => seconds > 0)
  await query(`update webhooks set status = 'failing', failing_since = now(), next_at = now() where id = $1`, [
    stalled.id,
  ])
  // As its beginning to fail has replaced the run for later.
  await query('update graphile_worker._private_jobs set run_at = now() where key = $1', [jobKeysOf(stalled.id)[1]])

  await laterWhen(stalled.id, (seconds) => seconds > 0)

  answer(204)
  await logWhen((statuses) => statuses === 'delivered 204')
})

test('a clock of PostgreSQL that is set back has a webhook send nothing more while an attempt goes on', async () => {
  const { rename, run, stalled, answer, logWhen } = await tenantWithStalled()
  await query(
    `update webhook_deliveries set next_at = ${earlier('next_at', `interval '-10 seconds'`)} where webhook_id = $1`,
    [stalled.id],
  )
  await rename()
  await run(stalled.id)
  await outboxIsEmpty(world)
  await until(async () => {
    const jobs = await query(`select from graphile_worker._private_jobs where payload->>'webhookId' = $1`, [stalled.id])
    return jobs.length === 1 // the one for later
  }, 'the run to end')

  assert.equal(endpoints.to(stalled.path).length, 1)
  answer(204)
  await logWhen((statuses) => statuses === 'delivered 204,delivered 204')
})

test('the attempts that a process or a tenant hands over are limited, and count until they are written', async () => {
  const waiting = new Waiting(2, world.app.log)
  const { promise, resolve } = Promise.withResolvers<void>()
  const written: string[] = []
  const take = (tenant: string, count: number) => {
    if (!waiting.take(tenant, count, 60_000)) return false
    waiting.finish(tenant, count, Promise.resolve(), async () => {
      await promise
      written.push(tenant)
    })
    return true
  }
  assert.deepEqual([waiting.take('a', 1, 0), take('a', 32), take('a', 1)], [false, true, false])
  for (const tenant of 'bcdefgh') assert.ok(take(tenant, 32))
  assert.deepEqual([mostWaiting(2), take('z', 1)], [256, false])
  resolve()

  await waiting.end()

  assert.deepEqual([written.join(''), take('a', 32), take('z', 32)], ['abcdefgh', true, true])
})

test('attempts that a run has taken back do not count', () => {
  const waiting = new Waiting(1, world.app.log)
  const take = () => waiting.take('a', 16, 60_000)
  assert.deepEqual([take(), take()], [true, false])
  waiting.giveBack('a', 16)
  assert.ok(take())
})

test('a run waits less while all places are taken', async () => {
  const waiting = new Waiting(1, world.app.log)
  const take = () => waiting.take('a', 1, 1_000)
  assert.deepEqual([take(), await waiting.duringRun(async () => take()), take()], [false, true, false])
})

test('a failure to write what became of attempts ends nothing else', async () => {
  const waiting = new Waiting(1, world.app.log)
  let isWritten = false
  for (const tenant of 'abc') assert.ok(waiting.take(tenant, 16, 60_000))
  waiting.finish('a', 16, Promise.reject(new Error('lost')), async () => {})
  waiting.finish('b', 16, Promise.resolve(), async () => {
    throw new Error('lost')
  })
  waiting.finish('c', 16, Promise.resolve(), async () => {
    isWritten = true
  })
  await waiting.end()
  assert.deepEqual(
    [isWritten, ...[...'abc'].map((tenant) => waiting.take(tenant, 16, 60_000))],
    [true, true, true, true],
  )
})
