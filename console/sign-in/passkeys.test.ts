/** Passkeys in a browser, with the virtual authenticator of the DevTools protocol. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld({ isLocalhost: true })

/** Gives the page an authenticator that verifies its user by itself. @returns what its user does */
async function plugIn(t: TestContext, page: Page, abilities: Record<string, unknown> = {}) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      ...abilities,
    },
  })
  t.after(() => cdp.detach())
  return {
    refuse: (isRefusing: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: !isRefusing }),
  }
}

async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
}

test('somebody signs up, adds a passkey, and signs in with one touch from then on', async (t) => {
  const email = `ann-${Date.now()}@example.com`
  const { page, open, openMailed, check } = await world.tab(t)
  await plugIn(t, page)
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
  await page.getByText('Signs you in', { exact: true }).waitFor()
  await check()
  await signOut(page, 'Ann')
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
  await signOut(page, 'Ann')
  const passkey = page.getByRole('button', { name: 'Continue with a passkey' })

  await key.refuse(true)
  await passkey.click()
  await page.getByRole('button', { name: 'Continue with a passkey', disabled: false }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0, 'closing the browser’s dialog is no fault')
  await key.refuse(false)
  await world.postgres.ask('delete from factors where id = $1', [body.data[0].id])
  await passkey.click()
  await page.getByText('This passkey isn’t known here').waitFor()
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
  assert.equal(await page.getByText('Signs you in', { exact: true }).count(), 0)
  await signOut(page, 'Ann')
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Use passkey' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
})
