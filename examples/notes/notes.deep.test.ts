/** Notes in a browser, in which people sign in on Guildhall's pages. It has another origin than Guildhall. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { until } from '../../test/smtp.ts'
import { type Person, password } from '../../test/world.ts'
import { startNotes } from './testing.ts'

const world = await createConsoleWorld({ isLocalhost: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const { origin, notes } = await startNotes(world)
const model = readFileSync(join(import.meta.dirname, 'access.json'), 'utf8')
await (await world.tenantAdmin()).put('/api/admin/access', JSON.parse(model))
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

test('somebody new signs up at Guildhall and invites somebody, who comes to Notes by the mail', async (t) => {
  const [anns, bobs] = [await openTab(t), await openTab(t)]
  const ann = anns.page
  await ann.goto(origin)
  await check(ann)
  await ann.getByRole('link', { name: 'Create an account' }).click()
  await ann.getByText('to continue to Notes', { exact: true }).waitFor()
  await ann.getByLabel('Email').fill('ann@notes.example')
  await ann.getByLabel('Name').fill('Ann')
  await ann.getByLabel('Password', { exact: true }).fill(password)
  await ann.getByRole('button', { name: 'Create account' }).click()
  await ann.getByRole('heading', { name: 'Verify your email address' }).waitFor()
  const other = await anns.context.newPage()
  await other.goto(`/verify-email#token=${await world.mailedToken('ann@notes.example', 'verify-email')}`)
  await ann.getByRole('heading', { name: 'Start with an organization' }).waitFor()
  await ann.getByLabel('New organization').fill('The Studio')
  await ann.getByRole('button', { name: 'Create' }).click()
  await ann.getByRole('heading', { name: 'The Studio' }).waitFor()
  await write(ann, '<b>Ann</b> was here')
  for (const answer of [
    'A mail is on its way to bob@notes.example.',
    'This address already has a pending invitation.',
  ]) {
    await ann.getByLabel('Invite by email').fill('bob@notes.example')
    await ann.getByRole('button', { name: 'Invite' }).click()
    await ann.getByText(answer).waitFor()
  }
  assert.equal(await ann.locator('#invited').textContent(), '')

  const bob = bobs.page
  await bobs.openMailed('bob@notes.example', 'invitation')
  await bob.getByLabel('Name').fill('Bob')
  await bob.getByLabel('Password', { exact: true }).fill(password)
  await bob.getByRole('button', { name: 'Create account and join' }).click()
  await bob.getByRole('link', { name: 'Continue to Notes' }).click()
  await bob.getByText('<b>Ann</b> was here').waitFor()
  assert.equal(new URL(bob.url()).hash, '#the-studio')
})

test('people share the notes of an organization as their roles allow, until they are removed', async (t) => {
  const { ann, dan, id, slug } = await world.organization()
  notes.add(id, ann.id, 'Ann was here')
  assert.equal((await ann.post(`/api/organizations/${id}/invites`, { email: dan.email })).status, 201)
  const [anns, dans] = [await openPage(t, ann), await openPage(t, dan)]
  await dans.getByText(/^Ann invites you to Acme \w+, as member\.$/).waitFor()
  await dans.getByRole('button', { name: 'Join Acme' }).click()
  await dans.getByText('Ann was here').waitFor()
  await write(dans, 'So was Dan')
  assert.equal(await dans.getByRole('button', { name: 'Delete the note of Dan' }).count(), 1)
  assert.equal(await dans.getByRole('button', { name: 'Delete the note of Ann' }).count(), 0)
  assert.equal(await dans.getByLabel('Invite by email').isVisible(), false)

  await anns.reload()
  const changed = anns.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok())
  await anns.getByLabel('Role of Dan').selectOption('admin')
  await changed
  await dans.reload()
  await dans.getByRole('button', { name: 'Delete the note of Ann' }).click()
  await dans.getByText('Ann was here').waitFor({ state: 'detached' })

  await anns.getByRole('button', { name: 'Remove Dan' }).click()
  await anns.getByLabel('Role of Dan').waitFor({ state: 'detached' })
  await dans.getByLabel('New note').fill('Is Dan still here?')
  await dans.getByRole('button', { name: 'Add note' }).click()
  await dans.getByText(`There is no organization “${slug}”, or you are not in it.`).waitFor()
  assert.equal(await dans.getByText('So was Dan').isVisible(), false)

  const admin = await world.tenantAdmin()
  assert.equal((await admin.delete(`/api/admin/users/${dan.id}/devices`)).status, 200)
  await dans.getByLabel('New organization').fill('Elsewhere')
  await dans.getByRole('button', { name: 'Create' }).click()
  await dans.getByText('Your session has ended. Please sign in again.').waitFor()
  await dans.getByRole('link', { name: 'Sign in' }).click()
  await dans.getByText('to continue to Notes', { exact: true }).waitFor()
})

test('a refusal is shown beside its field, and screen readers announce it', async (t) => {
  const { ann, cleo, slug } = await world.organization()
  const page = await openPage(t, ann)
  const invited = page.getByLabel('Invite by email')
  await invited.fill(cleo.email)
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.locator('#invite').getByRole('alert').getByText('This person is already a member.').waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'invited-email')
  const said = await page.evaluate(
    'document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent',
  )
  assert.equal(said, 'This person is already a member.')
  await page.getByRole('button', { name: `Leave Acme` }).click()
  const refused = page.locator('#people').getByText('An organization must keep at least one owner.')
  assert.match((await refused.textContent()) ?? '', /First make another member an owner/)
  await page.getByLabel('New note').fill(' ')
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.locator('#write').getByText('A note has 1 to 2000 characters.').waitFor()
  assert.equal(new URL(page.url()).hash, `#${slug}`)
  await check(page)
  await page.setViewportSize({ width: 375, height: 812 })
  await check(page)
})

test('the page is never wider than its window, whatever names it shows', async (t) => {
  const { ann, ben, id, path } = await world.organization()
  const name = 'W'.repeat(100)
  for (const person of [ann, ben]) assert.equal((await person.patch('/api/users/me', { name })).status, 200)
  assert.equal((await ann.patch(path, { name })).status, 200)
  const { body: other } = await ben.post('/api/organizations', { name })
  assert.equal((await ben.post(`/api/organizations/${other.id}/invites`, { email: ann.email })).status, 201)
  notes.add(id, ann.id, name)
  const page = await openPage(t, ann)
  await page.locator('#notes').getByText(name, { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Join' }).waitFor()
  for (const width of [320, 375, 1280]) {
    await page.setViewportSize({ width, height: 812 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
  }
})

test('each organization has its own notes, a draft is not carried over, and nothing is left after a sign-out', async (t) => {
  const { ann, id } = await world.organization()
  const home = await ann.post('/api/organizations', { name: 'Home' })
  notes.add(id, ann.id, 'At work')
  notes.add(home.body.id, ann.id, 'At home')
  const page = await openPage(t, ann)
  await page.getByText('At work').waitFor()
  await page.getByLabel('New note').fill('Half a secret')
  await page.getByLabel('Organization', { exact: true }).selectOption('Home')
  await page.getByText('At home').waitFor()
  assert.equal(await page.getByLabel('New note').inputValue(), '')
  assert.equal(await page.getByText('At work').count(), 0)
  await page.goBack()
  await page.getByText('At work').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Create an account' }).waitFor()
  assert.equal(page.url(), `${origin}/`)
  assert.ok(!(await page.content()).includes('At work'))
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor() // nobody is signed in at Guildhall either
})

test('an action begun in one organization never affects another', async (t) => {
  const { cleo, ann, id, slug, path, members } = await world.organization()
  const { body: home } = await cleo.post('/api/organizations', { name: 'Home' })
  const page = await openPage(t, cleo)
  const [choice, field] = [page.getByLabel('Organization', { exact: true }), page.getByLabel('New note')]
  const textsOf = (organizationId: string) => notes.list(organizationId).map(({ text }) => text)
  await choice.selectOption('Home')
  await page.getByRole('heading', { name: 'Home' }).waitFor()

  const reading = await hold(page, '**/members*')
  await choice.selectOption(slug)
  await reading.reached
  assert.equal(await choice.inputValue(), slug)
  assert.equal(await field.isVisible(), false, 'while it is not known what there is')
  reading.release()
  await page.getByRole('heading', { name: 'Acme' }).waitFor()

  const sending = await hold(page, `**/${id}/notes`)
  await field.fill('For Acme')
  await page.getByRole('button', { name: 'Add note' }).click()
  await sending.reached
  await field.press('End')
  await field.press('x')
  assert.equal(await field.inputValue(), 'For Acme', 'what is written while one is sent would be lost')
  const form = await page.locator('#write').elementHandle()
  await choice.selectOption('Home')
  await field.fill('For Home')
  const sent = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/notes'))
  sending.release()
  await (await sent).finished()
  await until(async () => (await form?.getAttribute('aria-busy')) === null, 'the page to be done with the answer')
  assert.equal(await field.inputValue(), 'For Home')
  assert.equal(await page.getByText('For Acme').count(), 0)

  await page.context().setOffline(true)
  await choice.selectOption(slug)
  await page.getByText('The server of Notes does not answer.').waitFor()
  assert.equal(await field.isVisible(), false)
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('For Acme').waitFor()
  assert.equal(await page.getByText('The server of Notes does not answer.').count(), 0)

  await field.fill('Secret')
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  assert.equal(await field.inputValue(), '')
  assert.deepEqual([textsOf(id), textsOf(home.id)], [['For Acme'], []])
})

/** A tab in a profile of its own. An error on a page fails the test. @param person who is signed in at Guildhall */
async function openTab(t: TestContext, person?: Person) {
  const tab = await world.tab(t, { visits: origin, ...(person && { person }) })
  tab.page.on('dialog', (dialog) => dialog.accept())
  return tab
}

/** @param person who signs in to Notes */
async function openPage(t: TestContext, person: Person): Promise<Page> {
  const { page } = await openTab(t, person)
  await page.goto(origin)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return page
}

/** Holds back requests to an address. @returns `reached`, which resolves at the first one, and a function that releases all */
async function hold(page: Page, url: string) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    reach()
    await released
    await route.continue()
  })
  return { reached, release }
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('New note').fill(text)
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.locator('#notes').getByText(text).waitFor()
}

/** Checks that nothing prevents people from using the page, in light or dark mode (axe-core). */
async function check(page: Page): Promise<void> {
  await page.evaluate(axe)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const violations = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html)))',
    )
    assert.deepEqual(violations, [], colorScheme)
  }
}
