/** The links to join of an organization in the console: making, copying, using and revoking one. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'
import { refusalIn, typeDate } from '../../test/keyboard.ts'

const world = await createConsoleWorld()

/** A tab on the links of an organization, with what the tests do there. */
async function openTab(t: TestContext, slug: string, options: TabOptions) {
  const tab = await world.tab(t, options)
  const { page } = tab
  const opener = page.getByRole('button', { name: 'New link' })
  return {
    ...tab,
    opener,
    dialog: page.getByRole('dialog'),
    live: page.getByRole('table', { name: /^Active links/ }).getByRole('row'),
    ended: page.getByRole('table', { name: /^Ended links/ }).getByRole('row'),
    openLinks: () => tab.open(`/organizations/${slug}/links`),
    create: () => page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click(),
    hasPlace: async () => (await page.getByRole('navigation').getByRole('link', { name: 'Links' }).count()) > 0,
  }
}

/** A tenant whose product has roles: one without built-in permissions, and two for those who deal with invitations. */
async function makeTenant() {
  const { slug: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(tenant)
  const { status } = await admin.put('/api/admin/access', {
    permissions: [{ key: 'notes:write', name: 'Write' }],
    roles: [
      { key: 'writer', name: 'Writer', permissions: ['notes:write'] },
      { key: 'viewer', name: 'Viewer', permissions: ['invitations:read'] },
      { key: 'recruiter', name: 'Recruiter', permissions: ['invitations:read', 'invitations:write'] },
    ],
  })
  assert.equal(status, 200)
  return { tenant, admin, ...(await world.organization({ tenant })) }
}

test('without the roles no link is made that would give too little, and reading them again is offered', async (t) => {
  const { tenant, ann, slug } = await makeTenant()
  const { page, check, opener, dialog, openLinks } = await openTab(t, slug, { person: ann, tenant })
  await page.route('**/roles', (route) => route.fulfill({ status: 429, json: { code: 'rate_limited' } }))
  await openLinks()
  await page.getByRole('main').getByRole('alert').getByText('Too many attempts').waitFor()
  await page.getByRole('heading', { name: 'No links yet' }).waitFor()
  assert.equal(await opener.count(), 0)
  await check()
  await page.unroute('**/roles')
  await page.getByRole('button', { name: 'Try again' }).click()
  await opener.click()
  await dialog.getByRole('checkbox', { name: 'Writer' }).waitFor()
})

test('a link that gives more than somebody could give has no button to copy it, and says why', async (t) => {
  const { tenant, ann, ben, slug, path, members } = await makeTenant()
  const [soon, later] = [2, 9].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  await ann.patch(`${path}/members/${members.ben.id}`, { expiresAt: soon })
  await ann.post(`${path}/links`, { memberExpiresAt: later })
  const { page, check, live, openLinks } = await openTab(t, slug, { person: ben, tenant })
  await openLinks()
  await live.getByText(/it gives more than you could give/).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Copy link/ }).count(), 0)
  await live.getByRole('button', { name: /^Actions for the link/ }).waitFor()
  await check()
})

test('a link is made by one and used by another, and lets nobody in after it was revoked', async (t) => {
  const { ann, dan, slug, path } = await world.organization()
  const { page, open, become, check, opener, dialog, live, ended, openLinks, create } = await openTab(t, slug, {
    person: ann,
  })
  await openLinks()
  await page.getByRole('heading', { name: 'No links yet' }).waitFor()
  await check()
  await opener.click()
  assert.equal(await dialog.getByRole('checkbox').count(), 0) // the product has no roles
  await dialog.getByLabel('Number of people').fill('2')
  await check()
  await create()
  const url = await dialog.getByLabel('Link', { exact: true }).inputValue()
  await check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await opener.and(page.locator(':focus')).waitFor()
  await live.getByText('0 of 2').waitFor()
  await live.getByText(/in [678] days/).waitFor()
  await check()

  await become(dan)
  await open(`/join${new URL(url).hash}`)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.waitForURL(`**/organizations/${slug}`)

  await become(ann)
  await openLinks()
  await live.getByText('1 of 2').waitFor()
  await live.getByRole('button', { name: /^Actions for the link/ }).click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  await dialog.getByText('The person who joined with it stays a member.').waitFor()
  await check()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await ended.getByText('Revoked').waitFor()
  await page.getByRole('heading', { name: 'No active links' }).waitFor()
  await page.getByRole('heading', { name: 'Active', exact: true }).and(page.locator(':focus')).waitFor()
  await check()
  await become(await world.person('Eve'))
  await open(`/join${new URL(url).hash}`)
  await page.getByText('This link no longer works').waitFor()
  assert.equal((await dan.get(path)).body.role, 'member')
})

