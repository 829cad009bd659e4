/** The console as a whole: what holds on every page. Each page has its own tests beside it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../test/browser.ts'
import { mailboxKey, type Person, password } from '../test/world.ts'

const world = await createConsoleWorld()

/** The console's code is late: only the script that is first comes. @returns a function that lets the rest come */
async function holdCode(page: Page): Promise<() => void> {
  const rest = Promise.withResolvers<void>()
  await page.route(/\/assets\/(?!opening).*\.js$/, async (route) => {
    await rest.promise
    await route.continue()
  })
  return rest.resolve
}

/** The first script has all that it asked for. */
async function earlyIsThere(page: Page): Promise<void> {
  // A text would be evaluated again by the page itself, whose policy refuses that, if it is not there at the first look.
  await page.waitForFunction(() => (globalThis as { early?: unknown }).early !== undefined)
  await page.evaluate('Promise.all(Object.values(window.early)).then(() => undefined)')
}

async function signInInAnotherTab(other: Page, { email }: Person): Promise<void> {
  await other.goto('/organizations')
  await other.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json', 'guildhall-session': 'cookie' }
      await fetch('/api/auth/sign-in', { method: 'POST', headers, body: JSON.stringify(body) })
      new BroadcastChannel('guildhall-session').postMessage('begun')
    },
    { email, password },
  )
}

test('no script can read the token of a session', async (t) => {
  const ann = await world.person()
  const { page, context, open } = await world.tab(t)
  const bodies: string[] = []
  page.on('response', async (response) => {
    if (response.url().includes('/api/')) bodies.push(await response.text().catch(() => ''))
  })
  await open('/sign-in')
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  for (const path of ['/me', '/me/devices', '/me/activity', '/organizations/new']) await open(path)

  const cookies = await context.cookies()
  const session = cookies.find(({ name }) => name === 'guildhall')
  assert.ok(session?.value.startsWith('ghs_'))
  assert.deepEqual(
    cookies.filter(({ httpOnly }) => !httpOnly).map(({ name }) => name),
    [],
  )
  const readable = await page.evaluate(async () => {
    const databases = await indexedDB.databases()
    const caches = await globalThis.caches.keys()
    return JSON.stringify({
      cookie: document.cookie,
      local: { ...localStorage },
      session: { ...sessionStorage },
      databases,
      caches,
      page: document.documentElement.outerHTML,
      history: history.state,
      window: window.name,
      address: location.href,
    })
  })
  const secret = session?.value.split('.')[1] ?? assert.fail('a token has a secret')
  for (const text of [readable, ...bodies])
    assert.ok(!text.includes(secret) && !text.includes(password), text.slice(0, 200))
})

test('a session that was ended elsewhere leads to signing in, and back to the same page', async (t) => {
  const ann = await world.person()
  const { page, open } = await world.tab(t, { person: ann })
  await open('/me/devices')
  await ann.delete('/api/users/me/devices')
  // The page may have noticed by itself.
  await page
    .getByRole('link', { name: 'Activity' })
    .first()
    .dispatchEvent('click')
    .catch(() => {})

  await page.getByText('You’ve been signed out').waitFor()
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/me\/(activity|devices)/)
})

test('all tabs of a browser have one user: an edit of one user is not sent as another', async (t) => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const { page, context, open } = await world.tab(t, { person: ann })
  await open('/me')
  await page.getByLabel('Name', { exact: true }).fill('Ann’s secret')
  await page.route('**/api/users/me', (route) => route.fulfill({ status: 429, json: {} }), { times: 1 })
  const other = await context.newPage()
  await signInInAnotherTab(other, ben)

  await page.locator('input[value="Ben"]').waitFor()
  assert.equal((await ben.get('/api/users/me')).body.name, 'Ben')

  await other.reload()
  await other.getByRole('button', { name: 'Ben' }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByText('You’ve been signed out').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('next'), '/me')
})

test('what came before the console’s code is read, however late the code is', async (t) => {
  const { context } = await world.tab(t, { person: await world.person('Ann') })
  const page = await context.newPage()
  await page.addInitScript(`const limit = new AbortController()
    globalThis.passLimit = () => limit.abort()
    AbortSignal.timeout = () => limit.signal`)
  const letCodeIn = await holdCode(page)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/me', { waitUntil: 'commit' })
  await earlyIsThere(page)
  await page.evaluate('passLimit()')
  letCodeIn()
  await page.getByRole('button', { name: 'Ann' }).waitFor()
  assert.equal(asked.filter((path) => path === '/api/tenant').length, 1)
})

