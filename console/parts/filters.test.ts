/** The filters of lists: behind a button in short lists, shown in long ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { onRows } from '../../test/rows.ts'
import { until } from '../../test/smtp.ts'
import { mailboxKey } from '../../test/world.ts'

const world = await createConsoleWorld()
const { giveInvitations, giveMembers } = onRows(world)
const fields = (page: Page) => page.getByRole('search').locator('input, select').filter({ visible: true })
const opener = (page: Page) => page.getByRole('button', { name: 'Filter', exact: true })
const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') })

test('nine members have their filters behind one button, which leads to the first of them', async (t) => {
  const { ann, id, slug } = await world.organization()
  await giveMembers(id, Array(6).fill('Kim'))
  const { page, open, press, check } = await world.tab(t, { person: ann, width: 390 })
  await open(`/organizations/${slug}/members`)
  await rows(page).nth(8).waitFor()
  assert.equal(await fields(page).count(), 0)
  await check()

  await opener(page).focus()
  await press('Enter')
  const search = page.getByLabel('Search by name or email')
  await search.and(page.locator(':focus')).waitFor()
  assert.equal(await opener(page).count(), 0)
  assert.equal(await fields(page).count(), 5)
  await check()

  // They stay while the list gets shorter, and after the last filter is gone.
  await page.keyboard.type('cleo')
  await rows(page).nth(1).waitFor({ state: 'detached' })
  await search.and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await rows(page).nth(8).waitFor()
  assert.equal(await fields(page).count(), 5)
})

test('ten members have their filters shown, and keep them while a search finds one', async (t) => {
  const { ann, id, slug } = await world.organization()
  await giveMembers(id, Array(7).fill('Kim'))
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await rows(page).nth(9).waitFor()
  assert.deepEqual([await fields(page).count(), await opener(page).count()], [4, 0])
  const search = page.getByLabel('Search by name or email')
  await search.fill('cleo')
  await rows(page).nth(1).waitFor({ state: 'detached' })
  await search.and(page.locator(':focus')).waitFor()
})

test('a short list shows a filter that is in the address, and keeps it', async (t) => {
  const organization = await world.organization()
  await giveInvitations(organization, ['eve@example.com'], 'accepted')
  const { page, open } = await world.tab(t, { person: organization.ann })
  await open(`/organizations/${organization.slug}/members?role=admin`)
  await page.getByText('Ben', { exact: true }).waitFor()
  const role = page.getByLabel('Role', { exact: true })
  assert.equal(await role.inputValue(), 'admin')
  await role.selectOption('Any role')
  await rows(page).nth(2).waitFor()
  assert.deepEqual([await role.inputValue(), await opener(page).count()], ['', 0])
  await open(`/organizations/${organization.slug}/members?tab=invitations&inviteStatus=accepted`)
  await page.getByRole('row', { name: 'eve@example.com' }).waitFor()
  assert.equal(await page.getByLabel('Status').inputValue(), 'accepted')
  await open('/organizations?query=acme')
  await page.getByRole('link', { name: organization.slug }).waitFor()
  assert.equal(await page.getByLabel('Search by name').inputValue(), 'acme')
  assert.equal(await opener(page).count(), 0)
})

test('invitations and organizations follow the same rule', async (t) => {
  const organization = await world.organization()
  const { ann, slug } = organization
  await giveInvitations(organization, ['eve@example.com'])
  await ann.post('/api/organizations', { name: 'Branch' })
  const { page, open } = await world.tab(t, { person: ann })
  const isShort = async () => assert.deepEqual([await fields(page).count(), await opener(page).count()], [0, 1])
  const isLong = async (count: number) =>
    assert.deepEqual([await fields(page).count(), await opener(page).count()], [count, 0])
  await open(`/organizations/${slug}/members?tab=invitations`)
  await page.getByRole('row', { name: 'eve@example.com' }).waitFor()
  await isShort()
  await open('/organizations')
  await page.getByRole('link', { name: slug }).waitFor()
  await isShort()

  for (let number = 0; number < 8; number++) await ann.post('/api/organizations', { name: `Branch ${number}` })
  await giveInvitations(
    organization,
    Array.from({ length: 9 }, (_, number) => `eve-${number}@example.com`),
  )
  await open(`/organizations/${slug}/members?tab=invitations`)
  await rows(page).nth(9).waitFor()
  await isLong(2)
  await open('/organizations')
  await page.getByRole('link', { name: 'Branch 7' }).waitFor()
  await isLong(1)
})

test('until a list is read, the row of its filters is empty and has its place', async (t) => {
  const { ann, slug } = await world.organization()
  const answer = Promise.withResolvers<void>()
  t.after(() => answer.resolve()) // before the tab is closed, which waits for it
  const { page, open } = await world.tab(t, { person: ann })
  await page.route('**/members?*', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.route('**/members', async (route) => {
    if (route.request().resourceType() !== 'document') await answer.promise
    await route.continue()
  })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  const row = page.getByRole('search')
  assert.equal(await row.locator('*').count(), 0)
  const before = await row.boundingBox()
  answer.resolve()
  await opener(page).waitFor()
  assert.deepEqual(await row.boundingBox(), before)
})

