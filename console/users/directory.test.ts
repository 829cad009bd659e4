/** The list of the tenant's users, for its admins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()
const admin = await world.tenantAdmin()
const people = await Promise.all(
  Array.from({ length: 27 }, (_, index) =>
    world.person(`Zoe ${String(index).padStart(2, '0')}`, {
      email: `zoe-${String(index).padStart(2, '0')}@example.com`,
      verified: index % 2 === 0,
    }),
  ),
)
await admin.patch(`/api/admin/users/${people[1]?.id}`, { status: 'suspended' })

test('an admin finds users by search, filters and order, all in the address', async (t) => {
  const { page, open, check } = await world.tab(t, { person: admin })
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
  const first = rows.first()
  await open('/admin/users?limit=25')
  await page.getByText('1–25 of 28').waitFor()
  await check()

  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('1–28 of 28').waitFor()
  assert.equal(await rows.count(), 28)

  await page.getByRole('searchbox', { name: 'Search by name or email' }).fill('zoe-')
  await page.getByText('1–25 of 27').waitFor()
  await page.getByRole('button', { name: 'Last active' }).click()
  await page.getByRole('columnheader', { name: 'Last active' }).and(page.locator('[aria-sort=descending]')).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('sort'), '-lastActiveAt')
  await page.getByRole('button', { name: 'Email', exact: true }).click()
  await first.filter({ hasText: 'zoe-00@' }).waitFor()
  await page.getByRole('button', { name: 'Email', exact: true }).click()
  await first.filter({ hasText: 'zoe-26@' }).waitFor()
  await page.getByRole('columnheader', { name: 'Email' }).and(page.locator('[aria-sort=descending]')).waitFor()

  const status = page.getByRole('combobox', { name: 'Status' })
  await status.click()
  await page.getByRole('option', { name: 'Any status', selected: true }).waitFor()
  await page.getByRole('option', { name: 'Suspended' }).click()
  await page.getByText('1–1 of 1').waitFor()
  const { searchParams } = new URL(page.url())
  assert.deepEqual(Object.fromEntries(searchParams), {
    limit: '25',
    query: 'zoe-',
    sort: '-email',
    status: 'suspended',
  })

  await page.reload()
  await first.filter({ hasText: 'zoe-01@' }).waitFor()
  assert.equal(await status.inputValue(), 'Suspended')
  await page.getByRole('combobox', { name: 'Email' }).click()
  await page.getByRole('option', { name: 'Email verified' }).click()
  await page.getByText('No matching users').waitFor()
  await page.getByRole('button', { name: 'Clear all filters' }).last().click()
  await page.getByText('1–28 of 28').waitFor()

  await page.getByRole('button', { name: 'Created any time' }).click()
  await page.getByLabel('To', { exact: true }).fill('2020-01-31')
  await page.getByText('No matching users').waitFor()
})

test('an address that is not verified is marked by a word, and one that is needs none', async (t) => {
  const { page, open, check } = await world.tab(t, { person: admin, width: 390 })
  await open('/admin/users?query=zoe-0')
  const row = (email: string) => page.getByRole('row').filter({ hasText: email })
  await row('zoe-03@').getByText('Not verified', { exact: true }).waitFor()
  assert.equal(
    await row('zoe-02@')
      .getByText(/verified/i)
      .count(),
    0,
  )
  await check()
  await open(`/admin/users/${people[3]?.id}`)
  await page.getByRole('main').getByText('Not verified', { exact: true }).waitFor()
})

test('a list by days is read again in a new time zone, and reads on', async (t) => {
  const { page, open } = await world.tab(t, { person: admin })
  await open('/admin/users?limit=25&from=2020-01-01')
  await page.getByText('1–25 of 28').waitFor()
  const isRead = page.waitForResponse((response) => response.url().includes('createdAfter=2019-12-31T11%3A00'))
  await admin.patch('/api/users/me', { timeZone: 'Pacific/Auckland' })
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange'))) // reads the caller again
  await isRead
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('1–28 of 28').waitFor()
  await admin.patch('/api/users/me', { timeZone: null })
})

test('a search does not lead back somebody who follows a link before it is sent', async (t) => {
  const zara = await world.person('Zara')
  const { page, open } = await world.tab(t, { person: admin })
  await open('/admin/users?query=zar')
  const isSearched = page.waitForRequest(/\/api\/admin\/users\?.*query=zara/)
  await page.route(`**/api/admin/users/${zara.id}`, async (route) => {
    await isSearched
    await route.continue()
  })
  await page.getByRole('searchbox', { name: 'Search by name or email' }).fill('zara')
  await page.getByRole('link', { name: 'Zara' }).click()
  await page.getByRole('heading', { level: 1, name: 'Zara' }).waitFor()
  await page.waitForURL(`**/admin/users/${zara.id}`)
})

test('a link leads to the users of one organization', async (t) => {
  const { id } = await world.organization()
  const { page, open } = await world.tab(t, { person: admin })
  await open(`/admin/users?organization=${id}`)
  await page.getByText('1–3 of 3').waitFor()
  await page.getByRole('button', { name: /^Remove filter “In Acme/ }).click()
  await page.getByText(/^1–3\d of 3\d$/).waitFor()
})

test('an admin creates a user, who gets a mail to set a password', async (t) => {
  const { page, open, check } = await world.tab(t, { person: admin, width: 390 })
  await open('/admin/users?from=2020-01-31&to=2026-01-31')
  await page.getByRole('button', { name: 'Filter', exact: true, expanded: true }).waitFor() // there is one in the address
  const boxes = page.locator('search :is(select, button, button *)').filter({ visible: true })
  const cut = await boxes.evaluateAll((all) => all.filter((box) => box.scrollWidth > box.clientWidth + 1).length)
  assert.equal(cut, 0, 'no box is cut off')
  await page.getByRole('button', { name: 'New user' }).click()
  const dialog = page.getByRole('dialog', { name: 'New user' })
  await dialog.getByLabel('Email').fill(people[0]?.email ?? '')
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await dialog.getByText('An account with this email address already exists.').waitFor()
  assert.equal(await dialog.getByLabel('Email').evaluate((field) => field === document.activeElement), true)
  await check()

  assert.equal((await admin.patch('/api/admin/tenant', { allowedEmailDomains: ['example.com'] })).status, 200)
  await dialog.getByLabel('Email').fill('nina@elsewhere.example')
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await dialog.getByText('Only email addresses at the allowed domains can be used.').waitFor()
  assert.doesNotMatch((await dialog.textContent()) ?? '', /Use your work or school address/)
  assert.equal((await admin.patch('/api/admin/tenant', { allowedEmailDomains: [] })).status, 200)

  await dialog.getByLabel('Email').fill('nina@example.com')
  await dialog.getByLabel('Name').fill('Nina')
  await dialog.getByLabel('Role').selectOption('Admin')
  assert.equal(await dialog.locator('input[autocomplete=username]').inputValue(), admin.email, 'for password managers')
  await dialog.getByLabel('Your password', { exact: true }).fill('not the password')
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await dialog.getByText('This is not your current password.').waitFor()
  await dialog.getByLabel('Role').selectOption('User')
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await page.getByRole('heading', { level: 1, name: 'Nina' }).waitFor()
  assert.match(await world.mailedToken('nina@example.com', 'reset-password'), /./)
})

test('the filters of few users are all behind one button', async (t) => {
  const { slug: tenant } = await world.tenant()
  const { page, open, check, showFilters } = await world.tab(t, {
    person: await world.tenantAdmin(tenant),
    tenant,
    width: 390,
  })
  await open('/admin/users')
  await page.getByText('1–1 of 1').waitFor()
  assert.equal(await page.getByRole('main').locator('input, select').filter({ visible: true }).count(), 0)
  await showFilters()
  await page.getByRole('searchbox', { name: 'Search by name or email' }).and(page.locator(':focus')).waitFor()
  for (const [name, value] of [
    ['Status', 'Any status'],
    ['Role', 'Any role'],
    ['Email', 'Any email'],
    ['Second factor', 'Any second factor'],
  ] as const)
    assert.equal(await page.getByRole('combobox', { name, exact: true }).inputValue(), value)
  await page.getByRole('button', { name: 'Created any time' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Filter', exact: true }).count(), 0)
  await check()
})

test('an invalid filter in the address is ignored', async (t) => {
  const { page, open } = await world.tab(t, { person: admin })
  await open('/admin/users?from=evil&sort=evil&role=evil&query={"a":1}&organization=org_evil&limit=7')
  await page.getByText(/^1–3\d of 3\d$/).waitFor()
  await open('/admin/activity?userId=user_evil&organization=evil')
  await page
    .getByText(/signed up/)
    .first()
    .waitFor()
})

test('a user who is not an admin, or not any more, gets “Page not found”', async (t) => {
  const person = people[2] ?? assert.fail()
  await world.postgres.query(`update users set role = 'admin' where id = $1`, [person.id])
  const { page, open } = await world.tab(t, { person })
  await open('/admin/users')
  await page.getByRole('row').nth(1).waitFor()
  await admin.patch(`/api/admin/users/${person.id}`, { role: 'user' })
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'Administration' }).count(), 0)
  await page.goBack()
  await page.waitForURL('**/admin/users')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})
