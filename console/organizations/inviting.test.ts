/** Inviting people with roles of the product, with ends, and without a mail. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { keyboardOf, typeDate } from '../../test/keyboard.ts'

const world = await createConsoleWorld()
const year = new Date().getFullYear() + 1
const newAddress = () => `zoe-${randomBytes(4).toString('hex')}@example.com`

const permissions = [
  { key: 'invoices:write', name: 'Write invoices' },
  { key: 'reports:read', name: 'Read reports' },
  { key: 'books:close', name: 'Close the books', minimumRole: 'owner' },
]
const roles = [
  { key: 'billing', name: 'Billing', description: 'Writes invoices.', permissions: ['invoices:write'] },
  { key: 'reports', name: 'Reports', permissions: ['reports:read'] },
  { key: 'auditor', name: 'Auditor', permissions: ['books:close'] },
]

/** An organization in a tenant whose product has these roles. */
async function createOrganization() {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  assert.equal((await tess.put('/api/admin/access', { permissions, roles })).status, 200)
  return { ...(await world.organization({ tenant })), tenant, tess }
}

async function openDialog(page: Page, email: string) {
  await page.getByRole('button', { name: 'Invite people' }).click()
  await page.getByLabel('Email addresses').fill(email)
}
const more = (page: Page) => page.getByRole('button', { name: 'More options' })

test('an invitation gives roles until a day and ends the membership, waits without a mail, and is mailed when it is resent', async (t) => {
  const { ben, dan, path, slug, tenant } = await createOrganization()
  const { page, open, check, become } = await world.tab(t, { person: ben, tenant })
  await open(`/organizations/${slug}/invitations`)
  await openDialog(page, dan.email)
  const dialog = page.getByRole('dialog')
  await more(page).click()
  await page.getByText('You can’t give these: Auditor.').waitFor()
  assert.ok(await page.getByLabel('Auditor').isDisabled())
  await page.getByLabel('Billing', { exact: true }).check()
  await page.getByLabel('End of Billing').fill(`${year}-01-31`)
  await page.getByLabel('Reports', { exact: true }).check()
  await page.getByLabel('Membership ends').fill(`${year}-03-03`)
  await page.getByLabel('Invitation stays open for').selectOption('14 days')
  await page.getByLabel('Send no email').check()
  await check()
  await more(page).click()
  await dialog
    .getByText(
      `Billing until 31 Jan ${year} and Reports · membership until 3 Mar ${year} · open for 14 days · no email`,
    )
    .waitFor()
  await dialog.getByRole('button', { name: 'Create invitation' }).click()
  await page.getByText('1 invitation created, and no email sent.').waitFor()

  const row = page.getByRole('row', { name: dan.email })
  await row.getByText(`Member until 3 Mar ${year}`).waitFor()
  await row.getByText(`Billing until 31 Jan ${year} and Reports`).waitFor()
  await row.getByText('Not emailed').waitFor()
  await check()
  const [sent] = (await ben.get(`${path}/invites?status=pending`)).body.data
  assert.deepEqual(
    [sent.mailed, sent.grants, sent.memberExpiresAt, Date.parse(sent.expiresAt) - Date.parse(sent.createdAt)],
    [
      false,
      [
        { role: 'billing', name: 'Billing', expiresAt: `${year}-01-31T23:59:59.000Z` },
        { role: 'reports', name: 'Reports', expiresAt: null },
      ],
      `${year}-03-03T23:59:59.000Z`,
      14 * 86_400_000,
    ],
  )
  await page.getByRole('button', { name: 'Invite people' }).click()
  await more(page).click()
  assert.equal(
    await page.getByLabel('Send no email').isChecked(),
    false,
    'the next invitation starts with the usual choices',
  )
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: `Actions for the invitation to ${dan.email}` }).click()
  await page.getByRole('menuitem', { name: 'Resend…' }).click()
  await page.getByText(`No email has been sent so far. ${dan.email} will get one with a link.`).waitFor()
  await dialog.getByRole('button', { name: 'Resend' }).click()
  await page.getByText(`The invitation to ${dan.email} was sent.`).waitFor()
  await row.getByText('Not emailed').waitFor({ state: 'detached' })
  await world.mailedToken(dan.email, 'invitation', tenant)

  await become(dan)
  await open('/me/invitations')
  await page.getByText(`as a member with Billing until 31 Jan ${year} and Reports, until 3 Mar ${year}`).waitFor()
})

