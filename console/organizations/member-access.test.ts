/** What a member may do and until when, in one dialog. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { keyboardOf, typeDate } from '../../test/keyboard.ts'

const world = await createConsoleWorld()
const year = new Date().getFullYear() + 1

const permissions = [
  { key: 'invoices:write', name: 'Write invoices' },
  { key: 'books:close', name: 'Close the books', minimumRole: 'owner' },
]
const billing = { key: 'billing', name: 'Billing', description: 'Keeps accounts.', permissions: ['invoices:write'] }
const reports = { ...billing, key: 'reports', name: 'Reports' }
const support = { ...billing, key: 'support', name: 'Support' }

/** An organization in a tenant whose product has the role Billing. */
async function createOrganization() {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const putRoles = async (...roles: object[]) =>
    assert.equal((await tess.put('/api/admin/access', { permissions, roles })).status, 200)
  await putRoles(billing)
  return { ...(await world.organization({ tenant })), tenant, putRoles }
}

async function openAccess(page: Page, name: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Roles and end…' }).click()
  await page
    .getByRole('dialog', { name: `What ${name} can do` })
    .getByText('See the members')
    .waitFor()
}

test('an admin gives a role with an end, suspends and reactivates, and sees what the member may do', async (t) => {
  const { ann, cleo, path, slug, members, tenant } = await createOrganization()
  const { page, open, check } = await world.tab(t, { person: ann, tenant })
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for Cleo' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Ben' }).click()
  await page.getByRole('menuitem', { name: 'Suspend…' }).waitFor()
  await page.keyboard.press('Escape')

  await openAccess(page, 'Cleo')
  await check()
  await page.getByLabel('Billing', { exact: true }).check()
  await page.getByLabel('End of Billing').fill(`${year}-01-31`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changes to Cleo saved.').waitFor()
  await page.getByText('+1').waitFor()
  const { body } = await ann.get(`${path}/members/${members.cleo.id}`)
  assert.deepEqual(body.roles, ['member', 'billing'])
  assert.ok(body.grants[0].expiresAt.startsWith(`${year}-`))

  await check()
  await page.getByRole('button', { name: '+1, the roles of Cleo: Billing' }).click()
  await page.getByText('Write invoices', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await choose('Suspend…')
  const suspending = page.getByRole('dialog', { name: 'Suspend Cleo?' })
  await suspending.getByText(/can’t do anything in Acme.* except leave/).waitFor()
  await check()
  await suspending.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('Cleo was suspended.').waitFor()
  await page.getByRole('button', { name: 'Actions for Cleo' }).waitFor({ state: 'detached' })
  assert.equal((await cleo.get(path)).body.code, 'membership_suspended')
  await page.getByRole('link', { name: '1 suspended' }).click()
  await choose('Roles and end…')
  await page.getByText('Nothing, while suspended.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await choose('Reactivate…')
  await page.getByRole('dialog', { name: 'Reactivate Cleo?' }).getByRole('button', { name: 'Reactivate' }).click()
  await page.getByText('Cleo is active again.').waitFor()
  await page.getByText('No members found').waitFor()
  await page.getByRole('link', { name: '1 suspended' }).waitFor({ state: 'detached' })
  assert.equal((await cleo.get(path)).status, 200)
})

test('a role changes in the list also after the dialog of a member was open', async (t) => {
  const { ann, path, slug, members, tenant } = await createOrganization()
  const { page, open } = await world.tab(t, { person: ann, tenant })
  const dialog = page.getByRole('dialog')
  await open(`/organizations/${slug}/members`)
  await openAccess(page, 'Cleo')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  await page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  await page.getByText('Cleo is now an admin.').waitFor()
  assert.equal((await ann.get(`${path}/members/${members.cleo.id}`)).body.role, 'admin')
})

test('the dialog of a member is filled from what is true when it is opened again', async (t) => {
  const { ann, ben, path, slug, members, tenant } = await createOrganization()
  const membership = `${path}/members/${members.cleo.id}`
  const { page, open } = await world.tab(t, { person: ann, tenant })
  await open(`/organizations/${slug}/members`)
  await openAccess(page, 'Cleo')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // Meanwhile somebody else suspends her. The list does not show it yet.
  const expiresAt = `${year}-06-06T10:00:00.000Z`
  const change = { status: 'suspended', expiresAt, grants: [{ role: 'billing' }] }
  assert.equal((await ben.patch(membership, change)).status, 200)
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Roles and end…' }).click()
  await page.getByText('Nothing, while suspended.').waitFor()
  assert.equal(await page.getByLabel('Membership ends').inputValue(), `${year}-06-06`)
  assert.ok(await page.getByLabel('Billing', { exact: true }).isChecked())
  await page.getByLabel('Billing', { exact: true }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changes to Cleo saved.').waitFor()
  const { body } = await ann.get(membership)
  assert.deepEqual([body.status, body.expiresAt, body.roles], ['suspended', expiresAt, ['member']])
})

test('what is not the admin’s to give any more is said at its field, and a member who may do more by name', async (t) => {
  const { ann, ben, path, slug, members, tenant, putRoles } = await createOrganization()
  const { page, open, check } = await world.tab(t, { person: ben, tenant, width: 390 })
  const save = () => page.getByRole('button', { name: 'Save' }).click()
  await open(`/organizations/${slug}/members`)
  await openAccess(page, 'Cleo')
  await page.getByLabel('Billing', { exact: true }).check()
  // Meanwhile the role gets a permission that only owners have.
  await putRoles({ ...billing, permissions: ['books:close'] })
  await save()
  await page.getByText('You can’t give Billing. You don’t have: Close the books.').waitFor()
  await page.getByLabel('Billing', { exact: true }).and(page.locator(':focus')).waitFor()
  await check()
  // Meanwhile an owner gives it.
  const membership = `${path}/members/${members.cleo.id}`
  assert.equal((await ann.patch(membership, { grants: [{ role: 'billing' }] })).status, 200)
  await page.getByLabel('Billing', { exact: true }).uncheck()
  await page.getByLabel('Membership ends').fill(`${year}-01-31`)
  await save()
  const alert = page.getByRole('alert').and(page.locator(':focus'))
  await alert.getByText('This includes what you don’t have yourself: Close the books. Ask an owner.').waitFor()
  await check()
  const { body } = await ann.get(membership)
  assert.deepEqual([body.roles, body.expiresAt], [['member', 'billing'], null])
})

test('saving changes what the admin has changed, and keeps what others have changed meanwhile', async (t) => {
  const { ann, ben, path, slug, members, tenant, putRoles } = await createOrganization()
  await putRoles(billing, reports, support)
  const membership = `${path}/members/${members.cleo.id}`
  const meanwhile = async (change: object) => assert.equal((await ben.patch(membership, change)).status, 200)
  const until = (month: string) => `${year}-${month}-01T10:00:00.000Z`
  await meanwhile({ grants: [{ role: 'billing' }, { role: 'reports' }] })
  const { page, open } = await world.tab(t, { person: ann, tenant })
  const box = (name: string) => page.getByLabel(name, { exact: true })
  const save = async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changes to Cleo saved.').waitFor()
  }
  await open(`/organizations/${slug}/members`)

  await openAccess(page, 'Cleo')
  await meanwhile({ status: 'suspended', grants: [{ role: 'billing', expiresAt: until('02') }] })
  await page.getByLabel('Membership ends').fill(`${year}-06-06`)
  await save()
  const { body: first } = await ann.get(membership)
  assert.deepEqual([first.status, first.roles], ['suspended', ['member', 'billing']])
  assert.ok(first.expiresAt.startsWith(`${year}-06-06`))

  await meanwhile({ status: 'active', grants: [{ role: 'billing' }, { role: 'reports' }] })
  await open(`/organizations/${slug}/members`)
  await openAccess(page, 'Cleo')
  await meanwhile({
    expiresAt: until('05'),
    grants: [{ role: 'billing', expiresAt: until('02') }, { role: 'reports' }],
  })
  await box('Reports').uncheck()
  await box('Support').check()
  await page.getByLabel('End of Support').fill(`${year}-03-03`)
  await save()
  const { body: second } = await ann.get(membership)
  assert.deepEqual([second.expiresAt, second.roles], [until('05'), ['member', 'billing', 'support']])
  assert.equal(second.grants[0].expiresAt, until('02'))
  assert.ok(second.grants[1].expiresAt.startsWith(`${year}-03-03`))
})

test('an end that is half typed or out of range is refused at its field, and the end that was there stays', async (t) => {
  const { ann, path, slug, members, tenant } = await createOrganization()
  const membership = `${path}/members/${members.cleo.id}`
  const expiresAt = `${year}-06-06T10:00:00.000Z`
  const before = { grants: [{ role: 'billing', expiresAt }], expiresAt }
  assert.equal((await ann.patch(membership, before)).status, 200)
  const tab = await world.tab(t, { person: ann, tenant, width: 390 })
  const { page, open, press, check } = tab
  const { reach, isAt } = keyboardOf(tab)
  const [end, endOfBilling] = [page.getByLabel('Membership ends'), page.getByLabel('End of Billing')]
  const fault = (words: string) => page.getByRole('dialog').getByText(words, { exact: true })
  await open(`/organizations/${slug}/members`)
  await openAccess(page, 'Cleo')

  await reach(endOfBilling)
  await press('Backspace')
  await reach(end)
  await press('Backspace')
  await press('Enter')
  await isAt(endOfBilling)
  assert.equal(await fault('Enter the whole date: day, month and year.').count(), 2)
  await check()
  await typeDate(endOfBilling, '12120027')
  await press('Enter')
  await isAt(endOfBilling)
  await fault('Check the year.').waitFor()
  await typeDate(endOfBilling, `0606${year}`)
  await press('Enter')
  await isAt(end)
  await typeDate(end, '12122020')
  await press('Enter')
  await fault('Check the year.').waitFor({ state: 'detached' })
  await page
    .getByRole('dialog')
    .getByText(/^Choose a day from .* to /)
    .waitFor()
  const { body } = await ann.get(membership)
  assert.deepEqual([body.grants[0].expiresAt, body.expiresAt], [expiresAt, expiresAt])

  await typeDate(end, `0303${year}`)
  await press('Enter')
  await page.getByText('Changes to Cleo saved.').waitFor()
  const { body: after } = await ann.get(membership)
  assert.deepEqual([after.grants[0].expiresAt, after.expiresAt.slice(0, 10)], [expiresAt, `${year}-03-03`])
})

test('a role that is taken away can be given again before saving, with its own end, and no end outlasts the admin’s', async (t) => {
  const { ann, ben, path, slug, members, tenant } = await createOrganization()
  const membership = `${path}/members/${members.cleo.id}`
  const expiresAt = `${year}-06-06T10:00:00.000Z`
  const present = { grants: [{ role: 'billing' }], expiresAt: `${year}-05-05T10:00:00.000Z` }
  assert.equal((await ann.patch(membership, present)).status, 200)
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { expiresAt })).status, 200)
  const { page, open } = await world.tab(t, { person: ben, tenant })
  const [box, end] = [page.getByLabel('Billing', { exact: true }), page.getByLabel('End of Billing')]
  const save = () => page.getByRole('button', { name: 'Save' }).click()
  await open(`/organizations/${slug}/members`)
  await openAccess(page, 'Cleo')
  assert.equal(await end.inputValue(), '')
  await box.uncheck()
  await end.waitFor({ state: 'detached' })
  await box.check()
  assert.equal(await end.inputValue(), '', 'not the latest end that Ben can give')
  await page.getByLabel('Membership ends').fill(`${year}-07-07`)
  await save()
  const latest = `You can give this only until 6 Jun ${year}. Choose that day or an earlier one.`
  await page.getByLabel('Membership ends').and(page.locator(':focus')).waitFor()
  await page.getByRole('dialog').getByText(latest).waitFor()
  await page.getByLabel('Membership ends').fill(`${year}-06-06`)
  await save()
  await page.getByText('Changes to Cleo saved.').waitFor()
  const { body } = await ann.get(membership)
  assert.deepEqual([body.grants[0].expiresAt, body.expiresAt], [null, expiresAt])
})

