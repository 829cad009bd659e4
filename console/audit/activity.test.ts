/** The activity pages: their sentences and their filters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAccessibility, createConsoleWorld } from '../../test/browser.ts'
import { typeDate } from '../../test/keyboard.ts'
import { onRows } from '../../test/rows.ts'
import { findShifts } from '../../test/shifts.ts'
import { until } from '../../test/smtp.ts'

const world = await createConsoleWorld()

/** Runs in the browser: the addresses on the page, with the places where a line ends in them. */
const addressesInLines = `[...document.querySelectorAll('main b')].flatMap((bold) => {
  if (!bold.textContent.includes('@')) return []
  const texts = document.createTreeWalker(bold, NodeFilter.SHOW_TEXT)
  let lines = ''
  let top
  while (texts.nextNode()) {
    for (let index = 0; index < texts.currentNode.length; index++) {
      const range = document.createRange()
      range.setStart(texts.currentNode, index)
      range.setEnd(texts.currentNode, index + 1)
      const at = range.getBoundingClientRect().top
      if (top !== undefined && at - top > 5) lines += '|'
      top = at
      lines += range.toString()
    }
  }
  return [lines]
})`

test('an organization’s log addresses its reader as “you”, and calls a person without a name by their address', async (t) => {
  const { ann, ben, path, slug, members } = await world.organization()
  await ben.patch('/api/users/me', { name: null })
  await ben.post(`${path}/invites`, { email: 'eve@example.com', role: 'member' })
  await ann.delete(`${path}/members/${members.ben.id}`)
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/activity`)
  await page.getByText('You removed a person without a name').waitFor() // no longer in the list of members
  await page
    .getByText('The invitation for eve@example.com was revoked automatically because its sender was removed')
    .waitFor()
  await world.join(ann, slug, ben)
  await page.reload()
  await page.getByText(`You removed ${ben.email}`).waitFor()
})

test('an organization of more than a hundred members names those without a name in its log and on its overview', async (t) => {
  const { ann, ben, dan, id, path, slug } = await world.organization()
  const { giveMembers } = onRows(world)
  for (const person of [ben, dan]) await person.patch('/api/users/me', { name: null })
  for (const member of await giveMembers(id, Array(25).fill(null)))
    assert.equal((await ann.patch(`${path}/members/${member}`, { role: 'admin' })).status, 200)
  await ben.post(`${path}/invites`, { email: 'eve@example.com', role: 'member' }) // an early member
  await giveMembers(id, Array(100).fill('Kim'))
  await world.join(ann, slug, dan) // the newest member
  const { page, open } = await world.tab(t, { person: ann })
  const asked: string[] = []
  page.on('request', (request) => void (request.url().includes('userId=') && asked.push(request.url())))
  await page.clock.install()
  for (const place of ['', '/activity']) {
    asked.length = 0
    await open(`/organizations/${slug}${place}`)
    await page.getByText(`${ben.email} invited eve@example.com`).waitFor()
    await page.getByText(`${dan.email} accepted the invitation and joined`).waitFor()
    assert.ok(asked.length > 0 && asked.length <= 20, `${asked.length}`)
  }
  await page.getByText('You made a person without a name an admin').first().waitFor() // who was not asked for

  asked.length = 0
  await ann.post(`${path}/invites`, { email: 'fay@example.com', role: 'member' })
  await page.clock.fastForward('01:00')
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange'))) // as when somebody comes back to the window
  await page.getByText('You invited fay@example.com').waitFor()
  await page.getByText(`${ben.email} invited eve@example.com`).waitFor()
  assert.deepEqual(asked, [])
})

test('what a key did is told with its name, and with that of its person', async (t) => {
  await world.postgres.query('update tenants set personal_keys = true, organization_keys = true')
  const { ann, ben, id, path, slug } = await world.organization()
  const ofAcme = await world.key(['invitations:write'], { organization: id })
  await ofAcme.post(`${path}/invites`, { email: 'eve@example.com' })
  const ofBen = await world.key(['organization:update'], { person: ben })
  await ofBen.patch(path, { name: 'Acme & Co.' })

  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/activity`)
  const invited = page.getByText('The key Nightly import invited eve@example.com as a member')
  await invited.locator('b', { hasText: 'Nightly import' }).waitFor()
  const renamed = page.getByRole('listitem').filter({ hasText: 'Ben changed the settings of Acme & Co.' })
  await renamed.getByText('by a key', { exact: true }).waitFor()

  const own = await world.tab(t, { person: ben })
  await own.open('/me/activity')
  await own.page.getByText('by the key Nightly import · ').waitFor()
})