test('somebody who signs in in another tab before the console’s code is there is the one whom the page shows', async (t) => {
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  const { page, context } = await world.tab(t, { person: ann })
  const letCodeIn = await holdCode(page)
  await page.goto('/me', { waitUntil: 'commit' })
  await earlyIsThere(page)
  await page.evaluate(`const channel = new BroadcastChannel('guildhall-session')
    globalThis.heard = new Promise((resolve) => (channel.onmessage = resolve)).then(() => undefined)
    undefined`)
  await signInInAnotherTab(await context.newPage(), ben)
  await page.evaluate('heard')
  letCodeIn()
  await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Ben')
})

test('every page of a signed-in user offers signing out', async (t) => {
  const tess = await world.tenantAdmin()
  const { body: acme } = await tess.post('/api/organizations', { name: 'Acme' })
  const { page, open } = await world.tab(t, { person: tess })
  await open(`/organizations/${acme.slug}`)
  const person = page.getByRole('button', { name: tess.email })
  for (const [start, area] of [
    [`/organizations/${acme.slug}`, `/organizations/${acme.slug}`],
    ['/me', '/me'],
    ['/admin/users', '/admin'],
  ] as const) {
    await open(start)
    const links = page.locator(`nav a[href^="${area}"]`)
    await links.nth(3).waitFor()
    const names = await page.getByRole('navigation').getByRole('link').allInnerTexts()
    assert.equal(new Set(names).size, names.length, `each name is once in ${names}`)
    for (const place of await links.all()) {
      const path = await place.getAttribute('href')
      await place.click()
      await page.locator(`nav a[aria-current=page][href="${path}"]`).first().waitFor() // a page may have tabs, too
      assert.ok(await person.isVisible(), page.url())
    }
  }
  await open(`/admin/users/${tess.id}`)
  await person.click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
})

test('names with markup are shown as text', async (t) => {
  const [name, organization] = ['<img src=x onerror=alert(1)>', '<q>Acme</q> <script>alert(2)</script>']
  const ann = await world.person(name, { email: `${randomBytes(6).toString('hex')}@example.com` })
  const { body } = await ann.post('/api/organizations', { name: organization })
  const email = `${body.id}@example.com`
  await ann.post(`/api/organizations/${body.id}/invites`, { email })
  const { page, open } = await world.tab(t, { person: ann })
  const isInert = async (text: string) => {
    await page.getByRole('main').getByText(text).first().waitFor()
    assert.equal(await page.locator('main q, img[src=x], body script').count(), 0, page.url())
  }
  await open('/organizations')
  await isInert(organization)
  await open(`/organizations/${body.slug}/members`)
  await isInert(name)
  await open(`/organizations/${body.slug}/activity`)
  await isInert(email)
  await world.mailedToken(email, 'invitation')
  await open(`/mailbox#${mailboxKey}`)
  await page.getByRole('button', { name: email }).click()
  await isInert(organization)
  const frame = page.frameLocator('iframe')
  await frame.getByText(organization).first().waitFor()
  assert.equal(await frame.locator('q, img, script').count(), 0)
  assert.doesNotMatch((await page.locator('iframe').getAttribute('sandbox')) ?? 'allow-scripts', /scripts|same-origin/)
})

