/** The feed of the tenant in the console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()

test('an admin reads the events of the tenant, by type and from a day on, and opens one', async (t) => {
  const { slug: tenant, id } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  await world.organization({ tenant })
  const { page, open, check } = await world.tab(t, { person: tess, tenant })
  await open('/admin/events?types=organization.*')
  const events = page.getByRole('list', { name: 'Events, oldest first' }).getByRole('listitem')
  await events.getByText('organization.created', { exact: true }).waitFor()
  assert.deepEqual(await events.locator('summary > :first-child').allTextContents(), ['organization.created'])
  await check()
  await events.locator('summary').click()
  await events.getByText('"type": "organization.created"').waitFor()
  await page.getByRole('button', { name: 'Copy the event' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await events.nth(1).waitFor()

  await world.postgres.query('update feeds set trimmed = head where tenant_id = $1', [id])
  await open('/admin/events?from=2026-01-01')
  await page.getByRole('heading', { name: 'Events of that day are gone' }).waitFor()
  await check()
})
