/** A second factor that a tenant or an organization requires, as people meet it who have none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { codeAt } from '../../src/domain/credentials/totp.ts'
import { createConsoleWorld } from '../../test/browser.ts'
import { enrol, forgetSteps } from '../../test/sign-in.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()

/** Adds an authenticator app on the present page, and closes the dialog of the recovery codes. */
async function addApp(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const secret = (await page.getByRole('dialog').getByRole('code').textContent()) ?? ''
  await page.getByRole('group', { name: 'Code' }).getByRole('textbox').first().click()
  await page.keyboard.type(codeAt(secret, Math.floor(Date.now() / 30_000)))
  await page.getByRole('button', { name: 'I’ve saved them' }).click()
}

test('an owner requires a second factor, and a member without one sets it up and goes on', async (t) => {
  const { ann, cleo, slug } = await world.organization()
  const { page, open, become, check } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/settings`)
  const required = page.getByRole('switch', { name: 'Require a second factor of all members' })
  const dialog = page.getByRole('dialog', { name: 'Require a second factor?' })
  const requireIt = async () => {
    await required.click()
    await dialog.getByRole('button', { name: 'Require it' }).click()
  }
  await required.click()
  await check()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await required.isChecked(), false)
  await requireIt()
  await page.getByText('Set up your own second factor before you require one.').waitFor()
  await page.getByRole('link', { name: 'Set it up now' }).click()
  await addApp(page)
  await page.getByRole('button', { name: 'Continue' }).click()
  await requireIt()
  await page.getByText(/^The settings of .* were saved/).waitFor()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await required.isChecked(), true)
  await check()
  await open(`/organizations/${slug}/members?hasSecondFactor=false`)
  await page.getByText('No second factor', { exact: true }).nth(1).waitFor()
  assert.equal(await page.getByRole('table').getByText(ann.email).count(), 0)
  await check()

  await become(cleo)
  await open(`/organizations/${slug}/members`)
  await page.getByRole('heading', { name: 'A second factor is required' }).waitFor()
  await page.getByText('The owners of this organization have made it a rule.').waitFor()
  await page.getByRole('button', { name: 'Leave organization…' }).waitFor()
  await check()
  await page.getByRole('link', { name: 'Set it up now' }).click()
  await page.getByText('One of your organizations requires a second factor.').waitFor()
  await addApp(page)
  await page.getByRole('heading', { name: 'You have a second factor' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'People' }).waitFor()
})

test('while it is not known what somebody has, the page to set one up is loading', async (t) => {
  const held = Promise.withResolvers<void>()
  t.after(() => held.resolve()) // before the page waits for its requests
  const { page, open, check } = await world.tab(t, { person: await world.person('Ann') })
  await page.route('**/api/users/me/factors', async (route) => {
    await held.promise
    await route.continue()
  })
  await open('/me/second-factor')
  await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await check()
  held.resolve()
  await page.getByRole('button', { name: 'Add an authenticator app' }).waitFor()
})

test('a member who will not set one up leaves the organization', async (t) => {
  const { cleo, id, slug } = await world.organization()
  await world.postgres.query(`update organizations set second_factor = 'required' where id = $1`, [id])
  const { page, open } = await world.tab(t, { person: cleo })
  await open(`/organizations/${slug}`)
  await page.getByRole('button', { name: 'Leave organization…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  assert.deepEqual((await cleo.get('/api/organizations')).body.data, [])
})

test('a member who has a factor and signed in without it confirms with it', async (t) => {
  const { cleo, id, slug } = await world.organization()
  const { code } = await enrol(world, cleo)
  await world.postgres.query(`update organizations set second_factor = 'required' where id = $1`, [id])
  await world.postgres.query('update sessions set assurance = 1 where user_id = $1', [cleo.id])
  await forgetSteps(world)
  const { page, open } = await world.tab(t)
  await open('/sign-in')
  await page.getByLabel('Email').fill(cleo.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('group', { name: 'Code' }).getByRole('textbox').first().click()
  await page.keyboard.type(code())
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  await world.postgres.query('update sessions set assurance = 1 where user_id = $1', [cleo.id])
  await page.getByRole('link', { name: slug }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.getByText('This needs your password and your second factor.').waitFor()
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('group', { name: 'Code' }).getByRole('textbox').first().click()
  await page.keyboard.type(code())
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Newest members' }).waitFor()
})

test('where the tenant requires it of everyone, every page leads to setting it up', async (t) => {
  const { slug } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  const { page, open, check } = await world.tab(t, { person: ann, tenant: slug, width: 390 })
  await world.postgres.query(`update tenants set second_factor = 'required' where slug = $1`, [slug])
  await open('/organizations')
  await page.getByText('An admin has made it a rule').first().waitFor()
  await check()
  await page.getByRole('link', { name: 'Set it up now' }).first().click()
  await addApp(page)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page
    .getByText('No organizations yet')
    .or(page.getByRole('button', { name: /New organization|Create/ }))
    .first()
    .waitFor()
})
