/** Organizations in the console: finding, creating, renaming, leaving and deleting them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()

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
  await page.getByLabel('Logo URL').fill('http://example.com/logo.png')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByText(/https/).nth(1).waitFor()
  await page.getByLabel('Logo URL').fill('')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByText('Another organization already uses this slug').waitFor()
  await tab.check()
  const slug = `arsta-${randomBytes(4).toString('hex')}`
  await page.getByRole('textbox', { name: 'Slug' }).fill(slug)
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.waitForURL(`**/organizations/${slug}`)
  await page.getByText('Årsta & Söner 7 was created.').waitFor()
  await page.getByRole('heading', { name: 'You’re the only member' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Invite people' }).count(), 1)
  await page.goBack()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  await tab.open(`/organizations/${slug}/invitations`)
  await page.getByRole('heading', { name: 'No invitations yet' }).waitFor()
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
  for (let number = 1; number <= 9; number++) await ann.post('/api/organizations', { name: `Branch ${number}` })
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
  assert.equal(await page.getByLabel('Search by name').inputValue(), '')
})

test('the overview shows admins the members, the invitations and the activity', async (t) => {
  const { ann, ben, path, slug, cleo } = await world.organization()
  await ann.post(`${path}/invites`, { email: 'zoe@example.com' })
  const tab = await world.tab(t, { person: ben })
  const { page } = tab
  await tab.open(`/organizations/${slug}`)
  await page.getByText('zoe@example.com').first().waitFor()
  await page.getByText('Expires in 7 days').waitFor()
  await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
  await page.getByRole('main').getByText('Cleo').first().waitFor()
  await tab.check()
  // A slow page shows the progress bar, and the navigation of the organization stays.
  const answer = Promise.withResolvers<void>()
  await page.route(/assets\/profile-/, async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.getByRole('navigation').getByRole('link', { name: 'Profile' }).click()
  await page.getByRole('progressbar').waitFor()
  answer.resolve()
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  await page.getByRole('navigation').getByRole('link', { name: 'Members' }).waitFor()
  const other = await world.tab(t, { person: cleo })
  await other.open(`/organizations/${slug}`)
  await other.page.getByRole('main').getByText('Cleo (You)').first().waitFor()
  assert.equal(await other.page.getByText('zoe@example.com').count(), 0)
  assert.equal(await other.page.getByRole('button', { name: 'Invite people' }).count(), 0)
})

test('a member who leaves lands on their organizations, and the only owner sees why they cannot leave', async (t) => {
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
  await page.getByRole('button', { name: 'All organizations Switch organization' }).waitFor()
  await tab.open(`/organizations/${slug}`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('button', { name: 'All organizations Switch organization' }).waitFor()
  const owner = await world.tab(t, { person: ann })
  await owner.open(`/organizations/${slug}/settings`)
  await owner.page.getByText('You are the only owner').waitFor()
  assert.equal(await owner.page.getByRole('button', { name: 'Leave…' }).count(), 0)
})

test('the address follows a new slug, and the deletion asks for the new slug', async (t) => {
  const { ann, slug } = await world.organization()
  const next = `next-${randomBytes(4).toString('hex')}`
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  await tab.open(`/organizations/${slug}/settings`)
  await page.getByLabel('Name').fill('Renamed')
  await page.getByLabel('Logo URL').fill('https://example.com/logo.png')
  await page.getByText('initials are shown instead').waitFor()
  await page.getByRole('textbox', { name: 'Slug' }).fill(next)
  await page.getByText(`organizations/${slug} will stop working`).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Members' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
  await ann.patch(`/api/organizations/${slug}`, { logoUrl: 'https://example.com/other.png' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This was changed to “https://example.com/other.png” in the meantime.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(`**/organizations/${next}/settings`)
  await page.getByText('The settings of Renamed were saved.').waitFor()
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
  await page.getByLabel(`Type ${next} to confirm`).fill(next)
  await page.getByRole('button', { name: 'Delete organization', exact: true }).click()
  await page.waitForURL('**/organizations')
  await page.getByRole('heading', { name: 'No organizations yet' }).waitFor()
  assert.equal((await ann.get(`/api/organizations/${next}`)).status, 404)
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
