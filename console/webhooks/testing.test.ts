/** “Send a test” in the console, to a real server that answers, fails or says nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outbound } from '../../src/platform/outbound/outbound.ts'
import { createConsoleWorld } from '../../test/browser.ts'
import { markRegions } from '../../test/regions.ts'
import { until } from '../../test/smtp.ts'
import { timeout } from '../../test/timeout.ts'
import { requestWebhook } from '../../test/webhook-requests.ts'
import { startEndpoints } from '../../test/webhooks.ts'

const world = await createConsoleWorld({ worker: false, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const endpoints = await startEndpoints()
const path = '/test'

test('a test says whether the server took it, refused it or did not answer', async (t) => {
  let isImpatient = false
  const patient = new Outbound(['127.0.0.1'], { headers: timeout, all: timeout }).post
  const impatient = new Outbound(['127.0.0.1'], { all: 100 }).post
  const worker = await world.startWorker({ post: (url, request) => (isImpatient ? impatient : patient)(url, request) })
  t.after(() => worker.stop())
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { webhook } = await requestWebhook(tess, '/api/admin/webhooks', {
    url: endpoints.origin + path,
    types: ['provider.*'],
  })
  const { page, open, check, press } = await world.tab(t, { person: tess, tenant, width: 390 })
  await open(`/admin/webhooks/${webhook.id}`)
  await page.getByText('No test has been sent yet.').waitFor()
  const said = await markRegions(page)

  endpoints.manners.set(path, 'stall')
  await page.getByRole('button', { name: 'Send a test' }).focus()
  await press('Enter')
  await until(() => endpoints.waiting(path) === 1, 'the test to come')
  await page.getByText('The test is on its way…').waitFor()
  await check()
  endpoints.answerWaiting(path, 200)
  await said.getByText(/^Your server accepted the test .+: it answered 200 in \d+ ms\.$/).waitFor()
  assert.equal(endpoints.to(path)[0]?.event.type, 'webhook.test')

  endpoints.manners.set(path, 500)
  await page.locator('button:focus').getByText('Send a test').waitFor()
  await press('Enter')
  await page.getByText(/^The test .+ failed\. The server answered 500\./).waitFor()

  endpoints.manners.set(path, 'stall')
  isImpatient = true
  await page.locator('button:focus').getByText('Send a test').waitFor()
  await press('Enter')
  await page.getByText(/^The test .+ failed\. There was no answer within 15 seconds\./).waitFor()
  await check()
})
