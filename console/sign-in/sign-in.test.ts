/** Signing up and in, and choosing a new password. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { until } from '../../test/smtp.ts'
import { timeout } from '../../test/timeout.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()

test('signing up shows the strength of the password, and leads to the requested page', async (t) => {
  const { page, open, check } = await world.tab(t)
  const email = `nora-${Date.now()}@example.com`
  await open('/me/devices')
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()

  await page.getByLabel('Email').fill(email)
  const field = page.getByLabel('Password', { exact: true })
  await field.fill('short')
  await page.getByText('3 more characters needed.').first().waitFor()
  await field.fill('password')
  await page.getByText('Weak. Add another word to make it stronger.').first().waitFor()
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('This field is required.').waitFor() // a name is required
  await page.getByLabel('Name').fill('Nora')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('This password is too common.').waitFor()
  assert.equal(await field.evaluate((node) => node === document.activeElement), true, 'the focus is at the fault')
  await check()

  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  const described = await field.evaluate((node) =>
    (node.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent),
  )
  assert.ok(
    described.some((text) => text?.startsWith('This password is too common.')),
    'the fault is said of the field',
  )
  await field.fill(password)
  await page.getByText('Strong.').nth(1).waitFor()
  const heard = await page
    .getByText('Strong.')
    .evaluateAll((all) => all.filter((each) => !each.closest('[aria-hidden="true"]')).length)
  assert.equal(heard, 1, 'a screen reader hears it once')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/me/devices')
  await page.getByText('Your email address isn’t verified yet.').waitFor()
})

test('sign-up with an address that already has an account says so at the field', async (t) => {
  const ann = await world.person()
  const { page, open } = await world.tab(t)
  await open('/sign-up')
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Name').fill('Ann')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('Sign in to it, or use another address.').waitFor()
  assert.equal(await page.getByLabel('Email').getAttribute('aria-invalid'), 'true')
})

test('signing in refuses a wrong password, then leads to the requested page, and never to another site', async (t) => {
  const ann = await world.person()
  const { page, open, check } = await world.tab(t)
  await open('/me/security')
  assert.match(page.url(), /\/sign-in\?next=/)
  await page.getByLabel('Email').fill(ann.email)
  const field = page.getByLabel('Password', { exact: true })
  await field.fill('not the password')
  const kind = [await field.getAttribute('type'), await field.getAttribute('autocomplete')]
  assert.deepEqual(kind, ['password', 'current-password'], 'masked, and for password managers')
  await page.keyboard.press('Enter')
  await page.getByText('Incorrect email or password. Check both and try again.').waitFor()
  await check()
  await field.fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/me/security')

  for (const entrance of [
    '/sign-in',
    '/sign-in?next=//elsewhere.example/',
    '/sign-up?next=//elsewhere.example/',
    '/sign-in?next=/%5Celsewhere.example',
    '/sign-in?next=https://elsewhere.example/',
  ]) {
    await open(entrance)
    await page.waitForURL(`${world.url}/organizations`)
  }
})

test('a page to sign in or up leads on as soon as its reader has signed in in another tab', async (t) => {
  const ann = await world.person()
  const { page, context, open, become } = await world.tab(t)
  for (const entrance of ['/sign-in', '/sign-up']) {
    await open(`${entrance}?next=/me/devices`)
    const other = await context.newPage()
    await other.goto('/sign-in')
    await other.getByLabel('Email').fill(ann.email)
    await other.getByLabel('Password', { exact: true }).fill(password)
    await other.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
    await become()
  }
})

test('after many wrong passwords the page says when to try again; to a suspended user it says that they are suspended', async (t) => {
  const [ann, ben, admin] = await Promise.all([world.person(), world.person('Ben'), world.tenantAdmin()])
  const wrong = { email: ann.email, password: 'a wrong password' }
  const asBrowser = { 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin' }
  for (let attempt = 0; attempt < 7; attempt++) await world.nobody.post('/api/auth/sign-in', wrong, asBrowser)
  await world.postgres.query(
    `update password_attempts set next_at = now() + interval '90 seconds' where failures > 3`,
    [],
  )
  await admin.patch(`/api/admin/users/${ben.id}`, { status: 'suspended' })
  const { page, open } = await world.tab(t)
  await open('/sign-in')
  for (const [email, words] of [
    [ann.email, /Try again in \d+ seconds?\./],
    [ben.email, /No one can sign in to it until an admin reactivates it/],
  ] as const) {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: words }).waitFor()
  }
})

test('a reset link is mailed to the typed address, sets a password once, and leads to signing in', async (t) => {
  const ann = await world.person()
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  await tab.open('/forgot-password')
  assert.equal(await page.getByLabel('Email').inputValue(), ann.email, 'the address of the signed-in user is filled in')
  await tab.check()
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()

  const token = await world.mailedToken(ann.email, 'reset-password')
  await tab.open(`/reset-password#token=${token}`)
  await tab.check()
  await page.getByLabel('New password').fill(ann.email)
  await page.keyboard.press('Enter')
  await page.getByText('A password must not be your email address').waitFor()
  await page.getByLabel('New password').fill('another long passphrase')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your password is set' }).waitFor()
  await page.waitForURL((url) => url.hash === '')

  await page.getByRole('link', { name: 'Sign in' }).click()
  assert.equal(await page.getByLabel('Email').inputValue(), ann.email)
  await page.getByLabel('Password', { exact: true }).fill('another long passphrase')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/organizations')

  await tab.open(`/reset-password#token=${token}`)
  await page.getByLabel('New password').fill('a third long passphrase')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByRole('link', { name: 'Get a new link' }).click()
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()

  // The link of another person, while Ann is signed in.
  const ben = await world.person('Ben')
  await world.nobody.post('/api/auth/forgot-password', { email: ben.email })
  await tab.openMailed(ben.email, 'reset-password')
  await page.getByLabel('New password').fill('another long passphrase')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.waitForURL('**/organizations')
})