test('a link is copied by its button, or by hand where the browser has no clipboard', async (t) => {
  const { ann, slug, path } = await world.organization()
  const { body: link } = await ann.post(`${path}/links`, {})
  const { page, context, dialog, live, openLinks } = await openTab(t, slug, { person: ann })
  const copy = live.getByRole('button', { name: /^Copy link/ })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  t.after(() => context.clearPermissions())
  await openLinks()
  await copy.click()
  await page.getByText('Link copied.').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), link.url)

  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
  await copy.click()
  const field = dialog.getByLabel('Link', { exact: true })
  await field.and(page.locator(':focus')).waitFor()
  assert.equal(await field.inputValue(), link.url)
  await page.keyboard.press('Escape')
  await copy.and(page.locator(':focus')).waitFor()
})

test('a link gives roles and an end, and each fault is shown at its field, on a phone', async (t) => {
  const { tenant, ann, slug, path } = await makeTenant()
  const { page, opener, dialog, live, openLinks, create, check } = await openTab(t, slug, {
    person: ann,
    tenant,
    width: 390,
  })
  const invalid = page.locator('[aria-invalid=true]')
  const people = dialog.getByLabel('Number of people')
  const days = dialog.getByLabel('Days until the link ends')
  const end = dialog.getByLabel('Their membership ends')
  const domains = dialog.getByRole('combobox', { name: 'Email domains' }).or(dialog.getByLabel('Email domains')).first()
  await openLinks()
  await opener.click()
  await people.fill('')
  await create()
  await dialog.getByText('This field is required.').waitFor()
  await people.and(page.locator(':focus')).waitFor()
  await people.fill('1001')
  await days.fill('91')
  await domains.fill('nonsense')
  await create()
  await days.and(invalid).waitFor()
  await people.and(invalid).waitFor()
  await domains.and(invalid).waitFor()
  await check()
  await people.fill('1000')
  await days.fill('90')
  await domains.focus()
  await page.keyboard.press('Backspace')
  await domains.fill('@Example.org')
  await end.fill('2020-01-31')
  await create()
  await end.and(invalid).waitFor()
  const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
  await end.fill(day)
  assert.deepEqual(await dialog.getByRole('checkbox').count(), 1, 'no role with built-in permissions is offered')
  await dialog.getByRole('checkbox', { name: 'Writer' }).check()
  await create()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await live.getByText('Member, Writer').waitFor()
  await live.getByText('Only addresses at example.org').waitFor()
  await check()
  const [link] = (await ann.get(`${path}/links`)).body.data
  assert.deepEqual(
    [link.grants.map(({ role }: { role: string }) => role), link.maxUses, link.emailDomains],
    [['writer'], 1000, ['example.org']],
  )
  assert.ok(Math.abs(Date.parse(link.memberExpiresAt) - Date.parse(day)) < 2 * 86_400_000)
})

test('a number of a new link is sent as one while it is still typed', async (t) => {
  const { ann, slug, path } = await world.organization()
  const { press, dialog, opener, openLinks } = await openTab(t, slug, { person: ann })
  await openLinks()
  for (const [field, typed] of [
    ['Number of people', '050'],
    ['Days until the link ends', '014'],
  ] as const) {
    await opener.click()
    await dialog.getByLabel(field).fill(typed)
    await press('Enter')
    await dialog.getByRole('button', { name: 'Done' }).click()
  }
  const { data } = (await ann.get(`${path}/links`)).body
  const numbers = data.map(({ maxUses, createdAt, expiresAt }: Record<string, string>) => [
    maxUses,
    Math.round((Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '')) / 86_400_000),
  ])
  assert.deepEqual(numbers, [
    [25, 14],
    [50, 7],
  ])
})

test('a list of domains is pasted, one per line', async (t) => {
  const { ann, slug, path } = await world.organization()
  const { dialog, opener, openLinks, create, paste } = await openTab(t, slug, { person: ann })
  await openLinks()
  await opener.click()
  await dialog.getByLabel('Email domains').first().click()
  await paste('example.org\r\n@example.net;example.com\texample.edu\n')
  await create()
  await dialog.getByRole('button', { name: 'Done' }).waitFor()
  const [link] = (await ann.get(`${path}/links`)).body.data
  assert.deepEqual(link.emailDomains.sort(), ['example.com', 'example.edu', 'example.net', 'example.org'])
})

