/** The tenant's log: its links, its filters, and what it shows without the names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { findShifts, showOneByOne } from '../../test/shifts.ts'
import { password } from '../../test/world.ts'
import { longestQuery } from '../parts/search.ts'

const world = await createConsoleWorld()

test('the tenant’s log links organizations and people, and names no actor for automatic events', async (t) => {
  const admin = await world.tenantAdmin()
  const { ann, ben, path, id } = await world.organization()
  const { body: organization } = await ann.get(path)
  await ben.patch('/api/users/me', { name: null })
  await ben.post(`${path}/invites`, { email: 'eve@example.com', role: 'member' })
  await admin.patch(`/api/admin/users/${ben.id}`, { status: 'suspended' })
  const { page, open, check } = await world.tab(t, { person: admin })
  await open('/admin/activity')
  const entry = (words: string) => page.getByRole('listitem').filter({ hasText: words }).first()
  await entry(`You suspended ${ben.email}`).waitFor()
  const revoked = entry('was revoked automatically because its sender was suspended')
  await revoked.getByRole('link', { name: organization.name }).waitFor()
  await entry(`${ben.email} invited eve@example.com`).getByRole('link', { name: ben.email }).waitFor()
  await check()

  await page.getByRole('combobox', { name: 'Organization' }).fill(organization.name)
  await page.getByRole('option', { name: organization.name }).click()
  await entry('You suspended').waitFor({ state: 'detached' })
  await revoked.waitFor()
  assert.equal(new URL(page.url()).searchParams.get('organization'), id)
  await revoked.getByRole('link', { name: organization.name }).click()
  await page.getByRole('heading', { level: 1, name: organization.name }).waitFor()
})

test('the log of one user leads back to the log of everyone', async (t) => {
  const admin = await world.tenantAdmin()
  const [ann, ben] = [await world.person('Annabel'), await world.person('Benedict')]
  await admin.patch(`/api/admin/users/${ann.id}`, { status: 'suspended' })
  const { page, open, check } = await world.tab(t, { person: admin })
  await open(`/admin/activity?userId=${ann.id}`)
  await page.getByText('Activity of Annabel').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Annabel' }).first().waitFor()
  assert.equal(await page.getByText(ben.name).count(), 0)
  await check()
  await page.getByRole('button', { name: 'Show everyone’s activity' }).click()
  await page.getByText(ben.name).first().waitFor()
})

test('a log whose names cannot be read, or are late, is shown without them, and they come when they can', async (t) => {
  const admin = await world.tenantAdmin()
  const { ann, ben, path } = await world.organization()
  const { body: organization } = await ann.get(path)
  await ben.patch('/api/users/me', { name: null })
  await ben.post(`${path}/invites`, { email: 'eve@example.com', role: 'member' })
  const { page, open, check } = await world.tab(t, { person: admin })
  await page.route(/[?&]id=/, (route) => route.fulfill({ status: 429, json: {} }))
  await open('/admin/activity')
  const invited = page.getByRole('listitem').filter({ hasText: 'invited eve@example.com' }).first()
  await invited.filter({ hasText: 'A person without a name invited' }).waitFor()
  await invited.getByRole('link', { name: 'an organization' }).waitFor()
  await check()
  await open('/admin/events')
  const event = page.locator('summary', { hasText: 'organization.created' }).first()
  await event.getByText('an organization').waitFor()

  const late = Promise.withResolvers<void>()
  await page.unroute(/[?&]id=/)
  await page.route(/[?&]id=/, (route) => late.promise.then(() => route.continue()))
  await open('/admin/activity')
  await invited.filter({ hasText: 'A person without a name invited' }).waitFor()
  late.resolve()
  await invited.getByRole('link', { name: organization.name }).waitFor()
  await invited.getByRole('link', { name: ben.email }).waitFor()
})

test('nothing moves in the log of one user when their name comes', async (t) => {
  const admin = await world.tenantAdmin()
  const ann = await world.person('Annabel Archer', { email: 'annabel@example.com' })
  const { page, open } = await world.tab(t, { person: admin })
  await showOneByOne(t, page)
  await open(`/admin/activity?userId=${ann.id}`)
  await page.getByText(`Activity of ${ann.name}`).waitFor()
  await page.getByRole('listitem').filter({ hasText: ann.name }).first().waitFor()
  assert.deepEqual(await findShifts(page), [])
})

test('the log of a user who was deleted says so', async (t) => {
  const admin = await world.tenantAdmin()
  const ann = await world.person()
  assert.equal((await ann.delete('/api/users/me', { password })).status, 200)
  const { page, open } = await world.tab(t, { person: admin })
  await open(`/admin/activity?userId=${ann.id}`)
  await page.getByText('Activity of a deleted user').waitFor()
})

test('the filter for an organization takes no more text than the API', async (t) => {
  const { page, open } = await world.tab(t, { person: await world.tenantAdmin() })
  await open('/admin/activity')
  const filter = page.getByRole('combobox', { name: 'Organization' })
  await filter.click()
  await filter.press('ControlOrMeta+a')
  await page.keyboard.insertText('x'.repeat(longestQuery + 46))
  assert.equal((await filter.inputValue()).length, longestQuery)
  await page.getByText('No matching organizations').waitFor()
})
