/** Very many webhooks whose servers were well and stop answering at one moment, beside one whose server does not. It prints how long events wait. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addManyWebhooks, printDelays } from '../../../test/many-webhooks.ts'
import { until } from '../../../test/smtp.ts'
import { startEndpoints, tenantWithWebhooks } from '../../../test/webhooks.ts'
import { createWorld } from '../../../test/world.ts'
import { Outbound } from '../../platform/outbound/outbound.ts'
import { runEverywhere } from '../../tasks.ts'

const world = await createWorld()
const endpoints = await startEndpoints()
const stalled = '/stalled'
const [tenants, each, events] = [50, 20, 60]
/** Attempts end when the test ends them. */
const patient = new Outbound(['127.0.0.1'], { all: 600_000, headers: 600_000, places: 8_000, placesForHost: 8_000 })

test('another webhook gets its events before an attempt has ended of a thousand that stop answering at once', async () => {
  endpoints.manners.set(stalled, 'stall')
  await addManyWebhooks(world, { tenants, each, url: `${endpoints.origin}${stalled}`, isFailing: false })
  const { rename, addWebhook } = await tenantWithWebhooks(world, endpoints)
  const alive = await addWebhook({ types: ['organization.updated'] })
  assert.equal(await runEverywhere(world, 'wake_all_webhooks'), tenants * each)
  const worker = await world.startWorker({ post: patient.post })
  after(async () => {
    endpoints.manners.set(stalled, 204)
    endpoints.answerWaiting(stalled, 204)
    await worker.stop()
  })
  await until(() => endpoints.waiting(stalled) >= 16, 'those that stall to have all places')

  const begun: number[] = []
  const delays: number[] = []
  const arrive = () => {
    for (const time of begun.slice(delays.length, endpoints.to(alive.path).length))
      delays.push(performance.now() - time)
  }
  for (let count = 1; count <= events; count++) {
    begun.push(performance.now())
    await rename()
    arrive()
  }
  await until(() => {
    arrive()
    return delays.length === events
  }, 'all its events')

  const sent = endpoints.to(stalled).length
  assert.deepEqual([endpoints.waiting(stalled), sent > 16], [sent, true])
  printDelays(delays)
})
