/** Sign-in providers: their pages for tenant admins, and signing in through one in a browser. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld, namesBesidePasswords } from '../../test/browser.ts'
import { type Double, startProviderDouble } from '../../test/provider-double.ts'
import { addProvider, link, mailedCode } from '../../test/sign-in.ts'
import { type Json, password } from '../../test/world.ts'

const double = await startProviderDouble()
const world = await createConsoleWorld({ isLocalhost: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })

/** Signs somebody in at the provider as soon as a browser comes there. @param changes of what the browser brings back */
function answerAs(claims: Json, changes: Double['changes'] = () => {}): void {
  double.claims = { email_verified: true, ...claims }
  double.changes = changes
}

/** The person says no at the provider. */
function cancel(back: URLSearchParams): void {
  back.delete('code')
  back.set('error', 'access_denied')
}

const someone = () => `${randomBytes(5).toString('hex')}@example.com`
const organizations = (page: Page) => page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()

test('a tenant admin adds a provider, tries it, changes it and deletes it', async (t) => {
  const tess = await world.tenantAdmin()
  const { page, open, check } = await world.tab(t, { person: tess, visits: double.origin })
  await open('/admin/providers')
  await page.getByText('No providers yet').waitFor()
  await check()
  await page.getByRole('button', { name: 'Add provider' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Provider', { exact: true }).selectOption('microsoft')
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Microsoft')
  await dialog.getByLabel('Microsoft directory').waitFor()
  await dialog.getByLabel('Provider', { exact: true }).selectOption('oidc')
  await dialog.getByLabel('Name').fill('Acme Login')
  await dialog.getByLabel('Issuer').fill('login.example.com')
  await dialog.getByLabel('Client ID').fill('guildhall')
  await dialog.getByLabel('Client secret').fill('a-secret-of-the-client')
  await check()
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await dialog.getByLabel('Issuer').and(page.locator('[aria-invalid=true]')).waitFor()
  await dialog.getByLabel('Issuer').fill(double.origin)
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await page.getByRole('heading', { name: 'Acme Login', level: 1 }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1)
  await page.getByText(`/sign-in/callback/${id}`).waitFor()
  await check()

  answerAs({ sub: 'tess', email: tess.email })
  await page.getByRole('button', { name: 'Link my account' }).click()
  await page.waitForURL('**/me/security')
  await page.getByRole('list', { name: 'Linked accounts' }).getByText('Acme Login').waitFor()
  await page.getByRole('button', { name: 'Link another Acme Login account' }).waitFor()
  await check()

  const ann = await world.person('Ann')
  assert.equal((await link(double, ann, id ?? '', { sub: ann.id, email: ann.email })).status, 201)
  await world.postgres.query('update users set password_hash = null where id = $1', [ann.id])
  await open(`/admin/providers/${id}`)
  await page.getByText('2 linked accounts', { exact: false }).first().waitFor()
  const warning = page.getByText('1 person has no other way to sign in')
  assert.equal(await warning.count(), 0)
  await page.getByRole('switch', { name: 'Enabled' }).uncheck()
  await warning.waitFor()
  await check()
  await page.getByLabel('Name').fill('Acme')
  await page.getByRole('button', { name: 'Save' }).click()
  const saved = page.getByText('Acme was saved.')
  await saved.waitFor()
  // The message would go by itself too, some time.
  await page.evaluate(() => {
    for (const button of document.querySelectorAll<HTMLElement>('[role=alert] button')) button.click()
  })
  await saved.waitFor({ state: 'detached' })
  await page.getByText('Enable it first.').waitFor()
  await page.getByLabel('New client secret').fill('another-secret')
  await page.getByRole('button', { name: 'Replace secret' }).click()
  await saved.waitFor()
  const { body } = await tess.get(`/api/admin/providers/${id}`)
  assert.deepEqual([body.name, body.enabled, body.hasSecret], ['Acme', false, true])

  await page.getByRole('button', { name: 'Delete provider…' }).click()
  await dialog.getByText('1 person has no other way to sign in').waitFor()
  await dialog.getByLabel('Type Acme to confirm').fill('Google')
  await dialog.getByRole('button', { name: 'Delete provider' }).click()
  await dialog.getByText('This doesn’t match the name of the provider.').waitFor()
  await dialog.getByLabel('Type Acme to confirm').fill('Acme')
  await dialog.getByRole('button', { name: 'Delete provider' }).click()
  await page.getByText('No providers yet').waitFor()
})

test('somebody new signs up through a provider, and comes to the page that they wanted', async (t) => {
  const id = await addProvider(world, double.origin, {
    name: `Login ${randomBytes(4).toString('hex')}`,
    trustsEmail: true,
  })
  const { name, callbackUrl } = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body
  const { page, open, check } = await world.tab(t, { visits: double.origin, width: 390 })
  const pages: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/auth/sign-in/continue'))
      pages.push(JSON.parse(request.postData() ?? '').callback.redirectUri)
  })
  answerAs({ sub: randomBytes(4).toString('hex'), email: someone(), name: 'Nora' })
  await open('/sign-in?next=/me/devices')
  await check()
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/me/devices')
  assert.deepEqual(pages, [callbackUrl], 'the page says where the browser came back')
  await open('/me')
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Nora')
  assert.ok(!page.url().includes('code='))
})