test('members see what they may do and until when, by name, and which roles others have', async (t) => {
  const { ann, ben, cleo, path, slug, members, tenant } = await createOrganization()
  const expiresAt = `${year}-03-03T10:00:00.000Z`
  const grants = [{ role: 'billing', expiresAt: `${year}-01-31T10:00:00.000Z` }]
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants, expiresAt })).status, 200)
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member', grants })).status, 200)
  const { page, open, check, become } = await world.tab(t, { person: cleo, tenant, width: 390 })
  const own = page.getByRole('dialog', { name: 'What you can do in Acme' })
  const seeOwn = async () => {
    for (const text of [`Billing until 31 Jan ${year}`, 'Keeps accounts.', `3 Mar ${year}`, 'Write invoices'])
      await own.getByText(text, { exact: true }).waitFor()
    assert.equal(await own.getByText('invoices:write').count(), 0)
    await check()
    await own.getByRole('button', { name: 'Close' }).click()
    await own.waitFor({ state: 'detached' })
  }
  await open(`/organizations/${slug}`)
  await page.getByText(`Ends 3 Mar ${year}`).waitFor()
  await page.getByRole('button', { name: 'What you can do…' }).click()
  await seeOwn()
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'What you can do…' }).click()
  await seeOwn()
  await page.getByRole('button', { name: '+1, the roles of Cleo: Billing' }).click()
  await seeOwn()

  await page.getByRole('button', { name: '+1, the roles of Ben: Billing' }).click()
  const others = page.getByRole('dialog', { name: 'What Ben can do' })
  await others.getByText(`Billing until 31 Jan ${year}`, { exact: true }).waitFor()
  await others.getByText('No end').waitFor()
  await check()
  assert.deepEqual(
    [await others.getByText('Can do now').count(), await others.getByRole('button', { name: 'Save' }).count()],
    [0, 0],
  )
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' })).status, 200)
  await become(cleo)
  await open(`/organizations/${slug}/members`)
  await page.getByText(/^3 members/).waitFor()
  await page.getByText('Write invoices').waitFor({ state: 'detached' })
  assert.equal((await ben.get(path)).status, 403)
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
  await page.getByRole('menuitem', { name: 'Set an end date…' }).click()
  await page.getByLabel('Membership ends').fill(`${year}-03-10`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`Ends 10 Mar ${year}`).waitFor()
  const { body } = await ann.get(`${path}/members/${members.cleo.id}`)
  assert.equal(body.expiresAt, `${year}-03-10T10:59:59.000Z`) // summer in Auckland: 13 hours ahead
})

test('for an owner there is nothing to set without roles of the product', async (t) => {
  const { ann, path, slug, members } = await world.organization()
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })).status, 200)
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Ben' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).waitFor()
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Remove…'])
})
