/** Organizations in the console: finding, creating, renaming, leaving and deleting them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { onRows } from '../../test/rows.ts'
import { findShifts } from '../../test/shifts.ts'
import { until } from '../../test/smtp.ts'

const world = await createConsoleWorld()
const { giveOrganizations } = onRows(world)

test('a person without an organization creates one, with an address of its own', async (t) => {
  const ann = await world.person('Ann')
  const taken = `taken-${randomBytes(4).toString('hex')}`
  await (await world.person('Ben')).post('/api/organizations', { name: 'Taken', slug: taken })
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  await tab.open('/')
  await page.getByRole('heading', { name: 'No organizations yet' }).waitFor()
  await tab.check()
  await page.getByRole('main').getByRole('link', { name: 'New organization' }).click() // there is only one
  await page.getByRole('heading', { name: 'New organization', level: 1 }).waitFor()
  await page.getByLabel('Name').fill('Årsta & Söner 7')
  assert.equal(await page.getByRole('textbox', { name: 'Slug' }).inputValue(), 'arsta-soner-7')
  await page.getByRole('textbox', { name: 'Slug' }).fill(taken)
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByText('Another organization or a page already uses this slug').waitFor()
  await tab.check()
  const slug = `arsta-${randomBytes(4).toString('hex')}`
  await page.getByRole('textbox', { name: 'Slug' }).fill(slug)
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByText('Årsta & Söner 7 was created.').waitFor()
  await page.waitForURL(`**/organizations/${slug}`)
  await page.getByRole('heading', { name: 'You’re the only member' }).waitFor()
  await page
    .getByRole('main')
    .getByText(/^You created/)
    .waitFor()
  assert.equal(await page.getByRole('heading', { name: 'Pending invitations' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Invite people' }).count(), 1)
  await page.goBack()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  await tab.open(`/organizations/${slug}/invitations`)
  await page.getByRole('heading', { name: 'No pending invitations' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Invite people' }).count(), 1)
  await page.goBack()
  await page.getByRole('main').getByRole('link', { name: 'Årsta & Söner 7' }).click()
  await page.getByRole('button', { name: 'Årsta & Söner 7 Switch organization' }).click()
  await page.getByRole('menuitem', { name: 'Årsta & Söner 7' }).waitFor()
  await tab.closeMenu()
  await tab.check()
})

test('an organization is created once, even if the response is lost and the form is sent again', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann })
  await open('/organizations/new')
  page.removeAllListeners() // Chromium logs what it could not load
  let lost = 0
  await page.route('**/api/organizations', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' }
    lost = (await route.fetch({ headers })).status()
    return route.abort()
  })
  await page.getByLabel('Name').fill('Made once')
  const submit = page.getByRole('button', { name: 'Create organization' })
  await submit.click()
  await page.getByText('The service can’t be reached').waitFor()
  assert.equal(lost, 201)
  await page.unrouteAll()
  await submit.click()
  await page.getByText('Made once was created.').waitFor()
  assert.equal((await ann.get('/api/organizations')).body.data.length, 1)
})

test('a person in many organizations finds one by its name, and sees that invitations are waiting', async (t) => {
  const ann = await world.person('Ann')
  for (let number = 1; number <= 10; number++) await ann.post('/api/organizations', { name: `Branch ${number}` })
  const { ann: owner, path } = await world.organization()
  await owner.post(`${path}/invites`, { email: ann.email })
  const tab = await world.tab(t, { person: ann, width: 390 })
  const { page } = tab
  await tab.open('/organizations')
  await page.getByText('You have an invitation to an organization.').waitFor()
  await page.getByRole('link', { name: /Branch 3/ }).waitFor()
  await page.getByLabel('Search by name').fill('branch 7')
  await page.waitForURL(/query=branch/)
  await page.getByRole('link', { name: /Branch 3/ }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: /Branch 7/ }).waitFor()
  await tab.check()
  await page.getByLabel('Search by name').fill('nowhere')
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.getByRole('link', { name: /Branch 3/ }).waitFor()
  await until(async () => (await page.getByLabel('Search by name').inputValue()) === '', 'an empty search')
})

test('a person with an invitation and no organization is led to the invitation first', async (t) => {
  const ann = await world.person('Ann')
  const { ann: owner, path } = await world.organization()
  await owner.post(`${path}/invites`, { email: ann.email })
  const { page, open, check } = await world.tab(t, { person: ann, width: 390 })
  const answer = Promise.withResolvers<void>()
  t.after(() => answer.resolve()) // before the page waits for its requests
  await page.route(/\/api\/organizations\?/, async (route) => {
    await answer.promise
    await route.continue()
  })
  const invitations = page.waitForResponse('**/api/users/me/invites')
  await open('/organizations')
  await invitations
  await findShifts(page) // after what came is painted
  const invited = page.getByText('You have an invitation to an organization.')
  assert.equal(await invited.count(), 0)
  answer.resolve()
  await page.getByRole('heading', { name: 'No organizations yet' }).waitFor()
  await invited.waitFor()
  const links = page.getByRole('main').getByRole('link')
  assert.deepEqual(await links.allTextContents(), ['View invitations', 'New organization'])
  const isSecond = await links.evaluateAll((all) => all.map((each) => each.dataset.variant === 'default'))
  assert.deepEqual(isSecond, [false, true])
  await check()
  await links.first().click()
  await page.waitForURL('**/me/invitations')
})

test('nothing on the overview moves when the activity arrives last', async (t) => {
  const { ann, path, slug } = await world.organization()
  for (const email of ['kim@example.com', 'zoe@example.com']) await ann.post(`${path}/invites`, { email })
  for (const width of [390, 1440]) {
    const { page, open } = await world.tab(t, { person: ann, width })
    const answer = Promise.withResolvers<void>()
    t.after(() => answer.resolve()) // before the page waits for its requests
    await page.setViewportSize({ width, height: 1600 })
    await page.route('**/audit?**', async (route) => {
      await answer.promise
      await route.continue()
    })
    await open(`/organizations/${slug}`)
    await page.getByText('zoe@example.com').waitFor({ state: 'attached' })
    answer.resolve()
    await page.getByText(/^You invited zoe@example.com/).waitFor()
    await page.getByRole('heading', { name: 'Pending invitations' }).waitFor()
    assert.deepEqual(await findShifts(page), [], `${width}`)
  }
})

test('the overview shows admins the members, the invitations and the activity', async (t) => {
  const { ann, ben, path, slug, cleo } = await world.organization()
  await ann.post(`${path}/invites`, { email: 'zoe@example.com' })
  const tab = await world.tab(t, { person: ben })
  const { page } = tab
  await tab.open(`/organizations/${slug}`)
  await page.getByText('zoe@example.com').first().waitFor()
  await page.getByText(/Expires in [678] days/).waitFor()
  await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
  await page.getByRole('main').getByText('Cleo').first().waitFor()
  await tab.check()
  // A slow page shows the progress bar, and the navigation leads back to the organization.
  const answer = Promise.withResolvers<void>()
  await page.route(`**/api/organizations/${slug}`, async (route) => {
    await answer.promise
    await route.continue()
  })
  await tab.open('/organizations')
  await page.getByRole('link', { name: slug }).click()
  await page.getByRole('progressbar').waitFor()
  answer.resolve()
  await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: ben.email }).click()
  await page.getByRole('menuitem', { name: 'Profile' }).click()
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Back to Acme/ })
    .click()
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).waitFor()
  await page.unrouteAll()
  await tab.become(cleo)
  await tab.open(`/organizations/${slug}`)
  await page.getByRole('main').getByRole('listitem').filter({ hasText: 'Cleo' }).getByText('You').first().waitFor()
  assert.equal(await page.getByText('zoe@example.com').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Invite people' }).count(), 0)
})

test('a member who leaves lands on their organizations, and the only owner is not offered to leave', async (t) => {
  const { ann, cleo, slug } = await world.organization()
  const tab = await world.tab(t, { person: cleo })
  const { page } = tab
  await tab.open(`/organizations/${slug}/settings`)
  assert.equal(await page.getByRole('textbox').count(), 0)
  await tab.check()
  await page.getByRole('button', { name: 'Leave…' }).click()
  await page.getByRole('dialog').getByText('You lose access immediately').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Leave…' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL('**/organizations')
  await page.getByRole('heading', { name: 'No organizations yet' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /Switch organization/ }).count(), 0)
  await tab.open(`/organizations/${slug}`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('button', { name: 'All organizations Switch organization' }).waitFor()
  await tab.become(ann)
  await tab.open(`/organizations/${slug}/settings`)
  await page.getByRole('button', { name: 'Delete organization…' }).waitFor()
  assert.equal(await page.getByText('Leave organization').count(), 0)
})

test('a suspended member leaves an organization that is not among their first hundred', async (t) => {
  const { ann, cleo, id, path, slug, members } = await world.organization()
  await giveOrganizations(
    cleo,
    Array.from({ length: 100 }, (_, at) => `Aardvark ${at}`),
  )
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })).status, 200)
  const { page, open } = await world.tab(t, { person: cleo })
  const leave = page.getByRole('button', { name: 'Leave organization…' })
  await open(`/organizations/${id}`)
  await leave.waitFor()
  await open(`/organizations/${slug}`)
  await leave.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL('**/organizations')
  assert.equal((await ann.get(`${path}/members/${members.cleo.id}`)).status, 404)
})

test('the address follows a new slug, and the deletion asks for the new slug', async (t) => {
  const { ann, slug } = await world.organization()
  const next = `next-${randomBytes(4).toString('hex')}`
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  await tab.open(`/organizations/${slug}/settings`)
  await page.getByLabel('Name').fill('Renamed')
  await page.getByRole('textbox', { name: 'Slug' }).fill(next)
  await page.getByText(`organizations/${slug} will stop working`).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
  await ann.patch(`/api/organizations/${slug}`, { name: 'Other' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This was changed to “Other” in the meantime.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings of Renamed were saved.').waitFor()
  await page.waitForURL(`**/organizations/${next}/settings`)
  await page.getByRole('button', { name: 'Renamed Switch organization' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor()
  await page.goBack()
  await page.getByLabel('Name').fill('Renamed again') // not saved: a deleted organization asks nothing about unsaved changes
  await page.getByRole('button', { name: 'Delete organization…' }).click()
  await page.getByLabel(`Type ${next} to confirm`).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Delete organization…' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByLabel(`Type ${next} to confirm`).fill(slug)
  await page.getByRole('button', { name: 'Delete organization', exact: true }).click()
  await page.getByText('This doesn’t match the organization’s current slug.').waitFor()
  await tab.check()
  await page.getByLabel(`Type ${next} to confirm`).fill(` ${next} `) // as it is pasted
  await page.getByRole('button', { name: 'Delete organization', exact: true }).click()
  await page.waitForURL('**/organizations')
  await page.getByRole('heading', { name: 'No organizations yet' }).waitFor()
  assert.equal((await ann.get(`/api/organizations/${next}`)).status, 404)
})

test('a name that is a page’s word gets another address, and an old organization called “New” is not its form', async (t) => {
  const ann = await world.person('Ann')
  const { body: old } = await ann.post('/api/organizations', { name: 'New' })
  await world.postgres.query(`update organizations set slug = 'new' where id = '${old.id}'`)
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  await tab.open('/organizations')
  await page.locator('main a[href="/organizations/~new"]').click()
  await page.waitForURL('**/organizations/~new')
  await page.getByRole('heading', { name: 'New', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'People', exact: true }).first().click()
  await page.waitForURL('**/organizations/~new/members')
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await tab.open('/organizations/new')
  await page.getByRole('heading', { name: 'New organization', level: 1 }).waitFor()
  await page.getByLabel('Name').fill('New')
  assert.equal(await page.getByRole('textbox', { name: 'Slug' }).inputValue(), '')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.waitForURL(/\/organizations\/new-[a-z0-9]{6}$/)
})

test('two tabs are in two organizations at once', async (t) => {
  const { ann, slug } = await world.organization()
  const { body: second } = await ann.post('/api/organizations', { name: 'Second' })
  const tab = await world.tab(t, { person: ann })
  await tab.open(`/organizations/${slug}`)
  const other = await tab.context.newPage()
  await other.goto(`/organizations/${second.slug}/settings`)
  await other.getByLabel('Name').fill('Second anew')
  await other.getByRole('button', { name: 'Save' }).click()
  await other.getByRole('button', { name: 'Second anew Switch organization' }).waitFor()
  await tab.page.bringToFront()
  await tab.page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click()
  await tab.page.waitForURL(`**/organizations/${slug}/settings`)
  await tab.page.getByRole('button', { name: /^Acme .* Switch organization/ }).click()
  await tab.page.getByRole('menuitem', { name: /^Second/ }).click()
  await tab.page.getByRole('heading', { name: 'Second anew', level: 1 }).waitFor()
  // Somebody else changes the slug: the page follows, keeps what is typed, and does not say that the reader was removed.
  await tab.page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click()
  await tab.page.getByLabel('Name').fill('Typed')
  const next = `next-${randomBytes(4).toString('hex')}`
  await ann.patch(`/api/organizations/${second.id}`, { slug: next })
  await tab.page.getByRole('button', { name: 'Save' }).click()
  await tab.page.waitForURL(`**/organizations/${next}/settings`)
  // The fields follow a moment after the address.
  await tab.page.waitForFunction(
    (slug) => [...document.querySelectorAll('input')].some(({ value }) => value === slug),
    next,
  )
  assert.equal(await tab.page.getByLabel('Name').inputValue(), 'Typed')
  await tab.page.getByRole('button', { name: 'Save' }).click()
  await tab.page.getByText('The settings of Typed were saved.').waitFor()

  await tab.page.getByRole('button', { name: 'Typed Switch organization' }).click()
  await tab.page.getByRole('menuitem', { name: /^Acme/ }).click()
  await tab.page.waitForFunction(() => document.activeElement?.matches('h1') && /^Acme .* · /.test(document.title))
})
