/** Signing out of an application, and the ways on to the home application: from mails, and from one's account. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { broughtBack, type Product, startProduct } from '../../test/product.ts'
import { type Json, type Person, password } from '../../test/world.ts'

const world = await createConsoleWorld({ isLocalhost: true })
const someone = () => `${randomBytes(5).toString('hex')}@example.com`

/** An ID token of the newest session of a person. */
async function idTokenOf({ id, issuer }: Product, person: Person): Promise<string> {
  const { body } = await person.get('/api/users/me/devices')
  const { id: sid } = body.data.find(({ current }: Json) => !current) ?? body.data[0]
  const claims = { iss: issuer, aud: id, sub: person.id, sid, exp: 1 }
  return world.app.signer.sign(world.tenantId, undefined, 'JWT', claims)
}

test('an application that means this session signs out at once, and gets the browser back', async (t) => {
  const product = await startProduct(world)
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann, visits: product.origin })
  const hint = { id_token_hint: await idTokenOf(product, ann), post_logout_redirect_uri: `${product.origin}/goodbye` }
  await page.goto(product.signOut({ ...hint, state: 'bye' }))
  await page.waitForURL(`${product.origin}/goodbye?state=bye`)
  await open('/me')
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
})

test('an application that expects somebody else gets them once they have signed in, without another click', async (t) => {
  const product = await startProduct(world)
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  const { page, open } = await world.tab(t, { person: ann, visits: product.origin })
  await open(product.signIn({ id_token_hint: await idTokenOf(product, ben) }))
  await page.getByText(ann.email).waitFor()
  await page.getByLabel('Email').fill(ben.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.href.startsWith(`${product.redirectUri}?`))
  assert.match(broughtBack(page.url()).code ?? '', /^ghc_/)
})

test('anybody else only asks to sign out: the person decides, and stays here if no address is known', async (t) => {
  const product = await startProduct(world)
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann, visits: product.origin, width: 390 })
  await open(product.signOut({ post_logout_redirect_uri: 'https://elsewhere.example/' }))
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
  await page.getByText(/^Acme wants to sign you out/).waitFor()
  await check()
  await page.getByRole('link', { name: 'Stay signed in' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()

  await open(product.signOut({ post_logout_redirect_uri: 'https://elsewhere.example/' }))
  await page.getByText(ann.email).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await check()
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
})

test('pages of mails lead on to the home application, and one’s account leads back to it', async (t) => {
  const home = await startProduct(world, { isHome: true })
  const { ann, id, slug } = await world.organization()
  const start = (more = '') => `${home.origin}/start?iss=${encodeURIComponent(home.issuer)}${more}`
  const { page, open, openMailed, become, check } = await world.tab(t, { visits: home.origin, width: 390 })
  const go = page.getByRole('link', { name: 'Continue to Acme' })

  const email = someone()
  assert.equal((await ann.post(`/api/organizations/${id}/invites`, { email })).status, 201)
  await openMailed(email, 'invitation')
  await page.getByLabel('Name').fill('Nora')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account and join' }).click()
  await page.getByRole('heading', { name: /^You joined / }).waitFor()
  await check()
  assert.equal(await go.getAttribute('href'), start(`&organization=${id}`))
  await page.reload()
  await go.click()
  await page.waitForURL(start(`&organization=${id}`))
  await page.goBack()
  await page.getByRole('link', { name: /^View .* here$/ }).click()
  await page.waitForURL(`**/organizations/${slug}`)

  const ben = await world.person('Ben', { verified: false })
  await become(ben)
  await openMailed(ben.email, 'verify-email')
  await page.getByText(`You sign in with ${ben.email}.`).waitFor()
  assert.equal(await go.getAttribute('href'), start())
  await check()

  await world.nobody.post('/api/auth/forgot-password', { email: ben.email })
  await openMailed(ben.email, 'reset-password')
  await page.getByLabel('New password').fill(`${password} anew`)
  await page.getByRole('button', { name: 'Set password' }).click()
  await go.waitFor()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  assert.equal(await go.getAttribute('href'), start())
  await check()

  await become(ann)
  await page.setViewportSize({ width: 1440, height: 900 })
  await open('/me')
  await page.getByRole('link', { name: 'Back to Acme' }).click()
  await page.waitForURL(start())
})
