/** The pages that links in mails and in the terminal open. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { renewSetUpLink } from '../../src/features/tenants/set-up.ts'
import { createConsoleWorld } from '../../test/browser.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()

async function signIn(page: Page, email: string, button: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: button }).click()
}

test('signing in verifies the address; afterwards the browser does not contain the token', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  const { page, context, openMailed, check } = await world.tab(t)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await openMailed(ann.email, 'verify-email')
  const token = await world.mailedToken(ann.email, 'verify-email')
  await check()
  await signIn(page, ann.email, 'Sign in and verify')

  await page.getByRole('heading', { name: 'Your email address is verified' }).waitFor()
  await page.waitForURL((url) => url.hash === '')
  await check()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.waitForURL('**/organizations')
  await page.reload() // the router stores the state of a page when it is left
  const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state]))
  assert.ok(!stored.includes(token.slice(-40)), 'not stored')
  assert.ok(!(await context.cookies()).some(({ value }) => value.includes(token.slice(-40))), 'not in a cookie')
  assert.ok(!asked.some((url) => url.includes(token.slice(-40))), 'not in a request’s address')
})

test('if signed in, the link verifies the address at once; a spent link says that nothing is left to do', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  const { page, openMailed } = await world.tab(t, { person: ann })
  await openMailed(ann.email, 'verify-email')
  await page.getByText(`You sign in with ${ann.email}.`).waitFor()
  await openMailed(ann.email, 'verify-email')
  await page.getByText('There is nothing left to do').waitFor()
})

test('a spent link to an unverified address offers to send another', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  const token = await world.mailedToken(ann.email, 'verify-email')
  await ann.post('/api/auth/verify-email/resend')
  const { page, open, check } = await world.tab(t, { person: ann, width: 390 })
  await open(`/verify-email#token=${token}`)
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Send a new link' }).click()
  await page.getByRole('heading', { name: 'A new link is on its way' }).waitFor()
})

test('the link of another account says so, and continues with that account', async (t) => {
  const [ann, ben] = await Promise.all([world.person('Ann', { verified: false }), world.person('Ben')])
  const { page, openMailed, check } = await world.tab(t, { person: ben })
  await openMailed(ann.email, 'verify-email')
  await page.getByText(`You are signed in as ${ben.email}.`).waitFor()
  await check()
  await page.getByRole('button', { name: 'Use another account' }).click()
  await signIn(page, ann.email, 'Sign in and verify')
  await page.getByText(`You sign in with ${ann.email}.`).waitFor()
})

test('if the session has ended meanwhile, the page asks to sign in, and the token stays out of the query', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  const { page, open } = await world.tab(t, { person: ann })
  const token = await world.mailedToken(ann.email, 'verify-email')
  await open('/forgot-password')
  await page.locator(`input[value="${ann.email}"]`).waitFor()
  await ann.delete('/api/users/me/devices')
  await page.evaluate((hash) => {
    history.pushState(null, '', `/verify-email#token=${hash}`)
    dispatchEvent(new PopStateEvent('popstate'))
  }, token)
  await page.getByRole('button', { name: 'Sign in and verify' }).waitFor()
  assert.equal(new URL(page.url()).search, '')
})

test('from the page for a forgotten password, somebody comes back to the mailed link, whose token is in no query', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  const { page, openMailed } = await world.tab(t)
  await openMailed(ann.email, 'verify-email')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
  const { search, hash } = new URL(page.url())
  assert.deepEqual([search, hash], ['', ''])
  await page.getByRole('link', { name: 'Back to sign-in' }).click()
  await signIn(page, ann.email, 'Sign in and verify')
  await page.getByRole('heading', { name: 'Your email address is verified' }).waitFor()
  assert.equal(new URL(page.url()).search, '')
})

test('undoing a change of address asks first, then leads to a new password', async (t) => {
  const ann = await world.person()
  const next = `next-${ann.email}`
  await ann.patch('/api/users/me', { email: next, currentPassword: password })
  const { page, openMailed, check } = await world.tab(t, { person: ann })
  await openMailed(ann.email, 'undo-email-change')
  await check()
  await page.getByRole('button', { name: 'Undo change' }).click()
  await page.getByRole('heading', { name: 'Your email address was restored' }).waitFor()
  assert.equal((await ann.get('/api/users/me')).status, 401)
  await page.getByRole('link', { name: 'Get another email' }).waitFor()
  await world.mailedToken(ann.email, 'reset-password')

  await openMailed(ann.email, 'undo-email-change')
  await page.getByRole('button', { name: 'Undo change' }).click()
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
})

test('the link in the mail about an unknown device signs it out', async (t) => {
  const ann = await world.person()
  const asBrowser = { 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin' }
  await world.nobody.post('/api/auth/sign-in', { email: ann.email, password }, asBrowser)
  const countDevices = async () => (await ann.get('/api/users/me/devices')).body.data.length
  assert.equal(await countDevices(), 2)
  const { page, openMailed, check } = await world.tab(t)
  await openMailed(ann.email, 'end-session')
  await page.getByRole('heading', { name: /^Sign out .+, signed in on \d+ \w+ at \d\d:\d\d\?$/ }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Sign out device' }).click()
  await page.getByRole('heading', { name: 'The device was signed out' }).waitFor()
  assert.equal(await countDevices(), 1)
  await openMailed(ann.email, 'end-session')
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
})

test('the page that signs out a device marks times of another language, and the title of its tab has no marks', async (t) => {
  const ann = await world.person('Ann')
  const asBrowser = { 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin' }
  await world.nobody.post('/api/auth/sign-in', { email: ann.email, password }, asBrowser)
  const { page, openMailed, check } = await world.tab(t, { locale: 'fa-IR' })
  await openMailed(ann.email, 'end-session')
  const heading = page.getByRole('heading', { name: /^Sign out .+, signed in on .+ at .+\?$/ })
  await heading.waitFor()
  assert.equal(await heading.locator('[lang=fa-IR]').count(), 2)
  await page.waitForFunction(() => document.title.startsWith('Sign out'))
  assert.doesNotMatch(await page.title(), /[\u2066-\u2069]/)
  await check()
})

test('an incomplete link says so, and where the whole one is', async (t) => {
  const { page, open, check } = await world.tab(t)
  for (const [path, place] of [
    ['/verify-email', 'email'],
    ['/reset-password#token=ghm_01', 'email'],
    ['/invitation#token=', 'email'],
    ['/set-up', 'terminal'],
  ] as const) {
    await open(path)
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor()
    await page.getByText(`from the ${place}`).waitFor()
  }
  await check()
})

test('the set-up link creates and signs in the first admin, and then says that it is spent', async (t) => {
  const tenant = await world.tenant()
  const link = await renewSetUpLink(world.database, world.app.config, tenant)
  const path = `/set-up${link?.slice(link.indexOf('#'))}`
  const { page, context, open, check } = await world.tab(t, { tenant: tenant.slug })
  await open(path)
  await check()
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/t/${tenant.slug}/organizations`)
  await page.getByText('You are the admin.', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Go to settings' }).waitFor()
  await check()
  await page.getByRole('navigation').getByRole('link', { name: 'Administration' }).waitFor()

  await context.clearCookies()
  await open(path)
  await page.getByLabel('Email').fill('eve@example.com')
  await page.getByLabel('Name').fill('Eve')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByText(`guildhall admin create --email <address> --tenant ${tenant.slug}`).waitFor()
  await check() // the command is wrapped, and does not scroll
})