test('going back after signing out shows nothing of the last user', async (t) => {
  const ann = await world.person('Ann')
  const { page, context, open } = await world.tab(t, { person: ann })
  const signIn = page.getByRole('heading', { name: /^Sign in to/ })
  await open('/me')
  await page.getByLabel('Name', { exact: true }).fill('Not saved')
  const cookies = await context.cookies()
  await context.clearCookies()
  // As a browser caches a page and restores it.
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  assert.equal(await page.getByLabel('Name', { exact: true }).isVisible(), false)
  await page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await signIn.waitFor()
  const shown = await page.content()
  assert.ok(![ann.email, 'Not saved'].some((text) => shown.includes(text)))

  await context.addCookies(cookies)
  await open('/me')
  await page.getByRole('button', { name: 'Ann' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signIn.waitFor()
  await page.goBack()
  await page.waitForURL(/sign-in\?next=/)
  await signIn.waitFor()
  assert.ok(!(await page.content()).includes(ann.email))
})

test('a tab of one tenant is signed out when somebody signs in to another in this browser', async (t) => {
  const { slug } = await world.tenant()
  const [ann, ben] = [await world.person(), await world.person('Ben', { tenant: slug })]
  const { page, context, open } = await world.tab(t, { person: ann })
  await open('/me')
  const other = await context.newPage()
  await other.goto(`/t/${slug}/sign-in`)
  await other.getByLabel('Email').fill(ben.email)
  await other.getByLabel('Password', { exact: true }).fill(password)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()

  await page.getByText('You are signed in to Another Tenant').waitFor()
  await page.getByRole('link', { name: 'Go to Another Tenant' }).click()
  await page.waitForURL(`**/t/${slug}/organizations`)
})

test('the skip link leaves the address as it is, where there may be a token', async (t) => {
  const { page, open } = await world.tab(t)
  const path = `/reset-password#token=ghm_${'0'.repeat(26)}.${'0'.repeat(26)}.${'x'.repeat(43)}`
  await open(path)
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.id === 'content')
  assert.ok(page.url().endsWith(path))
})

test('an address with invalid filters shows the page', async (t) => {
  const ann = await world.person()
  const { page, open } = await world.tab(t, { person: ann })
  for (const day of ['0000-01-01', '9999-12-31', '2024-02-31', 'x']) {
    await open(`/me/activity?from="${day}"&to="${day}"&kinds=constructor`)
    await page.getByText('You signed up').waitFor()
  }
  await page.goto('/t/日本/me')
  await page.getByRole('heading', { name: 'Nothing found at this address' }).waitFor()
})

test('until the console is loaded the page shows our mark, in the chosen color scheme', async (t) => {
  const { page } = await world.tab(t)
  await page.goto('/pages/favicon.svg')
  await page.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'))
  const letCodeIn = await holdCode(page)
  await page.goto('/sign-in', { waitUntil: 'commit' })
  await page.locator('#console > svg').waitFor()
  await page.waitForFunction(() => performance.getEntriesByName('first-paint').length > 0)
  const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  assert.equal(ground, 'rgb(18, 18, 20)')
  letCodeIn()
  await page.getByRole('heading', { name: 'Sign in to Guildhall' }).waitFor()
  assert.equal(await page.locator('#console > svg').count(), 0)
})

test('until a page is loaded, its tab has the name of the tenant', async (t) => {
  const { slug } = await world.tenant()
  await world.postgres.query(`update tenants set name = 'The Shop' where slug = $1`, [slug])
  const { page } = await world.tab(t, { tenant: slug, person: await world.person('Ann', { tenant: slug }) })
  const late = Promise.withResolvers<void>()
  await page.route('**/api/users/me', async (route) => {
    await late.promise
    await route.continue()
  })
  try {
    await page.goto(`/t/${slug}/me/devices`)
    await page.waitForFunction(() => document.title === 'The Shop')
  } finally {
    late.resolve()
  }
  await page.waitForFunction(() => document.title.startsWith('Devices · '))
})

test('a page that cannot be loaded while the service is away says so, and can be tried again', async (t) => {
  const { page, open } = await world.tab(t)
  await open('/sign-in')
  page.removeAllListeners() // Chromium logs what it could not load
  await page.route(/assets\/password-reset|livez/, (route) => route.abort())
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByText('The service can’t be reached').waitFor()
  await page.getByText('Check your connection, then try again.', { exact: true }).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
})

test('a dialog whose code was replaced by an upgrade says that the page is out of date, and how to reload it', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await world.postgres.query(
    `update sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [ann.id],
  )
  await open('/me/security')
  const add = page.getByRole('button', { name: 'Add an authenticator app' })
  await page.route('**/assets/confirm-dialog-*', (route) => route.fulfill({ status: 404 }))
  await add.click()
  await page.getByRole('alert').getByText('This page is out of date').waitFor()
  await check()
  await page.unrouteAll()
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload page' }).click()])
  await add.click()
  await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor()
})

test('a dialog whose code does not come in time is given up, and can be asked for again', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann })
  await world.postgres.query(
    `update sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [ann.id],
  )
  await page.clock.install()
  await open('/me/security')
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  t.after(() => released.resolve())
  await page.route('**/assets/confirm-dialog-*', async (route) => {
    asked.resolve()
    await released.promise
    await route.continue()
  })
  const add = page.getByRole('button', { name: 'Add an authenticator app' })
  await add.click()
  await asked.promise
  await page.clock.fastForward('00:15')
  await page.getByRole('alert').getByText('The service didn’t respond in time').waitFor()
  released.resolve()
  await add.click()
  await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor()
})

