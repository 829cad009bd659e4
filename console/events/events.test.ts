/** The feed of the tenant in the console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()

test('an admin reads the events of the tenant, filters them, opens one, and sees how programs read on', async (t) => {
  const { slug: tenant, id } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const acme = await world.organization({ tenant })
  await acme.ann.post('/api/organizations', { name: 'Zweite Werkstatt' })
  const { page, open, check, press } = await world.tab(t, { person: tess, tenant, width: 390 })
  await open('/admin/events?types=organization.*')
  const events = page.getByRole('list', { name: 'Events, oldest first' }).getByRole('listitem')
  const second = events.filter({ hasText: 'Zweite Werkstatt' })
  await second.waitFor()
  assert.equal(await events.count(), 2)
  await check()
  await second.locator('summary').focus()
  await press('Enter')
  await second.getByText('"type": "organization.created"').waitFor()
  const { data } = (await tess.get('/api/admin/events?types=organization.*')).body
  await second.getByText(String(data[1].sequence), { exact: true }).waitFor()
  await second.getByRole('button', { name: 'Copy the place' }).waitFor()
  await second.getByRole('link', { name: 'Zweite Werkstatt' }).waitFor()
  await page.getByText('Read these events with a program').click()
  await page.getByText(`/api/admin/events?after=${data[1].sequence}"`).waitFor()
  await check()

  await page.getByRole('combobox', { name: 'Organization' }).click()
  await page.getByRole('option', { name: 'Zweite Werkstatt' }).click()
  await events.nth(1).waitFor({ state: 'detached' })
  await second.waitFor()
  await page.getByRole('combobox', { name: 'Time' }).click()
  await page.getByRole('option', { name: 'Custom range' }).click()
  await page.getByLabel('From', { exact: true }).fill('2026-01-01')
  await second.waitFor()
  await page.getByLabel('To', { exact: true }).fill('2026-01-02')
  await page.getByRole('heading', { name: 'No matching events' }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await events.nth(3).waitFor()

  await world.postgres.query('update feeds set trimmed = head where tenant_id = $1', [id])
  await open('/admin/events?from=2026-01-01')
  await page.getByRole('heading', { name: 'Some of these events are gone' }).waitFor()
  await check()
})
