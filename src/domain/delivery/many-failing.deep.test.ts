/** Very many webhooks whose servers do not answer, beside one whose server does. It prints how long events wait. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addManyWebhooks, printDelays } from '../../../test/many-webhooks.ts'
import { until } from '../../../test/smtp.ts'
import { postAnywhere, startEndpoints, tenantWithWebhooks } from '../../../test/webhooks.ts'
import { createWorld } from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'

const world = await createWorld()
const endpoints = await startEndpoints()
const dead = '/dead'
const [tenants, each, events] = [50, 20, 60]

test('a thousand webhooks that do not answer delay no event of another one', async () => {
  endpoints.manners.set(dead, 'stall')
  await addManyWebhooks(world, { tenants, each, url: `${endpoints.origin}${dead}`, isFailing: true })
  const { rename, addWebhook, sentTo } = await tenantWithWebhooks(world, endpoints)
  const alive = await addWebhook({ types: ['organization.updated'] })
  assert.equal(await runEverywhere(world, 'wake_all_webhooks'), tenants * each)
  const worker = await world.startWorker({ post: postAnywhere })
  after(async () => {
    endpoints.answerWaiting(dead, 500)
    await worker.stop()
  })
  await until(() => endpoints.waiting(dead) === 16, 'dead ones to have all the places that there are for them')

  const delays: number[] = []
  for (let count = 1; count <= events; count++) {
    const begun = performance.now()
    await rename()
    await sentTo(alive, count)
    delays.push(performance.now() - begun)
  }

  assert.ok(endpoints.waiting(dead) <= 16)
  assert.ok(endpoints.to(dead).length < tenants * each, 'most of them wait for their turn')
  printDelays(delays)
})