test('somebody who is signed out has the link sent again, and signs in with the address filled in', async (t) => {
  const ann = await world.person()
  const { page, open, check } = await world.tab(t, { width: 390 })
  await open('/forgot-password')
  await page.getByLabel('Email').fill(ann.email)
  await page.getByRole('button', { name: 'Send reset link' }).click()
  const first = await world.mailedToken(ann.email, 'reset-password')
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText(`If ${ann.email} has an account here, another link is on its way.`).waitFor()
  await check()
  const newest = () => world.mailedToken(ann.email, 'reset-password')
  await until(async () => (await newest()) !== first, 'another link')

  await open(`/reset-password#token=${await newest()}`)
  await page.getByLabel('New password').fill('another long passphrase')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your password is set' }).waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.waitForURL('**/sign-in')
  assert.equal(await page.getByLabel('Email').inputValue(), ann.email)
})

test('if sign-up is closed or by invitation only, the page says so, and what to do', async (t) => {
  const tenant = await world.tenant()
  const admin = await world.tenantAdmin(tenant.slug)
  const { page, open, check } = await world.tab(t, { tenant: tenant.slug, width: 390 })
  for (const [signUp, heading, hint] of [
    ['invited_only', 'By invitation only', 'open the link in the invitation email'],
    ['closed', 'Sign-up is closed', 'ask an admin of Another Tenant'],
  ] as const) {
    await admin.patch('/api/admin/tenant', { signUp })
    await open('/sign-up')
    await page.getByRole('heading', { name: heading }).waitFor()
    await page.getByText(hint).waitFor()
  }
  await check()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in to Another Tenant' }).waitFor()
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/t/${tenant.slug}/organizations`)
  await open('/sign-up')
  await page.waitForURL(`**/t/${tenant.slug}/organizations`)
})

test('the page that somebody wanted is remembered while they ask for a reset link, or find that sign-up is by invitation', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await admin.patch('/api/admin/tenant', { signUp: 'invited_only' })
  const { body: acme } = await admin.post('/api/organizations', { name: 'Acme' })
  const wanted = `/organizations/${acme.slug}/members`
  const { page, open } = await world.tab(t, { tenant: slug })
  const isWanted = (url: URL) => url.pathname === `/t/${slug}/sign-in` && url.searchParams.get('next') === wanted
  await open(wanted)
  await page.waitForURL(isWanted)

  await page.getByLabel('Email').fill(admin.email)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  assert.equal(new URL(page.url()).search, '')
  await page.reload()
  await page.getByRole('link', { name: 'Back to sign-in' }).click()
  await page.waitForURL(isWanted)
  assert.equal(await page.getByLabel('Email').inputValue(), admin.email)

  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: 'By invitation only' }).waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.waitForURL(isWanted)
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${wanted}`)
})

