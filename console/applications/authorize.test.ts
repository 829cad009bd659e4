/** Signing in to an application, in a browser: each step that may be missing, and back to the application. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { codeAt } from '../../src/domain/credentials/totp.ts'
import { createConsoleWorld } from '../../test/browser.ts'
import { broughtBack, type Product, startProduct } from '../../test/product.ts'
import { startProviderDouble } from '../../test/provider-double.ts'
import { addProvider, forgetSteps, link } from '../../test/sign-in.ts'
import { password } from '../../test/world.ts'

const double = await startProviderDouble()
const world = await createConsoleWorld({ isLocalhost: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const { query } = world.postgres
const someone = () => `${randomBytes(5).toString('hex')}@example.com`

/** The browser is back at the product, with a code. */
async function isBack(page: Page, { redirectUri }: Product): Promise<void> {
  await page.waitForURL((url) => url.href.startsWith(`${redirectUri}?`))
  assert.match(broughtBack(page.url()).code ?? '', /^ghc_/)
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByRole('group', { name: 'Code' }).getByRole('textbox').first().click()
  await page.keyboard.type(code)
}

test('somebody who is signed out signs in on the page of the application, and comes back to it with a code', async (t) => {
  const product = await startProduct(world)
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { visits: product.origin, width: 390 })
  await open(product.signIn({ login_hint: ann.email }))
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  await page.getByText('to continue to Acme', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Email').inputValue(), ann.email)
  const cancel = await page.getByRole('link', { name: 'Cancel and go back to Acme' }).getAttribute('href')
  assert.equal(broughtBack(cancel ?? '').error, 'access_denied')
  await check()
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Incorrect email or password. Check both and try again.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await isBack(page, product)

  await open(product.signIn())
  await isBack(page, product) // from now on without a page
  await page.goBack()
  assert.ok(!page.url().includes('/authorize'), 'the page of the request is not in the history')
})

test('somebody new signs up, and the page goes on by itself once the address is verified', async (t) => {
  const product = await startProduct(world)
  const email = someone()
  const { page, context, open, check } = await world.tab(t, { visits: product.origin, width: 390 })
  await open(product.signIn({ prompt: 'create' }))
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await page.getByText('to continue to Acme', { exact: true }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Name').fill('Nora')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Verify your email address' }).waitFor()
  await page.getByText(`open the link we sent to ${email}`).waitFor()
  await check()
  await page.getByRole('button', { name: 'Send a new link' }).click()
  await page.getByText(`A new link is on its way to ${email}.`).waitFor()
  const other = await context.newPage()
  await other.goto(`/verify-email#token=${await world.mailedToken(email, 'verify-email')}`)
  await other.getByText(`You sign in with ${email}.`).waitFor()
  await isBack(page, product)
})

test('an application that asks for a new proof gets one, also of another account', async (t) => {
  const product = await startProduct(world)
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  const { page, open, check } = await world.tab(t, { person: ann, visits: product.origin })
  await open(product.signIn({ prompt: 'login' }))
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor()
  await page.getByText(ann.email).waitFor()
  await page.getByLabel('Password', { exact: true }).waitFor()
  await check()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await isBack(page, product)

  await open(product.signIn({ prompt: 'login' }))
  await page.getByRole('button', { name: 'Use another account' }).click()
  await signIn(page, ben.email)
  await isBack(page, product)
})

test('an application that asks who is signed in gets a click, and nobody is sent on without it', async (t) => {
  const product = await startProduct(world)
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  const { page, open, check } = await world.tab(t, { person: ann, visits: product.origin, width: 390 })
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await open(product.signIn({ prompt: 'select_account' }))
  const go = page.getByRole('button', { name: 'Continue as Ann' })
  await go.waitFor()
  await check()
  assert.ok(!sent.includes('POST /api/auth/authorize'))
  await go.click()
  await isBack(page, product)

  await open(product.signIn({ prompt: 'select_account' }))
  await page.getByRole('button', { name: 'Use another account' }).click()
  await signIn(page, ben.email)
  await isBack(page, product) // without another click
})

test('a click for somebody who is not signed in any more sends nobody on, and the page says who is signed in', async (t) => {
  const product = await startProduct(world)
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  const { page, context, open } = await world.tab(t, { person: ann, visits: product.origin })
  await open(product.signIn({ prompt: 'select_account' }))
  const go = page.getByRole('button', { name: 'Continue as Ann' })
  await go.waitFor()
  const { origin: url } = new URL(page.url())
  // As another tab does; this one could not read it.
  await context.addCookies([{ name: 'guildhall', value: ben.token, url, httpOnly: true, sameSite: 'Lax' }])
  await go.click()
  await page.getByRole('button', { name: 'Continue as Ben' }).click()
  await isBack(page, product)
})