test('after the filters of an empty list are cleared, the focus is on the first of them', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open, press } = await world.tab(t, { person: ann })
  const focused = page.locator(':focus')
  await open(`/organizations/${slug}/activity?kinds=webhooks`)
  await page.getByRole('heading', { name: 'No matching activity' }).waitFor()
  await page.locator('[data-empty]').getByRole('button', { name: 'Clear filters' }).focus()
  await press('Enter')
  await page.getByRole('combobox', { name: 'Type' }).and(focused).waitFor()
  await open(`/organizations/${slug}/members?query=nobody`)
  await page.getByRole('link', { name: 'Show all members' }).focus()
  await press('Enter')
  await page.getByLabel('Search by name or email').and(focused).waitFor()
})

test('what a filter finds is announced, each time, and a list without filters is not', async (t) => {
  const { slug: tenant } = await world.tenant()
  const { ann, slug } = await world.organization({ tenant })
  const tess = await world.tenantAdmin(tenant)
  const { page, open, become, showFilters } = await world.tab(t, { person: ann, tenant })
  const statuses = page.getByRole('main').getByRole('status')
  const isSaid = (words: string) => statuses.getByText(words, { exact: true }).waitFor({ state: 'attached' })
  const isQuiet = async () => assert.deepEqual((await statuses.allTextContents()).join(''), '')

  await open(`/organizations/${slug}/members`)
  await rows(page).nth(2).waitFor()
  await isQuiet()
  await showFilters()
  const heard = await listen(page)
  const search = page.getByLabel('Search by name or email')
  await search.fill('cleo')
  await heard('1–1 of 1')
  await search.fill('ben')
  await heard('1–1 of 1', '1–1 of 1')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await rows(page).nth(2).waitFor()
  await search.fill('nobody')
  await heard('1–1 of 1', '1–1 of 1', 'No results')

  await open(`/organizations/${slug}/members?query=cleo`)
  await rows(page).first().waitFor()
  await isQuiet()

  await open(`/organizations/${slug}/activity`)
  await page.getByRole('main').getByRole('listitem').first().waitFor()
  await isQuiet()
  await showFilters()
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Webhooks' }).click()
  await isSaid('No results')

  // In its matrix, permissions of the product and of Guildhall are found together.
  const permissions = [{ key: 'invoices:read', name: 'See invoices', minimumRole: 'member' }]
  assert.equal((await tess.put('/api/admin/access', { permissions, roles: [] })).status, 200)
  await become(tess)
  await open('/admin/access')
  await page.getByRole('rowheader', { name: 'See invoices' }).waitFor()
  await isQuiet()
  await page.getByLabel('Filter permissions').fill('invoices')
  await isSaid('1–1 of 1')
  await page.getByLabel('Filter permissions').fill('nothing')
  await isSaid('No results')

  // A list with its total on the page has no second announcement.
  await open('/admin/users')
  await statuses.getByText(/^1–\d of \d$/).waitFor()
  assert.equal(await statuses.filter({ hasText: /\S/ }).count(), 1)
})

test('a list that grows by itself is not announced, also while it is filtered', async (t) => {
  const { slug: tenant } = await world.tenant()
  const give = async (name: string) => {
    const { email } = await world.person(name, { tenant, verified: false })
    await world.mailedToken(email, 'verify-email', tenant)
    return email
  }
  const ann = await give('Ann')
  await give('Ben')
  const { page, open, showFilters } = await world.tab(t, { tenant })
  await open(`/mailbox#${mailboxKey}`)
  const mails = page.getByRole('region', { name: 'Emails' }).getByRole('listitem')
  await mails.nth(1).waitFor()
  await showFilters()
  const heard = await listen(page)
  const filter = page.getByRole('searchbox', { name: 'Recipient' })
  await filter.fill(ann)
  await heard('1–1 of 1')
  await filter.fill('@')
  await heard('1–1 of 1', '1–2 of 2')
  await give('Cleo')
  await mails.nth(2).waitFor()
  await page.getByRole('status').filter({ hasText: '1–2 of 2' }).waitFor({ state: 'detached' }) // it would be wrong now
  await filter.fill('')
  await give('Dan')
  await mails.nth(3).waitFor()
  await filter.fill(ann)
  await heard('1–1 of 1', '1–2 of 2', '1–1 of 1')
})

test('what a filter finds in a log is announced when it is shown', async (t) => {
  const { ann } = await world.organization()
  const names = Promise.withResolvers<void>()
  t.after(() => names.resolve()) // before the tab is closed, which waits for it
  const { page, open, showFilters } = await world.tab(t, { person: ann })
  await page.route('**/api/organizations?*', async (route) => {
    await names.promise
    await route.continue()
  })
  await open('/me/activity')
  await showFilters()
  const heard = await listen(page)
  await page.getByRole('combobox', { name: 'Type' }).click()
  for (const [kind, action] of [
    ['Webhooks', 'webhook'],
    ['Keys', 'key'],
  ] as const) {
    const answer = page.waitForResponse(
      (response) => response.url().includes('/audit?') && response.url().includes(action),
    )
    await page.getByRole('option', { name: kind }).click()
    await answer
  }
  names.resolve()
  await heard('No results')
})

/** @returns waits until the status of a list has said all this, and fails if it has said something else */
async function listen(page: Page) {
  await page.evaluate(`
    window.heard = []
    let last = ''
    new MutationObserver(() => {
      const words = [...document.querySelectorAll('main [role=status]')].map((status) => status.textContent).join('')
      if (words !== last && words !== '') window.heard.push(words)
      last = words
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`)
  return async (...expected: string[]) => {
    let heard: unknown[] = []
    const isHeard = async () => {
      heard = (await page.evaluate('window.heard')) as unknown[]
      return heard.length >= expected.length
    }
    await until(isHeard, expected.join())
    assert.deepEqual(heard, expected)
  }
}
