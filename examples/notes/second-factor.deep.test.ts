/** Notes for people with a second factor, and for those of whom one is required. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { createGuildhall } from '@guildhall/client'
import type { Page } from 'playwright-core'
import { updateTenant } from '../../src/features/tenants/tenants.ts'
import { createConsoleWorld } from '../../test/browser.ts'
import { addPasskey, type Enrolled, enrol, forgetSteps } from '../../test/sign-in.ts'
import { type Person, password } from '../../test/world.ts'
import { bundlePage } from './files.ts'
import { openNotes } from './notes.ts'
import { createNotesServer } from './server.ts'

const world = await createConsoleWorld()
const guildhall = createGuildhall({ url: world.url, retries: 0 })
const notes = openNotes(':memory:')
const files = await bundlePage(world.url)
const server = createNotesServer({ guildhall, accounts: world.url, notes, files }).listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // listens on TCP
await updateTenant(world.database, 'default', { allowedOrigins: [origin] })
after(() => {
  server.closeAllConnections()
  server.close()
  notes.close()
})

test('somebody with a second factor signs in with a code of the app, or with a recovery code', async (t) => {
  const { ann, id } = await world.organization()
  const app = await enrol(world, ann)
  notes.add(id, ann.id, 'Behind two factors')
  const page = await openPage(t)

  await beginSignIn(page, ann)
  const step = page.locator('#second-step')
  await step.getByRole('heading', { name: 'One more step' }).waitFor()
  assert.equal(await page.locator('#sign-in').isVisible(), false)
  assert.equal(await page.evaluate('sessionStorage.length'), 0, 'there is no session yet')
  await continueWith(page, app.recoveryCodes[0]?.replace(/\w$/, (last) => (last === '0' ? '1' : '0')) ?? '')
  await step.getByRole('alert').getByText('The proof is wrong.').waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'code')
  await continueWith(page, totpOf(app))
  await page.getByText('Behind two factors').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  await beginSignIn(page, ann)
  await continueWith(page, app.recoveryCodes[1] ?? '')
  await page.getByText('Behind two factors').waitFor()
})

test('a sign-in whose attempt has ended starts again', async (t) => {
  const { ann } = await world.organization()
  const app = await enrol(world, ann)
  const page = await openPage(t)
  await beginSignIn(page, ann)
  await page.locator('#second-step').waitFor()
  await world.postgres.query('delete from attempts')
  await continueWith(page, totpOf(app))
  await page.locator('#sign-in').getByText('The sign-in has ended.').waitFor()
  await beginSignIn(page, ann)
  await forgetSteps(world)
  await continueWith(page, totpOf(app))
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
})

test('a member without a required second factor is led to where they add one, and signs in with it', async (t) => {
  const { ann, ben, id, path } = await world.organization()
  await enrol(world, ann)
  assert.equal((await ann.patch(path, { secondFactor: 'required' })).status, 200)
  notes.add(id, ann.id, 'For two factors')
  const page = await openPage(t)
  await beginSignIn(page, ben)
  await page.getByText('A second factor is required.').waitFor()
  const link = page.getByRole('link', { name: 'Add an authenticator app' })
  assert.equal(await link.getAttribute('href'), `${world.url}/me/second-factor`)
  assert.equal(await page.getByText('For two factors').count(), 0)
  const refused = await fetch(`${origin}/api/organizations/${id}/notes`, {
    headers: { authorization: `Bearer ${ben.token}` },
  })
  assert.equal(refused.status, 403, 'no outage')
  assert.match(await refused.text(), /"code":"second_factor_required"/)

  const app = await enrol(world, ben) // in another session, as on the linked page
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Your session has ended. Please sign in again.').waitFor()
  await beginSignIn(page, ben)
  await continueWith(page, totpOf(app))
  await page.getByText('For two factors').waitFor()
})

test('somebody whose only second factor is a passkey is told where to add another one', async (t) => {
  const person = await world.person('Pia')
  assert.equal((await addPasskey(person)).answer.status, 201)
  await world.postgres.query("update tenants set second_factor = 'required' where id = $1", [world.tenantId])
  const page = await openPage(t)
  await beginSignIn(page, person)
  const link = page.getByRole('link', { name: 'Notes cannot ask for your passkey.' })
  assert.equal(await link.getAttribute('href'), `${world.url}/me/security`)
})

async function openPage(t: TestContext): Promise<Page> {
  const page = await (await world.tab(t)).context.newPage()
  await page.goto(origin)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  return page
}

async function beginSignIn(page: Page, { email }: Person): Promise<void> {
  const form = page.locator('#sign-in')
  await form.getByLabel('Email').fill(email)
  await form.getByLabel('Password').fill(password)
  await form.getByRole('button').click()
}

async function continueWith(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code of your authenticator app').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** As people copy it: in two groups. */
function totpOf(app: Enrolled): string {
  return app.code().replace(/^.../, '$& ')
}