test('a link is named by a date in the language of its sentence, whatever the reader’s language', async (t) => {
  const { ann, slug, path } = await world.organization()
  await ann.post(`${path}/links`, {})
  await ann.patch('/api/users/me', { locale: 'fa-IR' })
  const { live, openLinks } = await openTab(t, slug, { person: ann })
  await openLinks()
  await live.getByRole('button', { name: /^Copy link .*20\d\d/ }).waitFor()
  await live.getByRole('button', { name: /^Actions for the link .*20\d\d/ }).waitFor()
})

test('as many links live as may be; the next one is refused, and revoking one by keyboard leads to the next', async (t) => {
  const { ann, slug, path } = await world.organization()
  for (let count = 0; count < 20; count++) await ann.post(`${path}/links`, {})
  const { page, press, opener, dialog, live, openLinks, create } = await openTab(t, slug, { person: ann })
  await openLinks()
  await opener.click()
  await create()
  await dialog.getByRole('alert').getByText('There are too many active links').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const menus = live.getByRole('button', { name: /^Actions/ })
  await menus.first().focus()
  await press('Enter')
  await page.getByRole('menuitem', { name: 'Revoke…' }).and(page.locator(':focus')).waitFor()
  await press('Enter')
  await dialog.getByText('Nobody has joined with it.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
  await press('Tab')
  await press('Enter')
  await menus.nth(19).waitFor({ state: 'detached' })
  await menus.first().and(page.locator(':focus')).waitFor()
})

test('only those who may see invitations see links, and only those who may invite copy and make them', async (t) => {
  const { tenant, ann, cleo, slug, path, members } = await makeTenant()
  await ann.post(`${path}/links`, {})
  const { page, opener, live, openLinks, hasPlace, check } = await openTab(t, slug, { person: cleo, tenant })
  const give = (role: string) => ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role }] })
  await openLinks()
  await page.getByRole('heading', { name: 'You can’t see links' }).waitFor()
  await check()
  assert.equal(await hasPlace(), false)
  await give('viewer')
  await openLinks()
  await live.getByText('0 of 25').waitFor()
  await check()
  assert.deepEqual([await hasPlace(), await live.getByRole('button').count(), await opener.count()], [true, 0, 0])
  await give('recruiter')
  await openLinks()
  await opener.waitFor()
  await live.getByRole('button', { name: /^Copy link/ }).waitFor()
})

test('a tenant without links has no such page, and a dialog that is open then says so', async (t) => {
  const { tenant, admin, ann, slug } = await makeTenant()
  const { page, opener, openLinks, create, hasPlace, check } = await openTab(t, slug, { person: ann, tenant })
  await openLinks()
  await opener.click()
  await admin.patch('/api/admin/tenant', { shareLinks: false })
  await create()
  await page.getByRole('heading', { name: 'Links are turned off' }).waitFor()
  await check()
  await page.reload()
  await page.getByRole('heading', { name: 'Links are turned off' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).waitFor()
  assert.equal(await hasPlace(), false)
})

test('an end that is half typed or out of range is refused at its field, and no link is made', async (t) => {
  const { tenant, ann, slug, path } = await makeTenant()
  const { press, opener, dialog, openLinks } = await openTab(t, slug, { person: ann, tenant })
  const [end, endOfWriter] = [dialog.getByLabel('Their membership ends'), dialog.getByLabel('End of Writer')]
  const isRefused = refusalIn(dialog)
  const year = new Date().getFullYear() + 1
  await openLinks()
  await opener.click()
  await dialog.getByLabel('Writer', { exact: true }).check()
  await typeDate(endOfWriter, '0303')
  await press('Enter')
  await isRefused(endOfWriter, 'Enter the whole date: day, month and year.')
  await typeDate(endOfWriter, `0303${year}`)
  await typeDate(end, '0404')
  await press('Enter')
  await isRefused(end, 'Enter the whole date: day, month and year.')
  await typeDate(end, '04040027')
  await press('Enter')
  await isRefused(end, 'Check the year.')
  await typeDate(end, '04042020')
  await press('Enter')
  await isRefused(end, /^Choose a day from .* to /)
  assert.deepEqual((await ann.get(`${path}/links`)).body.data, [])
  await typeDate(end, `0404${year}`)
  await press('Enter')
  await dialog.getByRole('button', { name: 'Done' }).waitFor()
  const [link] = (await ann.get(`${path}/links`)).body.data
  assert.equal(link.grants[0].expiresAt.slice(0, 10), `${year}-03-03`)
  assert.equal(link.memberExpiresAt.slice(0, 10), `${year}-04-04`)
})
