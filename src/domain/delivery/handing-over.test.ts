/** Attempts without an answer, which go on when their run has ended. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { until } from '../../../test/smtp.ts'
import { onWebhooks, postAnywhere, startEndpoints } from '../../../test/webhooks.ts'
import { createWorld } from '../../../test/world.ts'
import { mostWaiting, Waiting } from './waiting.ts'

const world = await createWorld({ settings: { WEBHOOK_CONCURRENCY: '1' } })
const endpoints = await startEndpoints()
const worker = await world.startWorker({ post: postAnywhere })
after(() => worker.stop())
const { query } = world.postgres

/** A webhook whose server has not answered an event, and whose run has ended. */
async function tenantWithStalled() {
  const acme = await tenantWithEvents(world)
  const webhooks = onWebhooks(world, endpoints, acme.tenantId)
  await feedsOf(world).follow(acme.tess, '/api/admin/events')
  const rename = (name: string) => acme.ann.patch(acme.path, { name })
  const stalled = await webhooks.addWebhook({ types: ['organization.updated'] })
  endpoints.manners.set(stalled.path, 'stall')
  await rename('First')
  const [row] = await until(async () => {
    const rows = await webhooks.logOf(stalled)
    return rows.length > 0 ? rows : undefined
  }, 'the attempt to be handed over')
  assert.equal(endpoints.waiting(stalled.path), 1)
  assert.deepEqual([row?.status, row?.attempts, row?.response_status, row?.error], ['retrying', 1, null, null])

  /** Answers all from now on, also those that wait. */
  const answer = (status: number) => {
    endpoints.manners.set(stalled.path, status)
    endpoints.answerWaiting(stalled.path, status)
  }
  /** The log, once a condition on it holds. */
  const logWhen = (holds: (statuses: string) => boolean) =>
    until(async () => {
      const rows = await webhooks.logOf(stalled)
      return holds(rows.map(({ status, response_status }) => `${status} ${response_status}`).join()) ? rows : undefined
    }, 'the log')
  return { ...acme, ...webhooks, rename, stalled, answer, logWhen }
}

test('a server that does not answer holds no place, is sent nothing more meanwhile, and each event once', async () => {
  const { rename, addWebhook, stalled, answer, sentTo, logWhen, stateWhen } = await tenantWithStalled()
  const other = await addWebhook({ types: ['organization.updated'] })
  await rename('Second')
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
  await rename('Second')
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

test('a run keeps its attempts beyond what a process, and a tenant, may hand over', async () => {
  const waiting = new Waiting(2, world.app.log)
  const { promise, resolve } = Promise.withResolvers<void>()
  const written: string[] = []
  const take = (tenant: string, count: number) =>
    waiting.take(tenant, count, promise, async () => {
      written.push(tenant)
    })
  const may = (tenant: string) => waiting.mayTake(tenant, 1, 60_000)
  assert.deepEqual([may('a'), waiting.mayTake('a', 1, 0)], [true, false])
  take('a', 32)
  assert.deepEqual([may('a'), may('b')], [false, true])
  for (const tenant of 'bcdefgh') take(tenant, 32)
  assert.deepEqual([mostWaiting(2), may('z')], [256, false])
  resolve()

  await waiting.end()

  assert.deepEqual([written.join(''), may('a'), may('z')], ['abcdefgh', true, true])
})

test('a run waits less while all places are taken', async () => {
  const waiting = new Waiting(1, world.app.log)
  const may = () => waiting.mayTake('a', 1, 1_000)
  assert.deepEqual([may(), await waiting.duringRun(async () => may()), may()], [false, true, false])
})

test('a failure to write what became of attempts ends nothing else', async () => {
  const waiting = new Waiting(1, world.app.log)
  let isWritten = false
  waiting.take('a', 1, Promise.reject(new Error('lost')), async () => {})
  waiting.take('b', 1, Promise.resolve(), async () => {
    throw new Error('lost')
  })
  waiting.take('c', 1, Promise.resolve(), async () => {
    isWritten = true
  })
  await waiting.end()
  assert.deepEqual([isWritten, waiting.mayTake('a', 16, 60_000)], [true, true])
})
