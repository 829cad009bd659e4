/** People on their way into a product that signs them in with Guildhall, in a browser: from a mail, over a provider, in two tabs. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { startProductServer } from '../../test/product-server.ts'
import { startProviderDouble } from '../../test/provider-double.ts'
import { addProvider, enrol, link } from '../../test/sign-in.ts'
import { until } from '../../test/smtp.ts'
import { Client, password } from '../../test/world.ts'

const double = await startProviderDouble()
const world = await createConsoleWorld({ isLocalhost: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })

test('somebody who is invited signs up by the mail, or signs in, and is in the product after this one proof', async (t) => {
  const product = await startProductServer(world, { isHome: true })
  const { ann, dan, id } = await world.organization()
  const { name } = (await ann.get(`/api/organizations/${id}`)).body
  const { page, openMailed, become } = await world.tab(t, { visits: product.origin, width: 390 })
  let proofs = 0
  page.on('request', (request) => {
    if (request.postData()?.includes(password)) proofs++
  })

  const nora = `${randomBytes(5).toString('hex')}@example.com`
  assert.equal((await ann.post(`/api/organizations/${id}/invites`, { email: nora })).status, 201)
  await openMailed(nora, 'invitation')
  await page.getByLabel('Name').fill('Nora')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account and join' }).click()
  await page.getByRole('link', { name: 'Continue to Acme' }).click()
  await page.getByRole('heading', { name: `Hello Nora in ${name}, member` }).waitFor()
  assert.equal(proofs, 1)
  await page.goBack()
  await page.getByRole('link', { name: 'Continue to Acme' }).waitFor()

  await become()
  assert.equal((await ann.post(`/api/organizations/${id}/invites`, { email: dan.email })).status, 201)
  await openMailed(dan.email, 'invitation')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in and join' }).click()
  await page.getByRole('link', { name: 'Continue to Acme' }).click()
  await page.getByRole('heading', { name: `Hello Dan in ${name}, member` }).waitFor()
  assert.equal(proofs, 2)
})

test('a provider and a second factor lead into the product without another click, and Back sends nobody on again', async (t) => {
  const { slug } = await world.tenant()
  const product = await startProductServer(world, { tenant: slug, kind: 'browser' })
  const id = await addProvider(world, double.origin, { name: 'Acme Login' }, slug)
  const ann = await world.person('Ann', { tenant: slug })
  const { code } = await enrol(world, ann)
  double.claims = { email_verified: true, sub: ann.id, email: ann.email }
  assert.equal((await link(double, ann, id, double.claims)).status, 201)
  const { page, check } = await world.tab(t, { visits: [product.origin, double.origin] })
  await page.goto(product.origin)
  await page.getByRole('link', { name: 'Sign in with Guildhall' }).click()
  await page.getByRole('button', { name: 'Continue with Acme Login' }).click()
  await page.getByRole('group', { name: 'Code' }).getByRole('textbox').first().click()
  await page.keyboard.type(code())
  await page.getByRole('heading', { name: 'Hello Ann' }).waitFor()

  await page.goBack()
  await page.getByRole('link', { name: 'Start again' }).waitFor()
  await check()
  await page.reload()
  await page.getByRole('link', { name: 'Start again' }).click()
  await page.getByRole('button', { name: 'Continue as Ann' }).click() // nothing was proven for this request
  await page.getByRole('heading', { name: 'Hello Ann' }).waitFor()
})

test('two tabs are in two organizations of the product, and a suspension at Guildhall ends both', async (t) => {
  const product = await startProductServer(world)
  const { ann, id, slug } = await world.organization()
  const { name } = (await ann.get(`/api/organizations/${id}`)).body
  const { body: other } = await ann.post('/api/organizations', { name: 'Second Wind' })
  const { page: one, context } = await world.tab(t, { person: ann, visits: product.origin })
  const two = await context.newPage()
  await one.goto(`${product.origin}/start?organization=${slug}`)
  await one.getByRole('heading', { name: `Hello Ann in ${name}, owner` }).waitFor()
  await two.goto(`${product.origin}/start?organization=${other.id}`)
  await two.getByRole('heading', { name: 'Hello Ann in Second Wind, owner' }).waitFor()
  await one.reload()
  await one.getByRole('heading', { name: `Hello Ann in ${name}, owner` }).waitFor()

  const tess = await world.tenantAdmin()
  assert.equal((await tess.patch(`/api/admin/users/${ann.id}`, { status: 'suspended' })).status, 200)
  await until(() => product.guests.size === 0, 'the product to be told')
  for (const tab of [one, two]) {
    await tab.reload()
    await tab.getByRole('heading', { name: 'Nobody is here' }).waitFor()
  }
  await one.getByRole('link', { name: 'Sign in with Guildhall' }).click()
  await one.getByLabel('Email').fill(ann.email)
  await one.getByLabel('Password', { exact: true }).fill(password)
  await one.getByRole('button', { name: 'Sign in' }).click()
  await one.getByRole('alert').getByText('This account is suspended').waitFor()
})

test('devices name the products that a session was used for, and the activity what was done through one', async (t) => {
  const product = await startProductServer(world)
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann, visits: product.origin, width: 390 })
  await page.goto(`${product.origin}/start`)
  await page.getByRole('heading', { name: 'Hello Ann' }).waitFor()
  const [guest] = product.guests.values()
  const bearer = new Client(world, { authorization: `Bearer ${guest?.tokens.access_token}` })
  assert.equal((await bearer.patch('/api/users/me', { name: 'Ann Archer' })).status, 200)

  await open('/me/devices')
  const used = page.getByRole('listitem').filter({ hasText: 'Signed in to Acme' })
  await used.getByText('This device').waitFor()
  await check()
  await open('/me/activity')
  await page.getByText('You signed in to the application Acme').waitFor()
  const renamed = page.getByRole('listitem').filter({ hasText: 'You changed your profile' })
  await renamed.getByText('through Acme').waitFor()
  await check()
})