test('an invited person signs up through a provider, comes back to the invitation, and joins with a verified address', async (t) => {
  const acme = await world.organization()
  const id = await addProvider(world, double.origin, { name: `Login ${randomBytes(4).toString('hex')}` })
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const email = someone()
  assert.equal((await acme.ann.post(`${acme.path}/invites`, { email, role: 'member' })).status, 201)
  const { page, openMailed, check } = await world.tab(t, { visits: double.origin, width: 390 })
  const answer = { sub: randomBytes(4).toString('hex'), email, email_verified: false, name: 'Nora' }
  let isRefused = true
  answerAs(answer, (back) => {
    if (isRefused) cancel(back)
  })
  await openMailed(email, 'invitation')
  await check()
  assert.equal(
    await page.getByRole('button', { name: 'Continue with a passkey' }).count(),
    0,
    'there is no account yet',
  )
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByRole('button', { name: 'Start again' }).click()
  isRefused = false
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByRole('button', { name: 'Accept invitation' }).click()
  await page.waitForURL((url) => url.pathname === `/organizations/${acme.slug}` && url.hash === '')
  assert.equal(await page.evaluate(() => sessionStorage.getItem('guildhall-provider-visit')), null)
  const { body } = await acme.ann.get(`${acme.path}/members?query=${email}`)
  assert.equal(body.data[0].user.name, 'Nora')
  const [user] = await world.postgres.query<{ verified: boolean }>(
    'select email_verified as verified from users where email = $1',
    [email],
  )
  assert.ok(user?.verified, 'the token of the invitation proves the address')
})

test('somebody who signs in through a provider verifies a new address: the browser comes back to its link', async (t) => {
  const id = await addProvider(world, double.origin)
  const ann = await world.person('Ann')
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  assert.equal((await link(double, ann, id, { sub: ann.id, email: ann.email })).status, 201)
  const email = someone()
  await ann.patch('/api/users/me', { email, currentPassword: password })
  await world.postgres.query('update users set password_hash = null where id = $1', [ann.id])
  const { page, openMailed, check } = await world.tab(t, { visits: double.origin })
  answerAs({ sub: ann.id, email: ann.email })
  await openMailed(email, 'verify-email')
  await check()
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByRole('heading', { name: `Your address is now ${email}` }).waitFor()
  assert.equal(new URL(page.url()).hash, '')
})

test('an address that has an account is linked only after its owner has proven it', async (t) => {
  const id = await addProvider(world, double.origin)
  const ann = await world.person('Ann')
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const { page, open, check } = await world.tab(t, { visits: double.origin })
  answerAs({ sub: ann.id, email: ann.email })
  await open('/sign-in')
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByText(`${ann.email} has an account here`).waitFor()
  await check()
  assert.deepEqual(await namesBesidePasswords(page), [ann.email], 'for password managers')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Password', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await organizations(page)
  const { body } = await ann.get('/api/users/me/identities')
  assert.deepEqual(
    body.data.map(({ provider }: Json) => provider.id),
    [id],
  )
})

