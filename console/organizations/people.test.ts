/** The page of people in the console: its parts, their filters, and its files. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { downloadCsv } from '../../test/downloads.ts'
import { onRows } from '../../test/rows.ts'

const world = await createConsoleWorld()
const { giveInvitations, giveMembers } = onRows(world)
const partsOf = (page: Page) => page.getByRole('navigation', { name: /^People of/ })
const present = (page: Page) => partsOf(page).locator('[aria-current=page]')
const newTail = () => `${randomBytes(4).toString('hex')}@example.com`

test('members and pending invitations are two tabs of one page, which the address names', async (t) => {
  const organization = await world.organization()
  const { ann, slug } = organization
  const tail = newTail()
  await giveInvitations(organization, [`pending-${tail}`, `other-${tail}`])
  for (const status of ['accepted', 'declined', 'revoked', 'expired'])
    await giveInvitations(organization, [`${status}-${tail}`], status === 'expired' ? 'revoked' : status)
  const { page, open, check, press, showFilters } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await partsOf(page).getByRole('link', { name: 'Invitations 2' }).waitFor()
  assert.equal(await present(page).textContent(), 'Members 3')
  await showFilters()
  await page.getByLabel('Role', { exact: true }).selectOption('admin')
  await page.waitForURL(/role=admin/)
  await page.getByText('Cleo', { exact: true }).waitFor({ state: 'detached' }) // by then the tabs lead back to this

  // By keyboard: the next tab is the next stop, and keeps the focus.
  await partsOf(page).getByRole('link', { name: 'Members 3' }).focus()
  await press('Tab')
  await press('Enter')
  await page.getByRole('row', { name: `pending-${tail}` }).waitFor()
  await partsOf(page).getByRole('link', { name: 'Invitations' }).and(page.locator(':focus')).waitFor()
  assert.equal(await present(page).textContent(), 'Invitations 2')
  assert.match(page.url(), /tab=invitations/)
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  assert.equal(await rows.count(), 2, 'what is over is not among them')
  await check()

  await showFilters()
  await page.getByLabel('Status').selectOption('Declined')
  await page.getByRole('row', { name: `declined-${tail}` }).waitFor()
  await page.getByLabel('Status').selectOption('All invitations')
  await rows.nth(5).waitFor()
  await page.getByLabel('Status').selectOption('Accepted')
  await page.waitForURL(/inviteStatus=accepted/)
  await page.getByRole('row', { name: `declined-${tail}` }).waitFor({ state: 'detached' })

  // Each part is as it was left, also in a new tab, and "back" leads to the part before.
  await partsOf(page).getByRole('link', { name: 'Members 3' }).click()
  await page.getByText('Ben', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Role', { exact: true }).inputValue(), 'admin')
  await page.reload()
  await partsOf(page).getByRole('link', { name: 'Invitations' }).click()
  await page.getByRole('row', { name: `accepted-${tail}` }).waitFor()
  await page.goBack()
  await page.getByText('Ben', { exact: true }).waitFor()
  assert.equal(await present(page).textContent(), 'Members 3')
})

test('addresses of the page of invitations lead to the tab', async (t) => {
  const organization = await world.organization()
  const tail = newTail()
  await giveInvitations(organization, [`gone-${tail}`], 'revoked')
  await giveInvitations(organization, [`here-${tail}`])
  const { page, open } = await world.tab(t, { person: organization.ann })
  await open(`/organizations/${organization.slug}/invitations`)
  await page.waitForURL('**/members?tab=invitations')
  await page.getByRole('row', { name: `here-${tail}` }).waitFor()
  await open(`/organizations/${organization.slug}/invitations?status=revoked`)
  await page.getByRole('row', { name: `gone-${tail}` }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { name: 'Pending invitations' }).waitFor()
  await page.locator('main a[href$="?tab=invitations"]').click()
  await page.getByRole('row', { name: `here-${tail}` }).waitFor()
})

test('a member who may not see invitations has no tab for them', async (t) => {
  const { cleo, slug } = await world.organization()
  const { page, open, check } = await world.tab(t, { person: cleo })
  await open(`/organizations/${slug}/members`)
  await page.getByText('3 members', { exact: true }).waitFor()
  assert.equal(await partsOf(page).count(), 0)
  await open(`/organizations/${slug}/members?tab=invitations`)
  await page.getByRole('heading', { name: 'You can’t see invitations' }).waitFor()
  assert.equal(await partsOf(page).count(), 0)
  await check()
})

