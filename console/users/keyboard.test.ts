/** The acts at one's own account by keyboard alone: after each, the focus is on what comes next. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { codeAt } from '../../src/domain/credentials/totp.ts'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'
import { keyboardOf } from '../../test/keyboard.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()

async function openTab(t: TestContext, options: TabOptions = {}) {
  const tab = await world.tab(t, options)
  const { page } = tab
  return {
    ...tab,
    ...keyboardOf(tab),
    dialog: page.getByRole('dialog'),
    title: page.getByRole('heading', { level: 1 }),
    button: (name: string | RegExp) => page.getByRole('button', { name, exact: true }),
    field: (name: string) => page.getByLabel(name, { exact: true }),
    item: (name: string) => page.getByRole('menuitem', { name }),
    place: (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }),
  }
}

test('a button keeps the focus while what it began is under way, and does it once', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, press, isAt, act, type, button, field } = await openTab(t, { person: ann })
  await open('/me')
  const slow = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/api/users/me', async (route) => {
    if (route.request().method() === 'PATCH' && ++sent === 1) await slow.promise
    await route.continue()
  })
  await type(field('Name'), 'Ann Archer')
  const save = button('Save changes')
  await act(save)
  const busy = page.locator('button[aria-busy=true][aria-disabled=true]')
  await isAt(busy)
  for (const key of ['Enter', 'Space']) await press(key)
  await press('Shift+Tab')
  await type(field('Name'), 'Ann Archer')
  await press('Enter')
  await press('Tab')
  slow.resolve()
  await page.getByText('Profile saved.').waitFor()
  await busy.waitFor({ state: 'detached' })
  assert.equal(sent, 1)
})

test('a person signs up, signs out and signs in by keyboard', async (t) => {
  const email = `ann-${Date.now()}@example.com`
  const { page, open, press, isAt, act, choose, title, button, field, item } = await openTab(t)
  await open('/sign-in')
  await isAt(field('Email'))
  await act(page.getByRole('link', { name: 'Sign up' }))
  await page.getByRole('button', { name: 'Create account' }).waitFor()
  await isAt(field('Email'))
  await page.keyboard.type(email)
  await press('Tab')
  await page.keyboard.type('Ann')
  await press('Tab')
  await page.keyboard.type(password)
  await act(button('Create account'))
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  await isAt(title)
  await act(button('Resend email'))
  await page.getByText(/^A new link is on its way/).waitFor()
  await isAt(button('Resend email'))

  await act(page.getByRole('button', { name: 'Ann' }))
  await choose(item('Sign out'))
  await page.getByRole('heading', { name: /^Sign in to/ }).waitFor()
  await isAt(field('Email'))
  await page.keyboard.type(email)
  await press('Tab')
  await page.keyboard.type('not this one')
  await press('Enter')
  await isAt(field('Password').and(page.locator('[aria-invalid=true]')))
  await press('Control+a')
  await page.keyboard.type(password)
  await press('Enter')
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  await isAt(title)
})

test('a person changes address, password and factors by keyboard', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, press, isAt, act, button, field, dialog } = await openTab(t, { person: ann })
  await open('/me/security')
  await act(button('Change email address'))
  await isAt(field('New email address'))
  await page.keyboard.type(`new-${ann.email}`)
  await press('Tab')
  await page.keyboard.type(password)
  await press('Enter')
  await page.getByText(`A link is on its way to new-${ann.email}.`).waitFor()
  await isAt(button('Change email address'))
  await act(button('Cancel change'))
  await isAt(field('Current password'))
  await page.keyboard.type(password)
  await press('Enter')
  await page.getByText(/^Change cancelled/).waitFor()
  await isAt(page.getByRole('heading', { name: 'Email address' }))

  await act(button('Change password'))
  await isAt(field('Current password'))
  await page.keyboard.type(password)
  await act(field('New password'), 'e')
  await page.keyboard.type('ntirely different words')
  await press('Enter')
  await page.getByText('Password changed').waitFor()
  await isAt(button('Change password'))

  await act(button('Add an authenticator app'))
  const first = page.getByRole('textbox', { name: 'Digit 1 of 6' })
  await isAt(first)
  const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
  await page.keyboard.type(codeAt(secret, Math.floor(Date.now() / 30_000)))
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await codes.waitFor()
  await act(codes.getByRole('button', { name: 'Copy' }))
  await act(button('I’ve saved them'))
  await isAt(button('Replace your authenticator app'))
  await act(button('Replace your recovery codes'))
  await act(button('Get new codes'))
  await act(codes.getByRole('button', { name: 'I’ve saved them' }))
  await isAt(button('Replace your recovery codes'))
  await act(button('Remove Authenticator app'))
  await act(dialog.getByRole('button', { name: 'Remove' }))
  await page.getByText('10 recovery codes left.').waitFor({ state: 'detached' })
  await isAt(page.getByRole('heading', { name: 'Authenticator app' }))
})

test('a person signs devices out, changes the profile and deletes the account by keyboard', async (t) => {
  const ann = await world.person('Ann')
  for (const agent of ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Safari/604.1', 'curl/8.0', 'other/1'])
    await world.signIn(ann, { 'user-agent': agent })
  const { page, open, press, isAt, act, type, title, button, field, place, dialog } = await openTab(t, { person: ann })
  await open('/me')
  await type(field('Name'), 'Ann Archer')
  await press('Enter')
  await page.getByText('Profile saved.').waitFor()
  await isAt(field('Name'))

  await act(place('Devices'))
  await isAt(title)
  const devices = page.getByRole('main').getByRole('listitem')
  const ends = page.getByRole('button', { name: /^Sign out (?!everywhere)/ })
  await ends.nth(3).waitFor()
  await act(ends.first())
  await ends.nth(3).waitFor({ state: 'detached' })
  await isAt(ends.first())
  await act(button('Sign out everywhere else'))
  await isAt(button('Cancel'))
  await act(dialog.getByRole('button', { name: 'Sign out' }))
  await devices.nth(1).waitFor({ state: 'detached' })
  await isAt(title)

  await act(place('Activity'))
  await isAt(title)
  await act(place('Profile'))
  await isAt(title)
  await act(page.getByRole('link', { name: 'Delete account…' }))
  await isAt(title)
  await type(field('Password'), password)
  await press('Enter')
  await page.getByRole('heading', { name: 'Your account was deleted' }).waitFor()
  await isAt(title)
  await act(page.getByRole('link', { name: 'Go to sign-in' }))
  await isAt(field('Email'))
})