test('an account without a password is linked by a mailed code', async (t) => {
  const id = await addProvider(world, double.origin)
  const ann = await world.person('Ann')
  await world.postgres.query('update users set password_hash = null where id = $1', [ann.id])
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const { page, open, check } = await world.tab(t, { visits: double.origin, width: 390 })
  answerAs({ sub: ann.id, email: ann.email })
  await open('/sign-in?next=/me/security')
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByText(`${ann.email} has an account here`).waitFor()
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText('Enter the code from the email.').waitFor()
  await check()
  await page.getByRole('textbox', { name: 'Digit 1 of 6' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(await mailedCode(world, ann.email))
  await page.getByRole('list', { name: 'Linked accounts' }).getByText(name).waitFor()
})

test('linking an unverified account says that its password stops working', async (t) => {
  const id = await addProvider(world, double.origin, { trustsEmail: true })
  const ann = await world.person('Ann', { verified: false })
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const { page, open, check } = await world.tab(t, { visits: double.origin })
  answerAs({ sub: ann.id, email: ann.email })
  await open('/sign-in')
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByText('If it has a password, that password stops working.').waitFor()
  await check()
})

test('a long name of a provider is wrapped in its button', async (t) => {
  const { slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const name = 'Donaudampfschifffahrtsgesellschaft mit beschränkter Haftung'
  const provider = { type: 'oidc', name, issuer: double.origin, clientId: 'guildhall' }
  assert.equal((await tess.post('/api/admin/providers', provider)).status, 201)
  const { page, open } = await world.tab(t, { tenant: slug, width: 390 })
  await open('/sign-in')
  const button = page.getByRole('button', { name: `Continue with ${name}` })
  assert.deepEqual(
    await button.evaluate((node) => [node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight]),
    [0, 0],
  )
})

test('where a tab may store nothing, the page says what to allow before anybody is sent to a provider', async (t) => {
  const id = await addProvider(world, double.origin, { name: `Login ${randomBytes(4).toString('hex')}` })
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const { page, open } = await world.tab(t)
  await open('/sign-in')
  await page.evaluate(`try { for (let n = 0; ; n++) sessionStorage.setItem(n, 'x'.repeat(2 ** 16)) } catch {}
    try { for (let n = 0; ; n++) sessionStorage.setItem('-' + n, 'x'.repeat(64)) } catch {}`)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByRole('alert').getByText('Your browser doesn’t store anything for this site').waitFor()
  assert.deepEqual(sent, [])
})

test('a refused or a foreign answer of a provider is said in our words', async (t) => {
  const id = await addProvider(world, double.origin)
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const { page, open, check } = await world.tab(t, { visits: double.origin })
  answerAs({ sub: 'x', email: someone() }, (back) => {
    cancel(back)
    back.set('error_description', 'Words of somebody else')
  })
  await open('/sign-in')
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByText('The other service didn’t sign you in').waitFor()
  assert.equal(await page.getByText('Words of somebody else').count(), 0)
  await check()
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()

  await open(`/sign-in/callback/${id}?code=stolen&state=stolen`)
  await page.getByText('This sign-in was started in another tab').waitFor()
  await check()
})

test('somebody who cancels at a provider starts again, and still comes to the page that they wanted', async (t) => {
  const id = await addProvider(world, double.origin)
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const { page, open } = await world.tab(t, { visits: double.origin })
  const answer = { sub: randomBytes(4).toString('hex'), email: someone() }
  answerAs(answer, cancel)
  await open('/sign-in?next=/me/devices')
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
  answerAs(answer)
  await page.getByRole('button', { name: `Continue with ${name}` }).click()
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
})

test('if linking fails, the page says so of the linking, and leads back to where it was begun', async (t) => {
  const id = await addProvider(world, double.origin)
  const tess = await world.tenantAdmin()
  const { name } = (await tess.get(`/api/admin/providers/${id}`)).body
  const { page, open, check } = await world.tab(t, { person: tess, visits: double.origin })
  for (const [path, button, heading] of [
    ['/me/security', `Link ${name}`, 'Security'],
    [`/admin/providers/${id}`, 'Link my account', name],
  ] as const) {
    answerAs({ sub: tess.id, email: tess.email }, cancel)
    await open(path)
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.getByRole('heading', { name: 'The account couldn’t be linked', level: 1 }).waitFor()
    assert.equal(await page.getByText('You couldn’t be signed in').count(), 0)
    await check()
    await page.getByRole('button', { name: 'Go back' }).click()
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    assert.equal(new URL(page.url()).pathname, path)
  }
})

test('a tenant admin unlinks an account of a user, who keeps a way in', async (t) => {
  const id = await addProvider(world, double.origin)
  const [tess, ann] = [await world.tenantAdmin(), await world.person('Ann')]
  const { body: linked } = await link(double, ann, id, { sub: ann.id, email: ann.email })
  const { page, open, check } = await world.tab(t, { person: tess })
  await open(`/admin/users/${ann.id}`)
  const unlink = page.getByRole('button', { name: `Unlink ${linked.provider.name}` })
  const dialog = page.getByRole('dialog')
  const [kept] = await world.postgres.query<{ hash: string }>('select password_hash as hash from users where id = $1', [
    ann.id,
  ])
  await world.postgres.query('update users set password_hash = null where id = $1', [ann.id])
  await unlink.click()
  await dialog.getByRole('button', { name: 'Unlink' }).click()
  await dialog.getByText('They wouldn’t be able to sign in any more.').waitFor()
  await check()
  await world.postgres.query('update users set password_hash = $2 where id = $1', [ann.id, kept?.hash])
  await dialog.getByRole('button', { name: 'Unlink' }).click()
  await unlink.waitFor({ state: 'detached' })
  assert.deepEqual((await ann.get('/api/users/me/identities')).body.data, [])
})

test('pages on another host move to the one to which providers send the browser back', async (t) => {
  const id = await addProvider(world, double.origin)
  const name = (await (await world.tenantAdmin()).get(`/api/admin/providers/${id}`)).body.name
  const { page } = await world.tab(t, { visits: world.url })
  await page.goto(`${world.url}/sign-in?next=/me/devices`)
  const go = page.getByRole('button', { name: `Continue with ${name}` })
  await go.waitFor()
  // A browser refuses the passkeys of another host.
  assert.equal(await page.getByRole('button', { name: 'Continue with a passkey' }).count(), 0)
  const hint = page.getByRole('link', { name: /^Open http:\/\/localhost:\d+ to use passkeys$/ })
  const there = new URL((await hint.getAttribute('href')) ?? '')
  assert.deepEqual(
    [there.hostname, there.pathname, there.searchParams.get('next')],
    ['localhost', '/sign-in', '/me/devices'],
  )
  await go.click()
  await page.waitForURL((url) => url.hostname === 'localhost')
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
  await page.getByRole('button', { name: 'Continue with a passkey' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('next'), '/me/devices')
})