test('every log names the roles of members and the permissions of keys, not their keys', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  assert.equal((await tess.patch('/api/admin/tenant', { organizationKeys: true })).status, 200)
  const permissions = [{ key: 'org:invoices', name: 'Write invoices' }]
  const roles = [{ key: 'billing-manager', name: 'Billing Manager', permissions: ['org:invoices'] }]
  assert.equal((await tess.put('/api/admin/access', { permissions, roles })).status, 200)
  const { ann, id, members, path, slug } = await world.organization({ tenant })
  const grants = [{ role: 'billing-manager' }]
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { grants })).status, 200)
  assert.equal((await ann.post(`${path}/keys`, { name: 'Hub', scopes: ['org:invoices', 'members:read'] })).status, 201)
  const { page, open, become } = await world.tab(t, { person: ann, tenant })
  const entries = page.getByRole('main').getByRole('listitem')
  const areNamed = async () => {
    await entries.filter({ hasText: 'Ben' }).getByText('Billing Manager', { exact: true }).waitFor()
    await entries.filter({ hasText: 'the key Hub' }).getByText('Write invoices, See the members').waitFor()
  }
  await open(`/organizations/${slug}/activity`)
  await areNamed()
  await open('/me/activity')
  await areNamed()
  await become(tess)
  await open('/admin/activity')
  await areNamed()
  await open(`/admin/organizations/${id}/activity`)
  await areNamed()
})

test('a long list of ends is cut before an end, and not in it', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, members, path, slug } = await world.organization({ tenant })
  // The 120th character of the list is in its second end.
  const keys = ['a'.repeat(48), 'b'.repeat(28), 'c'.repeat(48)]
  const permissions = [{ key: 'notes:write', name: 'Write' }]
  const roles = keys.map((key) => ({ key, name: key, permissions: ['notes:write'] }))
  assert.equal((await tess.put('/api/admin/access', { permissions, roles })).status, 200)
  const expiresAt = `${new Date().getFullYear() + 1}-01-31T10:00:00.000Z`
  const grants = keys.map((role) => ({ role, expiresAt }))
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { grants })).status, 200)
  await ann.patch('/api/users/me', { locale: 'th' })
  const { page, open } = await world.tab(t, { person: ann, tenant })
  await open(`/organizations/${slug}/activity`)
  const beginning = page.getByRole('main').locator('summary').filter({ hasText: 'aaa' })
  await beginning.waitFor()
  assert.match((await beginning.textContent()) ?? '', /b until …$/)
  assert.equal(await beginning.locator('[lang=th]').count(), 1)
})

test('filters of a short log are behind a button, and stay while they are used', async (t) => {
  const dan = await world.person('Dan')
  const { page, open, press, check } = await world.tab(t, { person: dan, width: 390 })
  await open('/me/activity')
  await page.getByText('You signed up').waitFor()
  const kinds = page.getByRole('combobox', { name: 'Type' })
  assert.equal(await kinds.count(), 0)
  await page.getByRole('button', { name: 'Filter', exact: true }).focus()
  await press('Enter')
  await kinds.and(page.locator(':focus')).waitFor()
  await check()
  await kinds.click()
  const invitations = page.getByRole('option', { name: 'Invitations' })
  await invitations.waitFor()
  // Arrows move through the options, which scroll in a box of their own.
  await checkAccessibility(page, 'light', ['scrollable-region-focusable'])
  await invitations.click()
  await page.getByRole('heading', { name: 'No matching activity' }).waitFor()
  await page.keyboard.press('Escape') // the options cover the button
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('You signed up').waitFor()
  await kinds.waitFor()
  await page.goto('/me/activity?kinds=invitations')
  await kinds.waitFor()
})

