/** What a member may do and until when, in one dialog. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()
const year = new Date().getFullYear() + 1

test('an admin gives a role with an end, suspends and reactivates, and sees what the member may do', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  await tess.put('/api/admin/access', {
    permissions: [{ key: 'invoices:write', name: 'Write invoices' }],
    roles: [{ key: 'billing', name: 'Billing', description: 'Writes invoices.', permissions: ['invoices:write'] }],
  })
  const { ann, cleo, path, slug, members } = await world.organization({ tenant })
  const { page, open, check } = await world.tab(t, { person: ann, tenant })
  await open(`/organizations/${slug}/members`)
  const openAccess = async () => {
    await page.getByRole('button', { name: 'Actions for Cleo' }).click()
    await page.getByRole('menuitem', { name: 'Roles and end…' }).click()
    await page.getByRole('dialog', { name: 'What Cleo may do' }).getByText('members:read').waitFor()
  }

  await openAccess()
  await check()
  await page.getByLabel('Billing', { exact: true }).check()
  await page.getByLabel('End of Billing').fill(`${year}-01-31`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('What Cleo may do was changed.').waitFor()
  await page.getByText('+1').waitFor()
  const { body } = await ann.get(`${path}/members/${members.cleo.id}`)
  assert.deepEqual(body.roles, ['member', 'billing'])
  assert.ok(body.grants[0].expiresAt.startsWith(`${year}-`))

  await check()
  await page.getByRole('button', { name: '+1, the roles of Cleo: billing' }).click()
  await page.getByText('invoices:write').waitFor()
  await page.getByLabel('Suspend').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Actions for Cleo' }).waitFor({ state: 'detached' })
  assert.equal((await cleo.get(path)).body.code, 'membership_suspended')
  await page.getByLabel('Status').selectOption('Suspended')
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Roles and end…' }).click()
  await page.getByText('Nothing, while suspended.').waitFor()
  await page.getByLabel('Suspend').uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('No members found').waitFor()
  assert.equal((await cleo.get(path)).status, 200)
})

test('somebody who is suspended sees it in their list, and leaves the organization from any of its pages', async (t) => {
  const { ann, cleo, path, slug, members } = await world.organization()
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })).status, 200)
  const { page, open, check } = await world.tab(t, { person: cleo })
  await open('/organizations')
  await page.getByText('Suspended', { exact: true }).waitFor()
  await check()
  await open(`/organizations/${slug}/members`)
  await page.getByRole('heading', { name: 'Your membership is suspended' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Leave organization…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  assert.deepEqual((await cleo.get('/api/organizations')).body.data, [])
})

test('a membership ends with the day of the admin’s own time zone, and the list says that day', async (t) => {
  const { slug: tenant } = await world.tenant()
  const { ann, path, slug, members } = await world.organization({ tenant })
  await ann.patch('/api/users/me', { timeZone: 'Pacific/Auckland' })
  const { page, open } = await world.tab(t, { person: ann, tenant })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Roles and end…' }).click()
  await page.getByLabel('Membership ends').fill(`${year}-03-10`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`Ends 10 Mar ${year}`).waitFor()
  const { body } = await ann.get(`${path}/members/${members.cleo.id}`)
  assert.equal(body.expiresAt, `${year}-03-10T10:59:59.000Z`) // summer in Auckland: 13 hours ahead
})