test('invitations are searched by email', async (t) => {
  const organization = await world.organization()
  const tail = newTail()
  await giveInvitations(organization, [`zoe-${tail}`, `yan-${tail}`])
  const { page, open, showFilters } = await world.tab(t, { person: organization.ann })
  await open(`/organizations/${organization.slug}/members?tab=invitations`)
  await page.getByRole('row', { name: `yan-${tail}` }).waitFor()
  await showFilters()
  await page.getByLabel('Search by email').fill('zoe')
  await page.getByRole('row', { name: `yan-${tail}` }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: `zoe-${tail}` }).waitFor()
  await page.getByLabel('Search by email').fill('nobody')
  await page.getByRole('link', { name: 'Show pending invitations' }).click()
  await page.getByRole('row', { name: `yan-${tail}` }).waitFor()
})

test('members, users and activity are downloaded as files, with the filters of their pages', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open, become } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members?role=admin`)
  await page.getByText('Ben', { exact: true }).waitFor()
  const members = await downloadCsv(page)
  assert.match(members.name, new RegExp(`^members-${slug}-[\\d-]{10}\\.csv$`))
  assert.deepEqual(
    members.lines.map(({ Name, Role }) => [Name, Role]),
    [['Ben', 'admin']],
  )
  await open(`/organizations/${slug}/activity?kinds=invitations`)
  await page
    .getByText(/invited/)
    .first()
    .waitFor()
  const activity = await downloadCsv(page)
  assert.ok(activity.lines.length > 0 && activity.lines.every(({ Action }) => Action?.startsWith('invitation.')))
  await open('/me/activity')
  await page
    .getByText(/signed up/)
    .first()
    .waitFor()
  assert.match((await downloadCsv(page)).name, /^activity-[\d-]{10}\.csv$/)

  await become(await world.tenantAdmin())
  await open(`/admin/users?query=${encodeURIComponent(ann.email)}`)
  await page.getByText('1–1 of 1').waitFor()
  assert.deepEqual(
    (await downloadCsv(page)).lines.map(({ Email }) => Email),
    [ann.email],
  )
  await open('/admin/activity')
  await page
    .getByText(/signed up/)
    .first()
    .waitFor()
  assert.ok((await downloadCsv(page)).lines.length > 1)
})

test('a file that ends before it is whole is not saved, and a refusal is said', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByText('Ben', { exact: true }).waitFor()
  let files = 0
  page.on('download', () => files++)
  await page.evaluate(() => {
    const original = Response.prototype.blob
    Response.prototype.blob = () => {
      Response.prototype.blob = original
      return Promise.reject(new TypeError('network error')) // as when the connection is reset
    }
  })
  await page.getByRole('search').getByRole('button', { name: 'Export CSV' }).click()
  await page.getByText('The download was interrupted').waitFor()
  await page.route(/\/members/, (route) =>
    route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'rate_limited', title: 'Too many requests', status: 429 }),
    }),
  )
  await page.getByRole('search').getByRole('button', { name: 'Export CSV' }).click()
  await page
    .getByText(/too many|too often/i)
    .first()
    .waitFor()
  assert.equal(files, 0)
})

test('also where not all members fit on the first page, the page says how many are suspended', async (t) => {
  const { ann, id, slug, path, members } = await world.organization()
  await giveMembers(id, Array(60).fill('Kim'))
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })).status, 200)
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('link', { name: '1 suspended' }).waitFor()
})

test('who may not see suspended members reads why there are fewer of them than the number says', async (t) => {
  const { ann, cleo, slug, path, members } = await world.organization()
  const { page, open, check } = await world.tab(t, { person: cleo, width: 390 })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('row', { name: 'Ben' }).waitFor()
  const words = page.getByText('Some members aren’t listed')
  assert.equal(await words.count(), 0)
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' })).status, 200)
  await page.reload()
  await words.waitFor()
  await check()
  await open(`/organizations/${slug}/members?role=admin`) // a filter leaves out more
  await page.getByRole('heading', { name: 'No members found' }).waitFor()
  assert.equal(await words.count(), 0)
})

test('a membership that has ended and is still counted is not called suspended', async (t) => {
  const { cleo, slug, members } = await world.organization()
  await world.postgres.query(`update memberships set expires_at = now() - interval '1 second' where id = $1`, [
    members.ben.id,
  ])
  const { page, open } = await world.tab(t, { person: cleo })
  await open(`/organizations/${slug}/members`)
  await page.getByText('Some members aren’t listed').waitFor()
  assert.equal(await page.getByText(/suspended/i).count(), 0)
})