test('the filters of a log come with its entries, so that what stands for these before does not move', async (t) => {
  const named = Promise.withResolvers<void>()
  t.after(() => named.resolve())
  const { ann } = await world.organization()
  const { page, open } = await world.tab(t, { person: ann })
  await page.route(/\/api\/organizations(\?|$)/, async (route) => {
    await named.promise
    await route.continue()
  })
  const read = page.waitForResponse('**/api/users/me/audit*')
  await open('/me/activity')
  await (await read).finished()
  await findShifts(page) // the page has painted what it has read
  const buttons = page.getByRole('search').getByRole('button')
  assert.equal(await buttons.count(), 0)
  named.resolve()
  await buttons.first().waitFor()
})

test('the filter by organization names the one that was just picked, though it is not among the first', async (t) => {
  const { ann, path } = await world.organization()
  await ann.post('/api/organizations', { name: 'Second Wind' })
  for (let count = 0; count < 10; count++) await ann.post(`${path}/invites`, { email: `eve-${count}@example.com` })
  const { page, open } = await world.tab(t, { person: ann })
  const released = Promise.withResolvers<void>()
  t.after(() => released.resolve())
  let isFirst = true
  await page.route(/\/api\/organizations($|\?)/, async (route) => {
    if (new URL(route.request().url()).searchParams.has('query')) return route.continue()
    if (isFirst) {
      isFirst = false
      return route.fulfill({ json: { data: [], nextCursor: null } })
    }
    await released.promise
    await route.continue()
  })
  await open('/me/activity')
  const organizations = page.getByRole('combobox', { name: 'Organization' })
  await organizations.fill('Second')
  await page.getByRole('option', { name: 'Second Wind' }).click()
  await page.waitForURL(/organization=/)
  await until(async () => (await organizations.inputValue()) === 'Second Wind', 'its name')
})

test('a person filters their activity by type and time, goes back, and shares the link', async (t) => {
  const { ann, path, id } = await world.organization()
  const { body: other } = await ann.post('/api/organizations', { name: 'Second Wind' })
  await ann.patch('/api/users/me', { name: 'Ann Archer' })
  for (let count = 0; count < 10; count++) await ann.post(`${path}/invites`, { email: `eve-${count}@example.com` })
  await ann.post(`${path}/invites`, { email: 'eve@example.com', role: 'admin' })
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me/activity')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await page.getByText('You invited eve@example.com as an admin').waitFor()
  const profile = page.getByRole('listitem').filter({ hasText: 'You changed your profile' })
  assert.match((await profile.textContent()) ?? '', /NameAnnAnn Archer/)
  await check()

  const kinds = page.getByRole('combobox', { name: 'Type' })
  await kinds.click()
  await page.getByRole('option', { name: 'Account' }).click()
  await page.getByText('You invited eve@example.com as an admin').waitFor({ state: 'detached' })
  await profile.waitFor()
  await page.keyboard.press('Escape')
  assert.equal(new URL(page.url()).searchParams.get('kinds'), 'account')
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()

  const organizations = page.getByRole('combobox', { name: 'Organization' })
  await organizations.click()
  await page.getByRole('option', { name: 'All organizations', selected: true }).waitFor()
  await page.getByRole('option', { name: 'Second Wind' }).click()
  await profile.waitFor({ state: 'detached' })
  await page.getByText('You created Second Wind').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('organization'), other.id)
  await page.goto(`/me/activity?organization=${id}&kinds=invitations`)
  await page.getByText('You invited eve@example.com as an admin').waitFor()
  await page.goBack()
  await page.getByText('You created Second Wind').waitFor()
  await page.goto('/me/activity?kinds=account')
  await profile.waitFor()

  await page.getByRole('combobox', { name: 'Time' }).click()
  await page.getByRole('option', { name: 'Custom range' }).click()
  await page.getByLabel('From', { exact: true }).pressSequentially('01012020') // typed as the field wants it, year last
  await page.waitForURL(/from=2020-01-01/)
  await page.getByLabel('To', { exact: true }).fill('2019-12-31')
  await page.getByText('The range ends before it starts.').waitFor()
  await page.getByLabel('To', { exact: true }).fill('2020-01-31')
  await page.getByText('The range ends before it starts.').waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'No matching activity' }).waitFor()
  await check()
  const link = page.url()

  await page.goBack()
  await profile.waitFor()
  await page.goto(link)
  await page.getByRole('heading', { name: 'No matching activity' }).waitFor()
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('You invited eve@example.com as an admin').waitFor()
  assert.equal(new URL(page.url()).search, '')
})

