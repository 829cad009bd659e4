/** Switching between organizations, and the titles that tell their pages apart. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { checkAccessibility, createConsoleWorld } from '../../test/browser.ts'
import { onRows } from '../../test/rows.ts'

const world = await createConsoleWorld()
const { giveOrganizations } = onRows(world)

/** The overview of the first of a person's organizations, with the search opened by keyboard. */
async function opened(t: TestContext, names: readonly string[], width = 1440) {
  const person = await world.person('Ann')
  const [first = ''] = await giveOrganizations(person, names)
  const tab = await world.tab(t, { person, width })
  const { page } = tab
  await tab.open(`/organizations/${first}`)
  if (width < 600) {
    await page.getByRole('button', { name: 'Menu' }).press('Enter')
    await page.getByRole('dialog').locator(':focus').waitFor() // later it would take the focus from the button in it
  }
  const button = page.getByRole('button', { name: `${names[0]} Switch organization` })
  const search = page.getByRole('combobox', { name: 'Search organizations' })
  const focused = page.locator(':focus')
  const open = async () => {
    await button.press('Enter')
    await search.and(focused).waitFor()
  }
  await open()
  return { ...tab, open, button, search, focused, heading: page.getByRole('heading', { level: 1 }) }
}

/** The overview of the first of eight organizations, with the switch pressed by keyboard. `answer` lets its list arrive. */
async function loading(t: TestContext) {
  const ann = await world.person('Ann')
  const [first] = await giveOrganizations(ann, numbered(8, 'Guild'))
  const { page, open, press } = await world.tab(t, { person: ann })
  const answer = Promise.withResolvers<void>()
  t.after(() => answer.resolve()) // before the page waits for its requests
  await page.route('**/api/organizations', async (route) => {
    await answer.promise
    await route.continue()
  })
  await open(`/organizations/${first}`)
  const button = page.getByRole('button', { name: 'Guild 100 Switch organization' })
  await button.focus()
  await press('Enter')
  await page.locator('button[aria-busy=true]').and(page.locator(':focus')).waitFor()
  return { page, press, button, answer }
}

const numbered = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name} ${at + 100}`)

test('the title of a page of an organization names it, and those of other pages do not', async (t) => {
  const ann = await world.tenantAdmin()
  const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
  const { body: umbra } = await ann.post('/api/organizations', { name: 'Umbra' })
  const { page, open } = await world.tab(t, { person: ann })
  const isTitled = (title: string) => page.waitForFunction((wanted) => document.title === wanted, title)
  for (const [path, title] of [
    [`/organizations/${acme.slug}`, 'Acme · Guildhall'],
    [`/organizations/${acme.slug}/members`, 'People · Acme · Guildhall'],
    [`/organizations/${acme.id}/activity`, 'Activity · Acme · Guildhall'],
    [`/admin/organizations/${acme.id}/activity`, 'Acme · Guildhall'],
    ['/admin/activity', 'Activity · Guildhall'],
    ['/me/security', 'Security · Guildhall'],
    ['/organizations', 'Organizations · Guildhall'],
    [`/organizations/${acme.slug}/settings`, 'Settings · Acme · Guildhall'],
  ] as const) {
    await open(path)
    await isTitled(title)
  }
  await page.getByLabel('Name', { exact: true }).fill('Acme & Co.')
  await page.keyboard.press('Enter')
  await isTitled('Settings · Acme & Co. · Guildhall')
  await page.getByRole('button', { name: 'Acme & Co. Switch organization' }).click()
  await page.getByRole('menuitem', { name: 'Umbra' }).click()
  await isTitled('Umbra · Guildhall')
  await page.goto(`/organizations/${umbra.slug}/members`)
  await isTitled('People · Umbra · Guildhall')
})

test('a title that ends with the name of the tenant does not repeat it', async (t) => {
  const { page, open, become } = await world.tab(t)
  const isTitled = (title: string) => page.waitForFunction((wanted) => document.title === wanted, title)
  await open('/sign-in')
  await isTitled('Sign in to Guildhall')
  await become(await world.tenantAdmin())
  await open('/admin/users')
  await isTitled('Everyone at Guildhall')
})

test('with eight organizations the menu has a search, and with seven it has none', async (t) => {
  const ann = await world.person('Ann')
  const [first] = await giveOrganizations(ann, numbered(7, 'Guild'))
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${first}`)
  await page.getByRole('button', { name: 'Guild 100 Switch organization' }).click()
  await page.getByRole('menuitem', { name: 'Guild 106' }).waitFor()
  assert.equal(await page.getByRole('combobox').count(), 0)
  await giveOrganizations(ann, ['Guild 107'])
  await page.reload()
  await page.getByRole('button', { name: 'Guild 100 Switch organization' }).click()
  await page.getByRole('combobox', { name: 'Search organizations' }).waitFor()
})

