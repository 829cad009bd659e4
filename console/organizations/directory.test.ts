/** Every organization of the tenant, as its admins work with them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()
const admin = await world.tenantAdmin()
const owner = await world.person('Olga')
for (const name of ['Alder', 'Birch', 'Birch Two', 'Cedar']) await owner.post('/api/organizations', { name })

test('an admin searches the organizations and deletes one by its slug', async (t) => {
  const { page, open, check } = await world.tab(t, { person: admin })
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
  await open('/admin/organizations')
  await page.getByText('1–4 of 4').waitFor()
  await check()
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await rows.first().filter({ hasText: 'Cedar' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('birch')
  await page.getByText('1–2 of 2').waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Birch Two' }).click()

  await page.getByRole('heading', { level: 1, name: 'Birch Two' }).waitFor()
  await page.getByRole('link', { name: 'Olga' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Delete Birch Two' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Birch Two?' })
  await dialog.getByLabel('Type birch-two to confirm').fill('birch')
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await dialog.locator('input[aria-invalid=true]').waitFor()
  await dialog.getByLabel('Type birch-two to confirm').fill('birch-two')
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('Birch Two was deleted.').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
  await page.getByText('1–3 of 3').waitFor()
})

test('an admin hands an organization on, in it or not', async (t) => {
  const { ann, id } = await world.organization()
  const { page, open, check } = await world.tab(t, { person: admin })
  await open(`/admin/organizations/${id}`)
  await page.getByRole('button', { name: /^Transfer Acme/ }).click()
  await page.getByText('The new owner takes over from Ann, who becomes an admin.').waitFor()
  await page.getByRole('combobox', { name: 'New owner' }).fill('cleo')
  await page.getByRole('option', { name: /^Ben/ }).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: /^Cleo/ }).click()
  await check()
  await page.getByRole('button', { name: 'Transfer ownership' }).click()
  await page.getByText(/^Cleo owns Acme/).waitFor()
  const { body } = await ann.get(`/api/organizations/${id}`)
  assert.equal(body.role, 'admin')
})