test('a page whose code is not there after a reload either says that it is out of date', async (t) => {
  const { page, open, check } = await world.tab(t)
  for (const file of ['password-reset-*.js', 'strangers-*.css']) {
    await open('/sign-in')
    await page.route(`**/assets/${file}`, (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByRole('alert').getByText('This page is out of date').waitFor()
    await check()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Reload page' }).click()
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
  }
})

test('under /t/<slug>/ the console is that tenant’s, with its name, color and people', async (t) => {
  const { slug } = await world.tenant()
  await world.postgres.query(`update tenants set name = 'The Shop', color = '#0f766e' where slug = $1`, [slug])
  const ann = await world.person('Ann', { tenant: slug })
  const { page, open } = await world.tab(t, { tenant: slug, person: ann })

  await open('/me')

  assert.match(page.url(), new RegExp(`/t/${slug}/me$`))
  await page.waitForFunction(() => document.title.endsWith(' · The Shop'))
  await page.waitForFunction(
    () => getComputedStyle(document.documentElement).getPropertyValue('--accent-in-light').trim() === '#0f766e',
  )
  await page.goto('/me') // the default tenant's console, with a cookie of another tenant
  await page.getByRole('heading', { name: 'Sign in to Guildhall' }).waitFor()
})

test('an unknown tenant is said not to exist', async (t) => {
  const { page, check } = await world.tab(t)
  await page.goto('/t/nobody-lives-here/sign-in')
  await page.getByText('“nobody-lives-here” doesn’t exist here.').waitFor()
  await check()
  await page.getByRole('link', { name: 'Go to home page' }).click()
  await page.getByRole('heading', { name: 'Sign in to Guildhall' }).waitFor()
})

test('an unknown address says so', async (t) => {
  const ann = await world.person()
  const { page, open, check } = await world.tab(t, { person: ann })
  for (const path of ['/organizations/nothing-of-this-name', '/admin/users', '/me/nothing']) {
    await open(path)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  }
  await check()
})

test('every page can be reached by keyboard, and the focus moves to its heading', async (t) => {
  const ann = await world.person()
  const { page, open } = await world.tab(t, { person: ann })
  await open('/me')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content')
  const devices = page.getByRole('link', { name: 'Devices' })
  await devices.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
})

test('a tap beside everything leaves what had the focus: when that is gone, nothing calls back', async (t) => {
  const { page, context, open } = await world.tab(t, { person: await world.person('Ann') })
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  t.after(() => devtools.detach())
  await open('/me/security')
  const change = page.getByRole('button', { name: 'Change password' })
  const focus = page.locator(':focus')
  await change.focus()
  await change.and(focus).waitFor()
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 1400, y: 860 }] })
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await focus.waitFor({ state: 'detached' })
  await change.evaluate((element) => element.remove())
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
  assert.equal(await focus.count(), 0)
})

test('the menu of the user changes the color scheme, also by keyboard', async (t) => {
  const { page, open, press } = await world.tab(t, { person: await world.person('Ann') })
  await open('/me/devices')
  await page.getByRole('button', { name: 'Ann' }).focus()
  await press('Enter')
  await page.getByRole('menuitem', { name: 'Profile' }).and(page.locator(':focus')).waitFor()
  const dark = page.getByRole('group', { name: 'Appearance' }).getByRole('menuitemradio', { name: 'Dark' })
  assert.equal(await dark.getAttribute('aria-checked'), 'false')
  for (let step = 0; step < 2; step++) await press('ArrowUp') // over "System"
  await press('Enter')
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  assert.equal(await dark.getAttribute('aria-checked'), 'true')
})

test('on a phone the navigation opens from a bar, and the page does not scroll sideways', async (t) => {
  const ann = await world.person()
  const { page, open, check } = await world.tab(t, { person: ann, width: 390 })
  await open('/organizations')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').waitFor()
  await page.waitForFunction(() => getComputedStyle(document.body).overflow === 'hidden') // the page does not scroll
  await page.getByRole('dialog').getByRole('button', { name: ann.email }).click()
  await page.getByRole('menuitem', { name: 'Devices' }).click()
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await check()
})
