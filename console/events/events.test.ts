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
  const events = page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem')
  const second = events.filter({ hasText: 'Zweite Werkstatt' })
  await second.waitFor()
  assert.equal(await events.count(), 2)
  await events.first().locator('summary', { hasText: 'Zweite Werkstatt' }).waitFor()
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
  await page.getByRole('heading', { name: 'No matching events' }).waitFor()
  await page.getByText('were removed because of their age').waitFor()
  await check()
})

test('the feed begins with what just happened, says whom it is about, and leads back to what age has left', async (t) => {
  const { slug: tenant, id } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, path: acme } = await world.organization({ tenant })
  for (let number = 1; number <= 60; number++) await ann.patch(acme, { name: `Acme ${number}` })
  const { page, open, check } = await world.tab(t, { person: tess, tenant, width: 390 })
  const { data } = (await tess.get('/api/admin/events?limit=100')).body
  const oldest = data.find(({ type }: { type: string }) => type === 'member.joined').sequence
  await world.postgres.query('update feeds set trimmed = $2 where tenant_id = $1', [id, oldest - 1])
  const kept = data.filter(({ sequence }: { sequence: number }) => sequence >= oldest).length

  await open('/admin/events')
  const events = page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem')
  await events.nth(kept - 1).waitFor()
  await events
    .last()
    .locator('summary', { hasText: /member\.joined.*Ben/ })
    .waitFor()
  await page.getByText('were removed because of their age').waitFor()
  assert.equal(await events.count(), kept)
  await events.first().locator('summary', { hasText: 'session.started' }).waitFor()
  await check()
  await ann.patch(acme, { name: 'Newest' })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await events.nth(kept).waitFor()
  await events.first().locator('summary', { hasText: 'organization.updated' }).waitFor()
})

test('a link to the log of an organization that was deleted says so in the filter', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, id, slug, path } = await world.organization({ tenant })
  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)
  const { page, open } = await world.tab(t, { person: tess, tenant })
  for (const log of ['events', 'activity']) {
    await open(`/admin/${log}?organization=${id}`)
    const filter = page.getByRole('combobox', { name: 'Organization' })
    await filter.and(page.locator('[value="a deleted organization"]')).waitFor()
  }
})
