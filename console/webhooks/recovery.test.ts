/** A webhook whose server is well again, in the console: with a real server, and the queue at work. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { until } from '../../test/smtp.ts'
import { requestWebhook } from '../../test/webhook-requests.ts'
import { startEndpoints } from '../../test/webhooks.ts'

const world = await createConsoleWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const endpoints = await startEndpoints()
const path = '/recovery'

test('a failing webhook is tried at once, a disabled one is enabled, and the log shows what becomes of both', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, path: acme } = await world.organization({ tenant })
  endpoints.manners.set(path, 500)
  const { webhook } = await requestWebhook(tess, '/api/admin/webhooks', {
    url: endpoints.origin + path,
    types: ['organization.updated'],
  })
  const own = `/api/admin/webhooks/${webhook.id}`
  for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await ann.patch(acme, { name })
  const statusIs = (status: string) => async () => (await tess.get(own)).body.status === status
  await until(statusIs('failing'), 'the webhook to fail')

  const { page, open, check, press } = await world.tab(t, { person: tess, tenant, width: 390 })
  const rows = page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('row')
    .filter({ hasText: 'organization.updated' })
  const rowsThat = (result: string) => rows.filter({ hasText: result })
  await open(`/admin/webhooks/${webhook.id}`)
  await rowsThat('Waiting').nth(4).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send all failed again' }).count(), 0)
  await page.getByText(/The next attempt is (in|due|now)/).waitFor()
  assert.equal(await rowsThat('ext attempt').count(), 0)
  await check()
  endpoints.manners.set(path, 204)
  const now = page.getByRole('button', { name: 'Try now', exact: true })
  await now.focus()
  await press('Enter')
  await page.getByText('The webhook is active and is sending the waiting events.').waitFor()
  await page.getByRole('heading', { name: 'Status' }).and(page.locator(':focus')).waitFor()
  await rowsThat('Delivered').nth(4).waitFor()
  assert.equal(await now.count(), 0)
  assert.equal((await tess.get(own)).body.status, 'active')

  assert.equal((await tess.patch(own, { status: 'disabled' })).status, 200)
  await ann.patch(acme, { name: 'Six' })
  await open(`/admin/webhooks/${webhook.id}`)
  await page.getByRole('button', { name: 'Enable', exact: true }).focus()
  await press('Enter')
  await page.getByRole('button', { name: 'Disable…' }).and(page.locator(':focus')).waitFor() // in its place
  await rowsThat('Delivered').nth(5).waitFor()
  assert.equal(new Set(endpoints.to(path).map(({ event }) => event.id)).size, 6)
})

test('a row of the log is known by the sequence of its event, and names the event as the server logs it', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, path: acme } = await world.organization({ tenant })
  const { webhook } = await requestWebhook(tess, '/api/admin/webhooks', {
    url: `${endpoints.origin}/named`,
    types: ['organization.updated'],
  })
  for (const name of ['One', 'Two']) await ann.patch(acme, { name })
  await until(() => endpoints.to('/named').length === 2, 'both events to come')
  const [, second] = endpoints.to('/named')
  const { sequence } = second?.event ?? {}

  const { page, open, check, press } = await world.tab(t, { person: tess, tenant, width: 390 })
  await open(`/admin/webhooks/${webhook.id}`)
  const row = page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('row')
    .filter({ hasText: String(sequence) })
  await row.locator('summary').focus()
  await press('Enter')
  await row.getByText(String(second?.headers['webhook-id']), { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Copy the ID' }).waitFor()
  await row.getByRole('button', { name: 'Copy the place' }).waitFor()
  await check()
})