test('a typed address is there in the form for a mailed code, and after going back as it was changed there', async (t) => {
  const { slug } = await world.tenant()
  await (await world.tenantAdmin(slug)).patch('/api/admin/tenant', { mailCodes: true })
  const { page, open } = await world.tab(t, { tenant: slug })
  await open('/sign-in')
  const email = page.getByLabel('Email')
  await email.fill('nora@example.com')
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByRole('button', { name: 'Send code' }).waitFor()
  assert.deepEqual([await email.inputValue(), await email.isEditable()], ['nora@example.com', true])
  await email.fill('nora@example.org')
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByLabel('Password', { exact: true }).and(page.locator(':focus')).waitFor()
  assert.equal(await email.inputValue(), 'nora@example.org')
})

test('a way to sign in that is switched off while the page is open says so, and is not offered again', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await admin.patch('/api/admin/tenant', { mailCodes: true })
  const { page, open, check } = await world.tab(t, { tenant: slug })
  await open('/sign-in')
  const mailCode = page.getByRole('button', { name: 'Email me a code' })
  await mailCode.click()
  await page.getByLabel('Email').fill('nora@example.com')
  assert.equal((await admin.patch('/api/admin/tenant', { mailCodes: false })).status, 200)
  const read = page.waitForResponse('**/api/tenant')
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByRole('alert').getByText('This way to sign in is turned off').waitFor()
  await (await read).finished()
  await check()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  await mailCode.waitFor({ state: 'detached' })
})

/** Fills the storage of a page's site, so that not one more character is kept. */
const fill = `for (const storage of [localStorage, sessionStorage])
  for (let size = 2 ** 22; size >= 1; size /= 2) {
    try { for (let n = 0; ; n++) storage.setItem(size + '-' + n, 'x'.repeat(size)) } catch {}
  }`

test('signing in works where the browser’s storage is full', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t)
  await open('/sign-in')
  await page.evaluate(fill)
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  assert.equal((await ann.get('/api/users/me/devices')).body.data.length, 2, 'one session more')
  await open('/me')
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Ann')
})

test('signing in works where a site may store nothing, and where it may have no cookies the page says what to allow', async (t) => {
  const ann = await world.person('Ann')
  const browser = (await world.tab(t)).context.browser() ?? assert.fail('a context has a browser')
  for (const cookies of [true, false]) {
    const context = await browser.newContext({ baseURL: world.url })
    t.after(() => context.close())
    context.setDefaultTimeout(timeout)
    await context.addInitScript(`
      const denied = { get() { throw new DOMException('The operation is insecure.', 'SecurityError') } }
      for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, denied)
      window.BroadcastChannel = class { constructor() { denied.get() } }
      Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => ${cookies} })`)
    const page = await context.newPage()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
    await page.goto('/sign-in')
    await page.getByLabel('Email').fill(ann.email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    if (cookies) await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
    else await page.getByRole('alert').getByText('Your browser doesn’t accept cookies from this site').waitFor()
    assert.equal(sent.includes('/api/auth/sign-in'), cookies)
  }
})