test('an app on the device is opened after a click', async (t) => {
  const product = await startProduct(world, { kind: 'native', redirectUris: ['com.acme.app:/callback'] })
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann, visits: 'com.acme.app:' })
  await open(product.signIn({ redirect_uri: 'com.acme.app:/callback' }))
  await page.getByRole('button', { name: 'Continue as Ann' }).click()
  const link = page.getByRole('link', { name: 'Open Acme' })
  assert.match((await link.getAttribute('href')) ?? '', /^com\.acme\.app:\/callback\?.*code=ghc_/)
  await check()
})

test('a second factor is asked for, and set up first by somebody who has none', async (t) => {
  const product = await startProduct(world)
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann, visits: product.origin })
  await open(product.signIn({ acr_values: 'aal2' }))
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
  await page.getByText('You need one to continue to Acme.').waitFor()
  await page.getByRole('button', { name: 'Add an authenticator app' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const secret = (await page.getByRole('dialog').getByRole('code').textContent()) ?? ''
  await typeCode(page, codeAt(secret, Math.floor(Date.now() / 30_000)))
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByRole('heading', { name: 'You have a second factor' }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await isBack(page, product)

  await query('update sessions set assurance = 1 where user_id = $1', [ann.id])
  await forgetSteps(world)
  await open(product.signIn({ acr_values: 'aal2' }))
  await page.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await typeCode(page, codeAt(secret, Math.floor(Date.now() / 30_000)))
  await isBack(page, product)
})

test('somebody who leaves the page for their authenticator app, and for where they save the codes, finds it as it was', async (t) => {
  const product = await startProduct(world)
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann, visits: product.origin, width: 390 })
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const comeBack = async () => {
    const read = page.waitForResponse('**/api/auth/authorize/preview')
    await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await (await read).finished()
  }
  const asksToUnload = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))
  await open(product.signIn({ acr_values: 'aal2' }))
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const dialog = page.getByRole('dialog')
  const secret = (await dialog.getByRole('code').textContent()) ?? ''
  await comeBack()
  await typeCode(page, codeAt(secret, Math.floor(Date.now() / 30_000)))
  await dialog.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await comeBack()
  assert.equal(await asksToUnload(), true)
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await asksToUnload(), false)
  assert.ok(!sent.includes('POST /api/auth/authorize'))
  await page.getByRole('button', { name: 'Continue' }).click()
  await isBack(page, product)
})

