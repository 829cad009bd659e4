/** Notes in an organization that requires a second factor. Guildhall's pages ask for it, and Notes sends people there. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { codeAt } from '../../src/domain/credentials/totp.ts'
import { createConsoleWorld } from '../../test/browser.ts'
import { enrol, forgetSteps } from '../../test/sign-in.ts'
import { type Person, password } from '../../test/world.ts'
import { startNotes } from './testing.ts'

const world = await createConsoleWorld({ isLocalhost: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const { origin, notes, signInAs, ask } = await startNotes(world)

test('a member without a required second factor adds one at Guildhall, and comes back to the organization', async (t) => {
  const { ben, id, slug } = await requiring()
  const page = await openNotes(t, ben)
  await page.getByText('A second factor is required.').waitFor()
  assert.equal(await page.getByText('For two factors').count(), 0)
  const refused = await ask('GET', `/api/organizations/${id}/notes`, await signInAs(ben))
  assert.deepEqual([refused.status, refused.body.code], [403, 'second_factor_required'], 'no outage')

  await page.getByRole('link', { name: 'Confirm with a second factor' }).click()
  await page.getByText('You need one to continue to Notes.').waitFor()
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const secret = (await page.getByRole('dialog').getByRole('code').textContent()) ?? ''
  await typeCode(page, codeAt(secret, Math.floor(Date.now() / 30_000)))
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('For two factors').waitFor()
  assert.equal(new URL(page.url()).hash, `#${slug}`)
})

test('somebody with a second factor signs in with its code, and confirms by it if the session has one factor', async (t) => {
  const { ann, app } = await requiring()
  const page = await openNotes(t)
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await typeCode(page, app.code())
  await page.getByText('For two factors').waitFor()

  await world.postgres.query('update sessions set assurance = 1 where user_id = $1', [ann.id])
  await forgetSteps(world)
  await page.reload()
  await page.getByRole('link', { name: 'Confirm with a second factor' }).click()
  await page.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await typeCode(page, app.code())
  await page.getByText('For two factors').waitFor()
})

/** An organization that requires a second factor, with a note. */
async function requiring() {
  const organization = await world.organization()
  const { ann, id, path } = organization
  const app = await enrol(world, ann)
  assert.equal((await ann.patch(path, { secondFactor: 'required' })).status, 200)
  notes.add(id, ann.id, 'For two factors')
  return { ...organization, app }
}

/** Opens Notes and begins to sign in. @param person who is signed in at Guildhall */
async function openNotes(t: TestContext, person?: Person): Promise<Page> {
  const { page } = await world.tab(t, { visits: origin, ...(person && { person }) })
  await page.goto(origin)
  await page.getByRole('link', { name: 'Sign in' }).click()
  return page
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByRole('group', { name: 'Code' }).getByRole('textbox').first().click()
  await page.keyboard.type(code)
}
