/** Tests of webhooks that meet something else: runs, and a change of the URL. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { queueIsDone, selectWaiting } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { postAnywhere, startEndpoints, tenantWithWebhooks } from '../../../test/webhooks.ts'
import { createWorld, hurry, wakeWorkers } from '../../../test/world.ts'
import { queueTest } from '../webhooks/schedule.ts'

const world = await createWorld({ settings: { WEBHOOK_CONCURRENCY: '1' } })
const endpoints = await startEndpoints()
const worker = await world.startWorker({ post: postAnywhere })
after(() => worker.stop())
const { query } = world.postgres

async function tenantWithTests() {
  const acme = await tenantWithWebhooks(world, endpoints)
  const testNow = async ({ id }: { readonly id: string }) => {
    await world.database.inTenant(acme.tenantId, (sql) => queueTest(sql, id))
    await query(wakeWorkers)
  }
  return { ...acme, testNow }
}

test('a test waits for no run of a failing webhook, although each has the only place', async () => {
  const { rename, addWebhook, testNow, makeDue, sentTo, stateOf, stateWhen } = await tenantWithTests()
  // A run that finds no event would make it active.
  const nextTrial = new Date(Date.now() + 3_600_000)
  const webhook = await addWebhook({ status: 'failing', failing_since: new Date(), next_at: nextTrial })
  endpoints.manners.set(webhook.path, 'stall')
  await rename()
  await makeDue(webhook)
  await sentTo(webhook)

  await testNow(webhook)

  await until(() => endpoints.waiting(webhook.path) === 2, 'the test to be sent beside the run')
  assert.equal((await stateOf(webhook.id)).status, 'failing')
  assert.deepEqual(
    endpoints
      .to(webhook.path)
      .map(({ event }) => event.type)
      .sort(),
    ['organization.updated', 'webhook.test'],
  )
  endpoints.answerWaiting(webhook.path, 204)
  await stateWhen(webhook.id, ({ last_test: outcome }) => outcome !== null, 'the outcome')
  await stateWhen(webhook.id, ({ status }) => status === 'active', 'the run to end')
  // A run that came before the trial was due has queued another one for then.
  await until(async () => {
    await hurry(world.postgres)
    return (await query(selectWaiting)).length === 0
  }, 'the queue to be done')
})

test('a webhook that was disabled since sends no test', async () => {
  const { addWebhook, testNow, sentTo, stateOf } = await tenantWithTests()
  const disabled = await addWebhook({ status: 'disabled', disabled_because: 'person' })
  const active = await addWebhook()
  await testNow(disabled)
  await testNow(active)

  await sentTo(active)

  await queueIsDone(world.postgres)
  assert.deepEqual([endpoints.to(disabled.path), (await stateOf(disabled.id)).last_test], [[], null])
})

test('what came of a test is not kept as that of another URL', async () => {
  const { addWebhook, testNow, sentTo, stateOf, stateWhen } = await tenantWithTests()
  const webhook = await addWebhook()
  endpoints.manners.set(webhook.path, 'stall')
  await testNow(webhook)
  await sentTo(webhook)
  await query('update webhooks set url = $2, moves = moves + 1 where id = $1', [
    webhook.id,
    `${endpoints.origin}/elsewhere`,
  ])
  endpoints.answerWaiting(webhook.path, 503)
  await queueIsDone(world.postgres)
  assert.equal((await stateOf(webhook.id)).last_test, null)

  await testNow(webhook)

  const { last_test: outcome } = await stateWhen(webhook.id, (row) => row.last_test !== null, 'the outcome')
  assert.partialDeepStrictEqual(outcome, { status: 204, error: null })
})