test('the next people get the usual choices, also if some of the last ones were members already', async (t) => {
  const { ann, ben, slug } = await world.organization()
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/invitations`)
  await openDialog(page, `${newAddress()}\n${ben.email}`)
  const dialog = page.getByRole('dialog')
  const role = dialog.getByLabel('Role', { exact: true })
  await role.selectOption('owner')
  await more(page).click()
  await page.getByLabel('Send no email').check()
  await dialog.getByRole('button', { name: 'Create 2 invitations' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Invite people' }).click()
  assert.equal(await role.inputValue(), 'member')
  await more(page).click()
  assert.equal(await page.getByLabel('Send no email').isChecked(), false)
})

test('ends are of the calendar of the date fields, also where the reader’s language has another one', async (t) => {
  const { ben, slug, tenant } = await createOrganization()
  await ben.patch('/api/users/me', { locale: 'th' })
  const { page, open } = await world.tab(t, { person: ben, tenant })
  await open(`/organizations/${slug}/invitations`)
  await openDialog(page, newAddress())
  await more(page).click()
  const end = page.getByLabel('Membership ends')
  await end.fill(`${year + 100}-01-31`)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  const fault = page.getByText(/^Choose a day from .+ to \W*\d+ \S+ 20\d\d\W*\.$/)
  await fault.waitFor()
  assert.equal(await fault.locator('[lang=th]').count(), 2)
  await end.fill(`${year}-01-31`)
  await more(page).click()
  const sentence = page.getByText(`membership until 31 ม.ค. ${year}`)
  assert.equal(await sentence.locator('[lang=th]').textContent(), `31 ม.ค. ${year}`)
})

test('what is not the inviter’s to give any more is said at its field, and the address stays', async (t) => {
  const { ben, path, slug, tenant, tess } = await createOrganization()
  const { page, open, check } = await world.tab(t, { person: ben, tenant, width: 390 })
  await open(`/organizations/${slug}/invitations`)
  const email = newAddress()
  await openDialog(page, email)
  await more(page).click()
  await page.getByLabel('Billing', { exact: true }).check()
  await page.getByLabel('Reports', { exact: true }).check()
  await more(page).click()
  // Meanwhile the product's role gets a permission that only owners have.
  const wider = roles.map((role) => (role.key === 'billing' ? { ...role, permissions: ['books:close'] } : role))
  assert.equal((await tess.put('/api/admin/access', { permissions, roles: wider })).status, 200)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('You can’t give Billing. You don’t have: Close the books.').waitFor()
  const billing = page.getByLabel('Billing', { exact: true })
  await billing.and(page.locator(':focus')).waitFor()
  assert.equal(await page.getByLabel('Email addresses').inputValue(), email)
  await check()
  await billing.uncheck()
  await page.getByText('You can’t give these: Auditor, Billing.').waitFor()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('1 invitation sent.').waitFor()
  const { data } = (await ben.get(`${path}/invites?status=pending`)).body
  assert.deepEqual(
    data.map((each: { email: string; grants: { role: string }[] }) => [
      each.email,
      each.grants.map(({ role }) => role),
    ]),
    [[email, ['reports']]],
  )
})

test('nobody invites for longer than they are a member: their own end is there at first, and a later one is refused', async (t) => {
  const { ann, ben, path, slug, tenant, members } = await createOrganization()
  const expiresAt = `${year}-05-05T10:00:00.000Z`
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { expiresAt })).status, 200)
  const { page, open } = await world.tab(t, { person: ben, tenant })
  await open(`/organizations/${slug}/invitations`)
  const email = newAddress()
  await openDialog(page, email)
  await page.getByRole('dialog').getByText(`membership until 5 May ${year}`).waitFor()
  await more(page).click()
  const end = page.getByLabel('Membership ends')
  await page.getByText(`Yours ends on 5 May ${year}`).waitFor()
  await end.fill('')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText(`You can give this only until 5 May ${year}. Choose that day or an earlier one.`).waitFor()
  await end.and(page.locator(':focus')).waitFor()
  await end.fill(`${year}-05-05`)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('1 invitation sent.').waitFor()
  const [sent] = (await ben.get(`${path}/invites?status=pending`)).body.data
  assert.deepEqual([sent.email, sent.memberExpiresAt], [email, expiresAt])
})

test('what the inviter has only for a time can be given until then', async (t) => {
  const { ann, cleo, path, slug, tenant, members } = await createOrganization()
  const change = (expiresAt: string | null) =>
    ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin', grants: [{ role: 'auditor', expiresAt }] })
  assert.equal((await change(null)).status, 200)
  await cleo.patch('/api/users/me', { locale: 'th' })
  const { page, open } = await world.tab(t, { person: cleo, tenant })
  await open(`/organizations/${slug}/invitations`)
  await openDialog(page, newAddress())
  await more(page).click()
  await page.getByLabel('Auditor', { exact: true }).check()
  // Meanwhile Cleo's own role gets an end.
  const expiresAt = `${year}-04-04T10:00:00.000Z`
  assert.equal((await change(expiresAt)).status, 200)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  const fault = page.getByText(`You have some of this only until 4 เม.ย. ${year}. Choose that day or an earlier one.`)
  assert.equal(await fault.locator('[lang=th]').textContent(), `4 เม.ย. ${year}`)
  await page.getByLabel('End of Auditor').fill(`${year}-04-04`)
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('1 invitation sent.').waitFor()
  const [sent] = (await cleo.get(`${path}/invites?status=pending`)).body.data
  assert.equal(sent.grants[0].expiresAt, expiresAt)
})

test('what the inviter has only for a time is offered with its end, which is there at first', async (t) => {
  const { ann, cleo, path, slug, tenant, tess, members } = await createOrganization()
  const admins = [
    'organization:update',
    'members:update',
    'members:remove',
    'audit:read',
    'keys:read',
    'keys:write',
    'events:read',
    'webhooks:read',
    'webhooks:write',
  ]
  const deputy = {
    key: 'deputy',
    name: 'Deputy',
    permissions: [...admins, 'invitations:read', 'invitations:write', 'invoices:write', 'reports:read'],
  }
  assert.equal((await tess.put('/api/admin/access', { permissions, roles: [...roles, deputy] })).status, 200)
  const expiresAt = `${year}-06-06T10:00:00.000Z`
  const grants = [{ role: 'deputy', expiresAt }]
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants })).status, 200)
  const { page, open, check } = await world.tab(t, { person: cleo, tenant, width: 390 })
  await open(`/organizations/${slug}/invitations`)
  await openDialog(page, newAddress())
  await more(page).click()
  const end = page.getByLabel('Membership ends')
  assert.equal(await end.inputValue(), '', 'a plain member needs no end')
  await page.getByRole('dialog').getByLabel('Role', { exact: true }).selectOption('admin')
  await page.getByText(`You can give this role only until 6 Jun ${year}.`).waitFor()
  assert.equal(await end.inputValue(), `${year}-06-06`)
  await page.getByText(`You can give it until 6 Jun ${year}.`).first().waitFor()
  await page.getByLabel('Billing', { exact: true }).check()
  assert.equal(await page.getByLabel('End of Billing').inputValue(), `${year}-06-06`)
  await check()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('1 invitation sent.').waitFor()
  const [sent] = (await cleo.get(`${path}/invites?status=pending`)).body.data
  assert.deepEqual([sent.role, sent.memberExpiresAt, sent.grants[0].expiresAt], ['admin', expiresAt, expiresAt])

  // The same for links, and in the dialog of a member.
  await open(`/organizations/${slug}/links`)
  await page.getByRole('button', { name: 'New link' }).click()
  await page.getByRole('checkbox', { name: 'Reports' }).check()
  assert.equal(await page.getByLabel('End of Reports').inputValue(), `${year}-06-06`)
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  const [link] = (await cleo.get(`${path}/links`)).body.data
  assert.equal(link.grants[0].expiresAt, expiresAt)
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Ben' }).click()
  await page.getByRole('menuitem', { name: 'Roles and end…' }).click()
  await page.getByText(`You can extend it only until 6 Jun ${year}.`).waitFor()
  await page.getByLabel('Billing', { exact: true }).check()
  assert.equal(await page.getByLabel('End of Billing').inputValue(), `${year}-06-06`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changes to Ben saved.').waitFor()
  const { body: ben } = await cleo.get(`${path}/members/${members.ben.id}`)
  assert.equal(ben.grants[0].expiresAt, expiresAt)
})

test('a tenant without roles of its own has none to choose, and an owner gets no end', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open, check } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await openDialog(page, newAddress())
  await more(page).click()
  await page.getByLabel('Membership ends').waitFor()
  assert.equal(await page.getByRole('group', { name: 'Roles' }).count(), 0)
  await check()
  await page.getByRole('dialog').getByLabel('Role').selectOption('owner')
  await page.getByLabel('Membership ends').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('1 invitation sent.').waitFor()
})

test('who cannot read the roles sees it before the other options are open', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open, check } = await world.tab(t, { person: ann })
  await page.route('**/roles', (route) => route.fulfill({ status: 429, json: { code: 'rate_limited' } }))
  await open(`/organizations/${slug}/members`)
  await openDialog(page, newAddress())
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Too many attempts').waitFor()
  assert.equal(await more(page).getAttribute('aria-expanded'), 'false')
  await check()
  await page.unroute('**/roles')
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('Too many attempts').waitFor({ state: 'detached' })
  await dialog.getByLabel('Role').selectOption('admin')
})

test('ends are typed by keyboard: the addresses stay, and what is no day is refused at its field', async (t) => {
  const { ben, path, slug, tenant } = await createOrganization()
  const tab = await world.tab(t, { person: ben, tenant })
  const { page, open, press, check } = tab
  const { act, reach, isAt, button, field } = keyboardOf(tab)
  const [end, endOfBilling] = [field('Membership ends'), field('End of Billing')]
  const dialog = page.getByRole('dialog')
  const address = newAddress()
  await open(`/organizations/${slug}/invitations`)
  await act(button('Invite people'))
  await isAt(page.getByRole('textbox', { name: 'Email addresses' }))
  await page.keyboard.type(address)
  await act(button('More options'))
  await act(field('Billing'), 'Space')
  await reach(endOfBilling)
  await typeDate(endOfBilling, '0202')
  await reach(end)
  await typeDate(end, '12129999')
  await press('Enter')
  await isAt(endOfBilling)
  await dialog.getByText('Enter the whole date: day, month and year.').waitFor()
  await dialog.getByText('Check the year.').waitFor()
  await check()
  await typeDate(endOfBilling, `0202${year}`)
  await reach(end)
  await typeDate(end, '02020027')
  await act(more(page))
  await act(button('Send invitation'))
  await isAt(end)
  await dialog.getByText('Check the year.').waitFor()
  await typeDate(end, `0303${year + 20}`)
  await press('Enter')
  await dialog.getByText(/^Choose a day from .* to /).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Email addresses' }).inputValue(), address)
  assert.deepEqual((await ben.get(`${path}/invites?status=pending`)).body.data, [])
  await typeDate(end, `0303${year}`)
  await press('Enter')
  await page.getByText('1 invitation sent.').waitFor()
  const [invitation] = (await ben.get(`${path}/invites?status=pending`)).body.data
  assert.equal(invitation.email, address)
  assert.equal(invitation.grants[0].expiresAt.slice(0, 10), `${year}-02-02`)
  assert.equal(invitation.memberExpiresAt.slice(0, 10), `${year}-03-03`)
})

test('an end that is half typed never means “no end”, also when its field was hidden or the dialog closed meanwhile', async (t) => {
  const { ben, path, slug, tenant } = await createOrganization()
  const tab = await world.tab(t, { person: ben, tenant })
  const { page, open, press, check } = tab
  const { act, reach, isAt, button, field } = keyboardOf(tab)
  const end = field('Membership ends')
  const fault = page.getByRole('dialog').getByText('Enter the whole date: day, month and year.')
  const sent = async () => (await ben.get(`${path}/invites?status=pending`)).body.data
  const [first, second] = [newAddress(), newAddress()]
  await open(`/organizations/${slug}/invitations`)
  await openDialog(page, first)
  await act(more(page))
  await reach(end)
  await typeDate(end, '0202')
  await act(more(page))
  await act(button('Send invitation'))
  await isAt(end)
  await fault.waitFor()
  await check()
  await press('Enter')
  await act(button('Cancel'))
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Invite people' }).click()
  await act(button('Send invitation'))
  await isAt(end)
  await fault.waitFor()
  assert.deepEqual(await sent(), [])
  await typeDate(end, `0303${year}`)
  await press('Enter')
  await page.getByRole('row', { name: first }).waitFor()
  const [{ email, memberExpiresAt }] = await sent()
  assert.deepEqual([email, memberExpiresAt.slice(0, 10)], [first, `${year}-03-03`])

  // Who deletes the date chooses no end.
  await openDialog(page, second)
  await act(more(page))
  await reach(end)
  await typeDate(end, '0202')
  await act(more(page))
  await act(button('Send invitation'))
  await isAt(end)
  await press('Backspace')
  await press('Enter')
  await page.getByRole('row', { name: second }).waitFor()
  const [last] = (await sent()).filter((each: { email: string }) => each.email === second)
  assert.equal(last.memberExpiresAt, null)
})