test('a person of more than a hundred organizations filters their activity by any of them', async (t) => {
  const ann = await world.person()
  const { body: last } = await ann.post('/api/organizations', { name: 'Zebra' })
  const { giveOrganizations } = onRows(world)
  await giveOrganizations(
    ann,
    Array.from({ length: 100 }, (_, at) => `Aardvark ${at}`),
  )
  for (let count = 0; count < 10; count++)
    await ann.post(`/api/organizations/${last.id}/invites`, { email: `eve-${count}@example.com` })
  const { page, open } = await world.tab(t, { person: ann })
  await open('/me/activity')
  const organizations = page.getByRole('combobox', { name: 'Organization' })
  await organizations.fill('zebra')
  await page.getByRole('option', { name: 'Zebra' }).click()
  await page.waitForURL(`**/me/activity?organization=${last.id}`)
  await page.reload()
  await until(async () => (await organizations.inputValue()) === 'Zebra', 'its name')
})

test('a date of a filter that is half typed changes nothing, and an emptied one is no filter any more', async (t) => {
  const { page, open } = await world.tab(t, { person: await world.person() })
  await open('/me/activity?from=2020-01-01')
  const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
  await from.press('Backspace') // its first part
  await from.blur()
  assert.equal(await from.inputValue(), '2020-01-01')
  await typeDate(to, '1212')
  await to.blur()
  assert.equal(await to.and(page.locator(':invalid')).count(), 0)
  assert.equal(new URL(page.url()).search, '?from=2020-01-01')
  await from.fill('')
  await from.blur()
  await from.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).search, '')
})

test('what one act did is one line, with the rest below its sentence', async (t) => {
  const { ann, ben, path, slug, members } = await world.organization()
  await ben.post(`${path}/invites`, { email: 'eve@example.com', role: 'member' })
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
  const { page, open, check } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/activity`)
  const lines = page.getByRole('main').locator('ol > li')
  const [demoted, invited, joined] = [lines.nth(0), lines.nth(1), lines.nth(2)]
  await demoted.getByText('You made Ben a member').waitFor()
  await demoted
    .getByRole('listitem')
    .getByText('The invitation for eve@example.com was revoked automatically')
    .waitFor()
  await invited.getByText('Ben invited eve@example.com').waitFor()
  await joined.getByText('Cleo accepted the invitation and joined as a member').waitFor()
  assert.equal(await joined.getByRole('listitem').count(), 0)
  await check()
  const { body: log } = await ann.get(`${path}/audit`)
  assert.ok(log.data.length > (await lines.count()), 'the API lists each change')
})

test('on a phone, a line ends in an address only before its sign or a dot, and a part longer than the line is cut', async (t) => {
  const { ann, path, slug } = await world.organization()
  const long = `${'x'.repeat(60)}@example.com`
  for (const email of ['eve-montgomery.archer@marketing.subsidiary-company.example.com', long])
    await ann.post(`${path}/invites`, { email, role: 'member' })
  const { page, open } = await world.tab(t, { person: ann, width: 390 })
  await open(`/organizations/${slug}/activity?kinds=invitations`)
  await page.getByTitle(long).first().waitFor()
  const shown = (await page.evaluate(addressesInLines)) as string[]
  assert.ok(shown.filter((address) => address.includes('|')).length >= 2, shown.join('\n'))
  for (const address of shown) assert.doesNotMatch(address, /\|[^@.]/)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
})