test('the menu opens as soon as the list is there, and until then the button has the focus', async (t) => {
  const { page, button, answer } = await loading(t)
  assert.equal(await page.getByRole('menu').count(), 0)
  answer.resolve()
  await page.getByRole('combobox', { name: 'Search organizations' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await button.and(page.locator(':focus')).waitFor()
})

test('somebody who goes on while the list loads is not called back when it arrives', async (t) => {
  const { page, press, button, answer } = await loading(t)
  await press('Tab')
  await page.locator('button[aria-busy=true]').waitFor({ state: 'detached' })
  const answered = page.waitForResponse('**/api/organizations')
  answer.resolve()
  await (await answered).finished()
  await press('Shift+Tab')
  await button.and(page.locator(':focus')).waitFor()
  await press('Enter') // would close the search, if it were open
  await page.getByRole('combobox', { name: 'Search organizations' }).and(page.locator(':focus')).waitFor()
})

test('a menu whose list could not be read says why, and reads it again', async (t) => {
  const ann = await world.person('Ann')
  const [first] = await giveOrganizations(ann, ['Acme', 'Umbra'])
  const { page, open, closeMenu } = await world.tab(t, { person: ann })
  let asked = 0
  await page.route('**/api/organizations', (route) => {
    asked++
    return route.fulfill({ status: 429, json: { code: 'rate_limited' } })
  })
  await open(`/organizations/${first}`)
  const button = page.getByRole('button', { name: 'Acme Switch organization' })
  await button.press('Enter')
  const again = page.getByRole('menuitem', { name: 'Too many attempts Try again' })
  await again.waitFor()
  await page.getByRole('menuitem', { name: 'All organizations' }).waitFor()
  await checkAccessibility(page, 'light', ['region']) // a menu is outside of all landmarks
  await closeMenu()
  const before = asked
  await button.press('Enter')
  await again.waitFor()
  assert.ok(asked > before, 'opening it reads again')
  await page.unroute('**/api/organizations')
  await again.press('Enter')
  await page.getByRole('menuitem', { name: 'Umbra' }).waitFor()
  await page.locator('[role=menu]:focus-within').waitFor()
  assert.equal(await again.count(), 0)
})

test('one of twelve organizations is found and opened by keyboard alone, and Escape returns to the button', async (t) => {
  const { page, open, press, check, button, search, focused, heading } = await opened(t, [
    'Fischer & Söhne',
    'Lena Fischer',
    ...numbered(10, 'Guild'),
  ])
  const options = page.getByRole('option')
  await page.getByRole('status').getByText('12 organizations found').waitFor({ state: 'attached' })
  assert.equal(await page.locator('[role=option][aria-current=true]').textContent(), 'FSFischer & Söhne')
  await check()
  await press('Escape')
  await button.and(focused).waitFor()
  await search.waitFor({ state: 'detached' })

  await open()
  await page.keyboard.type('fischer')
  await page.getByRole('status').getByText('2 organizations found').waitFor({ state: 'attached' })
  const marked = page.locator('[role=option][aria-selected=true]')
  const isMarked = (name: string) =>
    page.waitForFunction((wanted) => {
      const id = document.activeElement?.getAttribute('aria-activedescendant')
      return id && document.getElementById(id)?.textContent?.endsWith(wanted)
    }, name)
  const names = await options.allTextContents()
  const [one, other] = names.map((name) => name.slice(2)) as [string, string]
  await isMarked(one)
  await press('ArrowDown')
  await isMarked(other)
  await press('ArrowDown') // around
  await isMarked(one)
  await press('ArrowUp')
  await isMarked(other)
  assert.equal(await marked.count(), 1)
  await check()
  await page.keyboard.type(' l')
  await isMarked('Lena Fischer')
  await press('Enter')
  await heading.filter({ hasText: 'Lena Fischer' }).waitFor()
  await heading.and(focused).waitFor()
  await search.waitFor({ state: 'detached' })

  // What is left by Tab: the links below the list.
  await page.getByRole('button', { name: 'Lena Fischer Switch organization' }).press('Enter')
  await search.and(focused).waitFor()
  await press('Tab')
  await page.getByRole('link', { name: 'All organizations' }).and(focused).waitFor()
  await press('Tab')
  await page.getByRole('link', { name: 'New organization' }).and(focused).waitFor()
  await press('Enter')
  await heading.filter({ hasText: 'New organization' }).waitFor()
})

test('each of 150 organizations is found, and Enter may come before the answer', async (t) => {
  const answer = Promise.withResolvers<void>()
  t.after(() => answer.resolve()) // before the page waits for its requests
  const { page, press, check, heading, focused } = await opened(t, ['Acme', ...numbered(149, 'Guild')], 390)
  await page.getByText('The first 100 are shown. Search to find others.').waitFor()
  await check()
  await page.keyboard.type('nowhere')
  await page.getByText('None of your organizations matches “nowhere”.').waitFor()
  assert.equal(await page.getByRole('option').count(), 0)
  await check()
  await press('Enter')
  await heading.filter({ hasText: 'Acme' }).waitFor()

  const asked = Promise.withResolvers<void>()
  await page.route('**/api/organizations?query=**', async (route) => {
    asked.resolve()
    await answer.promise
    await route.continue()
  })
  await page.getByRole('combobox').fill('guild 248')
  await asked.promise
  await page.locator('[role=listbox][aria-busy=true]').waitFor({ state: 'attached' }) // nothing is in it yet
  await press('Enter')
  answer.resolve()
  await heading.filter({ hasText: 'Guild 248' }).waitFor()
  await heading.and(focused).waitFor()
})

test('a search without a connection says so, and goes on with it', async (t) => {
  const { page, context, check } = await opened(t, numbered(12, 'Guild'))
  await context.setOffline(true)
  await page.keyboard.type('105')
  await page.getByRole('status').getByText('You’re offline').waitFor()
  await check()
  await context.setOffline(false)
  await page.getByRole('status').getByText('1 organization found').waitFor({ state: 'attached' })
  await page.getByRole('option', { name: 'Guild 105' }).waitFor()
  assert.equal(await page.getByRole('option').count(), 1)
})
