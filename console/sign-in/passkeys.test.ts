/** Passkeys in a browser, with the virtual authenticator of the DevTools protocol. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { plugIn } from '../../test/plugged-in.ts'
import { until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld({ isLocalhost: true })

/** @returns when the sign-in page offers passkeys in its field, if the browser has one that can be */
async function signOut(page: Page, name: string, isOffered = true): Promise<void> {
  const offered = isOffered && page.waitForResponse('**/api/auth/passkey-options')
  await page.getByRole('button', { name }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
  await offered
}

test('somebody signs up, adds a passkey, and signs in with one touch from then on', async (t) => {
  const email = `ann-${Date.now()}@example.com`
  const { page, open, openMailed, check } = await world.tab(t)
  const key = await plugIn(t, page)
  await open('/sign-up')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Name').fill('Ann')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  await openMailed(email, 'verify-email')
  await page.getByText('Your email address is verified').waitFor()

  await open('/me/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
  await page
    .getByRole('list', { name: 'Passkeys' })
    .getByText(/^(Headless)?Chrom\w+ on /)
    .waitFor() // what holds it
  await check()
  await key.touch(false)
  await signOut(page, 'Ann')
  await key.touchNext()
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Ann' }).waitFor()
})

test('a passkey that is not used, or not known any more, leaves the sign-in page usable', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  const key = await plugIn(t, page)
  await open('/me/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
  await ann.patch('/api/users/me', { name: 'Ann Archer' })
  const { body } = await ann.get('/api/users/me/factors')
  await key.touch(false)
  await signOut(page, 'Ann')
  const passkey = page.getByRole('button', { name: 'Continue with a passkey' })

  /** The options of this use, and those with which the address field then offers passkeys again. */
  const offeredAgain = (answers = 0) =>
    page.waitForResponse((response) => response.url().endsWith('/passkey-options') && ++answers === 2)

  await key.refuse(true)
  await key.touchNext()
  let again = offeredAgain()
  await passkey.click()
  await again
  await key.touch(false)
  const alert = page.getByRole('main').getByRole('alert')
  assert.equal(await alert.count(), 0, 'closing the browser’s dialog is no fault')
  await key.refuse(false)
  await world.postgres.query('delete from factors where id = $1', [body.data[0].id])
  await page.route('**/api/auth/sign-in/passkey', async (route) => {
    await key.touch(false) // its user does not pick the same again and again
    await route.continue()
  })
  for (const use of [() => passkey.click(), () => page.reload()]) {
    await key.touch(false)
    await key.touchNext()
    again = offeredAgain()
    await use()
    await alert.getByText('This passkey isn’t known here').waitFor()
    await again
  }
  await check()
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
})

test('a security key that verifies nobody is the second step after the password', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await plugIn(t, page, { transport: 'usb', hasResidentKey: false, hasUserVerification: false })
  await open('/me/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page
    .getByRole('dialog', { name: 'Your recovery codes' })
    .getByRole('button', { name: 'I’ve saved them' })
    .click()
  await page.getByText('Only after your password', { exact: true }).waitFor()
  await signOut(page, 'Ann', false)
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
})

test('the browser offers passkeys in the address field, with options that are renewed', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann })
  const key = await plugIn(t, page)
  await open('/me/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
  await key.touch(false)
  await signOut(page, 'Ann')

  await page.clock.install()
  const first = page.waitForResponse('**/api/auth/passkey-options')
  await open('/sign-in?next=/me/devices')
  assert.equal(await page.getByLabel('Email').getAttribute('autocomplete'), 'username webauthn')
  await (await first).finished()
  await key.touchNext() // of what comes after the first options
  let isRenewed = false
  page.on('request', (request) => {
    if (request.url().endsWith('/passkey-options')) isRenewed = true
  })
  await page.clock.fastForward('06:00') // of nine minutes, because the clock runs, too
  assert.equal(isRenewed, false)
  // The page sets its timer some time after the first options have come.
  await until(async () => {
    await page.clock.fastForward('00:15')
    return isRenewed
  }, 'new options')
  await page.waitForURL('**/me/devices') // picked as soon as it was offered again
})

test('a passkey confirms that somebody is there, and is the whole proof', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  const key = await plugIn(t, page)
  await open('/me/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
  await world.postgres.query(
    `update sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [ann.id],
  )
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  const touch = dialog.getByRole('button', { name: 'Use a passkey' })
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  await touch.waitFor()
  await check()
  await key.refuse(true)
  const asked = page.waitForResponse('**/api/auth/passkey-options')
  await touch.click()
  await asked
  await touch.and(page.locator(':not([data-loading])')).waitFor()
  assert.equal(await dialog.getByRole('alert').count(), 0, 'closing the browser’s dialog is no fault')
  await key.refuse(false)
  await touch.click()
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  await dialog.waitFor({ state: 'detached' })
})

test('somebody names a passkey, drops the password, and keeps a way in', async (t) => {
  const ann = await world.person('Ann')
  const { body: guild } = await ann.post('/api/organizations', { name: `Guild ${Date.now()}` })
  const { page, open, check } = await world.tab(t, { person: ann, width: 390 })
  const key = await plugIn(t, page)
  await open('/me/security')
  const dialog = page.getByRole('dialog')
  const refused = async (reason: string) => {
    await dialog.getByRole('alert').getByText(reason).waitFor()
    await check()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const removePassword = page.getByRole('main').getByRole('button', { name: 'Remove password' })
  await page.getByRole('button', { name: 'Change password' }).waitFor()
  assert.equal(await removePassword.count(), 0, 'it is the only way in')

  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
  await page.getByRole('button', { name: /^Rename / }).click()
  await dialog.getByLabel('Name').fill('Blue laptop')
  await check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  const remove = page.getByRole('button', { name: 'Remove Blue laptop' })
  await remove.waitFor()
  await dialog.waitFor({ state: 'detached' })
  await removePassword.click()
  await dialog.getByRole('button', { name: 'Remove password' }).click()
  await page.getByText('Password removed').waitFor()
  await removePassword.waitFor({ state: 'detached' })

  const confirmRemoval = async () => {
    await remove.click()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  }
  await confirmRemoval()
  await refused('Add a password or a passkey first.')
  await page.getByRole('button', { name: 'Add password' }).click()
  await dialog.getByLabel('New password').fill('entirely different words')
  await dialog.getByRole('button', { name: 'Add password' }).click()
  await dialog.waitFor({ state: 'detached' })
  await removePassword.waitFor()
  await world.postgres.query(`update organizations set second_factor = 'required' where slug = $1`, [guild.slug])
  await confirmRemoval()
  await refused('Add another one first.')
  await world.postgres.query(`update organizations set second_factor = 'optional' where slug = $1`, [guild.slug])
  assert.equal(await key.holds(), 1)
  await confirmRemoval()
  await remove.waitFor({ state: 'detached' })
  await until(async () => (await key.holds()) === 0, 'the browser to forget it')
})