test('people choose one of their organizations, accept an invitation, or create the first', async (t) => {
  const product = await startProduct(world, { chooseOrganization: true })
  const { ann, id } = await world.organization()
  const nora = await world.person('Nora')
  const { page, open, become, check } = await world.tab(t, { person: nora, visits: product.origin, width: 390 })
  await open(product.signIn())
  await page.getByRole('heading', { name: 'Create your organization' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByText('This field is required.').waitFor()
  await page.getByLabel('New organization').fill('Nora’s bakery')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await isBack(page, product)

  const long = 'Donaudampfschifffahrtsgesellschaft 株式会社東京通信工業 شركة الاتصالات المتحدة'
  await ann.post('/api/organizations', { name: long })
  await become(ann)
  await open(product.signIn())
  await page.getByRole('heading', { name: 'Choose an organization' }).waitFor()
  await check()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await page.getByRole('list', { name: 'Your organizations' }).getByRole('button', { name: long }).click()
  await isBack(page, product)

  const dan = await world.person('Dan')
  assert.equal((await ann.post(`/api/organizations/${id}/invites`, { email: dan.email })).status, 201)
  await become(dan)
  await open(product.signIn())
  await page.getByText('You are invited to').waitFor()
  await check()
  await page.getByRole('button', { name: /^Accept/ }).click()
  await isBack(page, product)
})

test('the chosen organization is busy while the request is answered, and keeps the focus when that is refused', async (t) => {
  const released = Promise.withResolvers<void>()
  t.after(() => released.resolve())
  const product = await startProduct(world, { chooseOrganization: true })
  const { ann, dan, id } = await world.organization()
  await dan.post('/api/organizations', { name: 'Northwind' })
  await dan.post('/api/organizations', { name: 'Southwind' })
  assert.equal((await ann.post(`/api/organizations/${id}/invites`, { email: dan.email })).status, 201)
  const { page, open, check } = await world.tab(t, { person: dan, visits: product.origin, width: 390 })
  await open(product.signIn())
  const accept = page.getByRole('button', { name: /^Accept/ })
  await accept.waitFor()
  await page.route('**/api/auth/authorize', async (route) => {
    await released.promise
    await route.fulfill({ status: 429, json: { code: 'rate_limited' } })
  })
  const choice = page.getByRole('list', { name: 'Your organizations' }).getByRole('button', { name: 'Northwind' })
  const focused = choice.and(page.locator(':focus'))
  await choice.click()
  await focused.and(page.locator('[aria-busy=true]')).waitFor()
  for (const name of ['Southwind', /^Accept/, 'Create organization'])
    assert.ok(await page.getByRole('button', { name }).isDisabled(), String(name))
  await check()
  released.resolve()
  await page.getByRole('alert').getByText('Too many attempts').waitFor()
  await focused.and(page.locator(':not([aria-busy])')).waitFor()
  assert.ok(await accept.isEnabled())
  await page.unroute('**/api/auth/authorize')
  await page.keyboard.press('Enter')
  await isBack(page, product)
})

test('an organization that requires a second factor asks for it after it was chosen, and is not chosen again', async (t) => {
  const product = await startProduct(world, { chooseOrganization: true })
  const { cleo, id } = await world.organization()
  await cleo.post('/api/organizations', { name: 'Another' })
  await query(`update organizations set second_factor = 'required' where id = $1`, [id])
  const { page, open } = await world.tab(t, { person: cleo, visits: product.origin })
  const name = (await query<{ name: string }>('select name from organizations where id = $1', [id]))[0]?.name ?? ''
  await open(product.signIn())
  await page.getByRole('list', { name: 'Your organizations' }).getByRole('button', { name }).click()
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const secret = (await page.getByRole('dialog').getByRole('code').textContent()) ?? ''
  await typeCode(page, codeAt(secret, Math.floor(Date.now() / 30_000)))
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await isBack(page, product)
})

test('where the application names an organization, the page says who is not a member, and offers another account', async (t) => {
  const product = await startProduct(world)
  const { ann, dan, slug } = await world.organization()
  const { page, open, check } = await world.tab(t, { person: dan, visits: product.origin, width: 390 })
  await open(product.signIn({ organization: slug }))
  await page.getByRole('heading', { name: 'You are not a member' }).waitFor()
  await page.getByText(`Acme wants the organization “${slug}”`).waitFor()
  await page.getByText(dan.email).waitFor()
  await check()
  await page.getByRole('button', { name: 'Use another account' }).click()
  await signIn(page, ann.email)
  await isBack(page, product)
})

test('a visit to a provider answers the request without a click, if it began on the page of the request', async (t) => {
  const product = await startProduct(world, { kind: 'browser' })
  const id = await addProvider(world, double.origin)
  const ann = await world.person('Ann')
  assert.equal((await link(double, ann, id, { sub: ann.id, email: ann.email })).status, 201)
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const { page, open, become } = await world.tab(t, { visits: [product.origin, double.origin] })
  double.claims = { email_verified: true, sub: ann.id, email: ann.email }
  await open(product.signIn())
  const { pathname, search } = new URL(page.url())
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await isBack(page, product)

  await become()
  await open(`/sign-in?${new URLSearchParams({ next: pathname + search })}`) // anybody may have made this link
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByRole('button', { name: 'Continue as Ann' }).waitFor()
})

test('a request that is over leads to where the application begins, with the issuer, and a tab without one to signing in', async (t) => {
  const product = await startProduct(world)
  const start = `${product.origin}/start?${new URLSearchParams({ iss: product.issuer })}`
  const { page, open, check } = await world.tab(t, { visits: product.origin })
  await open(product.signIn())
  await page.getByRole('link', { name: 'Cancel and go back to Acme' }).click()
  await page.waitForURL((url) => url.searchParams.get('error') === 'access_denied')
  await page.goBack()
  await page.getByRole('link', { name: 'Start again' }).click() // the application has its answer
  await page.waitForURL(start)

  await open(product.signIn())
  const { href } = new URL(page.url())
  const { status } = await (await world.tenantAdmin()).patch(`/api/admin/applications/${product.id}`, {
    redirectUris: [`${product.origin}/another`],
  })
  assert.equal(status, 200)
  await page.goto(href)
  await page.getByRole('heading', { name: 'Start again' }).waitFor()
  await check()
  await page.getByRole('link', { name: 'Start again' }).click()
  await page.waitForURL(start)

  await open('/authorize')
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
})

test('without a connection the page says so, and goes on with it', async (t) => {
  const product = await startProduct(world)
  const ann = await world.person('Ann')
  const { page, context, open } = await world.tab(t, { person: ann, visits: product.origin })
  await open(product.signIn({ prompt: 'select_account' }))
  const go = page.getByRole('button', { name: 'Continue as Ann' })
  await go.waitFor()
  await context.setOffline(true)
  await go.click()
  await page.getByRole('alert').getByText('You’re offline').waitFor()
  await context.setOffline(false)
  await go.click()
  await isBack(page, product)
})

test('what an application asks wrongly is said on a page that anybody can read', async (t) => {
  const product = await startProduct(world)
  const { page, open, check } = await world.tab(t, { width: 390, scheme: 'dark' })
  const developer = page.getByRole('region', { name: 'For the product’s developer' })
  for (const [asked, said] of [
    [{ redirect_uri: 'https://elsewhere.example/' }, 'redirect_uri: The application has no such redirect URI.'],
    [{ client_id: 'app_unknown' }, 'client_id: No application has this id'],
  ] as const) {
    await open(product.signIn(asked))
    await page.getByRole('heading', { name: 'The product has sent a request that we cannot answer' }).waitFor()
    assert.equal(await page.title(), 'The product has sent a request that we cannot answer · Guildhall')
    await page.getByText('Nothing is wrong with your account. Go back to the product and try again.').waitFor()
    assert.ok((await developer.textContent())?.includes(said))
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
    await check()
  }
})
