/** The pages about the user's own account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { saveDuringRead } from '../../test/late-reads.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()

const phone = {
  'user-agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
}

test('a person changes their profile, and a refused value is explained at its field', async (t) => {
  const ann = await world.person('Ann')
  await ann.patch('/api/users/me', { locale: 'de-LI' })
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me')
  const save = page.getByRole('button', { name: 'Save' })
  assert.ok(await save.isDisabled())
  assert.match(await page.getByRole('combobox', { name: 'Language' }).inputValue(), /German \(Liechtenstein\)/)

  await page.getByLabel('Name', { exact: true }).fill('A'.repeat(101))
  await save.click()
  await page.locator(':focus[aria-invalid="true"]').waitFor()
  await check()
  await page.getByLabel('Name', { exact: true }).fill('Ann Archer')
  for (const [typed, zone] of [
    ['kolkata', 'Asia/Kolkata'],
    ['kiev', 'Europe/Kyiv'],
    ['ho chi minh', 'Asia/Ho Chi Minh'],
  ] as const) {
    await page.getByRole('combobox', { name: 'Time zone' }).fill(typed)
    await page.getByRole('option', { name: zone }).waitFor()
  }
  await page.getByRole('combobox', { name: 'Time zone' }).fill('tokyo')
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click()
  const asBrowser = page.getByRole('button', { name: 'Switch to Europe/Lisbon (this browser)' })
  await page.getByLabel('Clear time zone').click()
  await asBrowser.waitFor({ state: 'detached' }) // without a zone, that of the browser counts
  await page.getByRole('combobox', { name: 'Time zone' }).fill('tokyo')
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click()
  await asBrowser.click()
  await asBrowser.waitFor({ state: 'detached' })
  await save.click()
  await page.getByRole('button', { name: 'Ann Archer' }).waitFor()

  const { body: me } = await ann.get('/api/users/me')
  assert.deepEqual([me.name, me.avatarUrl, me.locale, me.timeZone], ['Ann Archer', null, 'de-LI', 'Europe/Lisbon'])
  await page.getByRole('button', { name: 'Save', disabled: true }).waitFor()
})

test('a read that began before the profile was saved does not bring the old name back', async (t) => {
  const slow = Promise.withResolvers<void>()
  t.after(() => slow.resolve()) // before the page waits for its requests
  const { page, open } = await world.tab(t, { person: await world.person('Ann') })
  await open('/me')
  const name = await saveDuringRead(page, slow, { path: '/api/users/me', words: 'Profile saved.' })
  assert.equal(await name.inputValue(), 'Nordlicht')
})

test('unsaved changes are lost only if the person confirms it', async (t) => {
  const slow = Promise.withResolvers<void>()
  t.after(() => slow.resolve()) // before the page waits for its requests
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me/activity')
  const profile = page.getByRole('link', { name: 'Profile' })
  const devices = page.getByRole('link', { name: 'Devices' })
  await devices.click()
  const asksToUnload = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))
  await profile.click()
  const name = page.getByLabel('Name', { exact: true })
  await name.waitFor()
  assert.equal(await asksToUnload(), false)
  await name.fill('Ann Archer')
  assert.equal(await asksToUnload(), true)

  const dialog = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
  const keep = async () => {
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.waitForURL('**/me') // after Back, the page goes forward again
    assert.equal(await name.inputValue(), 'Ann Archer')
  }
  await devices.click()
  await check()
  await keep()
  await devices.and(page.locator(':focus')).waitFor()
  await page.evaluate(() => history.back())
  await dialog.waitFor()
  await page.evaluate(() => history.back()) // once more
  await page.waitForFunction(() => location.pathname === '/me/activity')
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await page.waitForFunction(() => location.pathname === '/me')
  await page.evaluate(() => history.back())
  await keep()
  await page.getByRole('button', { name: ann.email }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await keep()

  await devices.click()
  await dialog.getByRole('button', { name: 'Discard changes' }).click()
  await page.waitForURL('**/me/devices')
  await profile.click()
  await name.fill('Ann Archer')
  await page.route('**/api/users/me', async (route) => {
    await slow.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await name.fill('Ann Archer-Bond') // while it is saved
  slow.resolve()
  await page.getByRole('button', { name: 'Ann Archer' }).waitFor()
  assert.equal(await name.inputValue(), 'Ann Archer-Bond')
  await name.fill('Ann Archer')
  await devices.click()
  await page.waitForURL('**/me/devices')

  await profile.click()
  await name.fill('Anna')
  await ann.delete('/api/users/me/devices')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changes you hadn’t saved were lost.').waitFor()
})

test('a change of email address is pending until the link is opened, and can be cancelled', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  const { page, open, openMailed, check } = await world.tab(t, { person: ann })
  await open('/me/security')
  await page.getByText('Not verified', { exact: true }).waitFor()
  await page.locator('section', { hasText: 'Not verified' }).getByRole('button', { name: 'Resend email' }).click()
  await page.getByText(`A new link is on its way to ${ann.email}`).waitFor()
  await page.getByText('Verify your email address first').first().waitFor()
  assert.equal(await page.getByRole('button', { name: 'Add an authenticator app' }).count(), 0)

  const dialog = page.getByRole('dialog')
  const changeAddress = async (email: string) => {
    await page.getByRole('button', { name: 'Change email address' }).click()
    await dialog.getByLabel('New email address').fill(email)
    await dialog.getByLabel('Current password').fill(password)
    await dialog.getByRole('button', { name: 'Send link' }).click()
    await page.getByText(email, { exact: true }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Change email address' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  const other = `other-${ann.email}`
  await changeAddress(other)
  await page.getByRole('button', { name: 'Cancel change' }).click()
  assert.equal(await dialog.locator('input[autocomplete=username]').inputValue(), ann.email, 'for password managers')
  await dialog.getByLabel('Current password').fill('not this one')
  await dialog.getByRole('button', { name: 'Cancel change' }).click()
  await dialog.locator('input[data-invalid="true"]:focus').waitFor()
  await check()
  await dialog.getByLabel('Current password').fill(password)
  await dialog.getByRole('button', { name: 'Cancel change' }).click()
  await page.getByText(other, { exact: true }).waitFor({ state: 'detached' })

  const mailed = `new-${ann.email}`
  await changeAddress(mailed)
  await check()
  await openMailed(mailed, 'verify-email')
  await page.getByRole('heading', { name: `Your address is now ${mailed}` }).waitFor()
  await open('/me/security')
  await page.getByText('Verified', { exact: true }).waitFor()
  await page.getByText(mailed, { exact: true }).first().waitFor()
})

test('a dialog stays as it is for somebody who comes back to the page about security, of which a part could not be read', async (t) => {
  const { page, open } = await world.tab(t, { person: await world.person('Ann') })
  await page.route('**/api/users/me/factors', (route) => route.fulfill({ status: 403, json: { code: 'forbidden' } }))
  await open('/me/security')
  await page.getByRole('alert').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Change password' }).click()
  const field = page.getByRole('dialog').getByLabel('New password')
  await field.fill('entirely different words')
  const read = page.waitForResponse('**/api/users/me/factors')
  await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await (await read).finished()
  assert.equal(await field.inputValue(), 'entirely different words')
})

test('changing the password says how many other sessions were ended', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me/security')
  const change = page.getByRole('main').getByRole('button', { name: 'Change password' })
  await change.click()
  const dialog = page.getByRole('dialog')
  const current = dialog.getByLabel('Current password')
  const submit = dialog.getByRole('button', { name: 'Change password' })
  await check()
  await current.fill('not this one')
  await page.getByLabel('New password').fill('entirely different words')
  await submit.click()
  await page.locator('input[autocomplete="current-password"][data-invalid="true"]:focus').waitFor()
  await current.fill(password)
  await page.getByLabel('New password').fill(ann.email)
  await submit.click()
  await page.locator('input[autocomplete="new-password"][data-invalid="true"]:focus').waitFor()
  await page.getByLabel('New password').fill('entirely different words')
  await submit.click()
  await page.getByText('1 other session was signed out.').waitFor()
  await change.and(page.locator(':focus')).waitFor()
  assert.equal((await ann.get('/api/users/me')).status, 401)
})

test('somebody who adds a password reads that it was added', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann })
  await world.postgres.query('update users set password_hash = null where id = $1', [ann.id])
  await open('/me/security')
  await page.getByRole('main').getByRole('button', { name: 'Add password' }).click()
  await page.getByLabel('New password').fill('entirely different words')
  await page.getByRole('dialog').getByRole('button', { name: 'Add password' }).click()
  await page.getByText('Password added').waitFor()
})

test('each part of security is a row, with passkeys above the fold of a small laptop', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await page.setViewportSize({ width: 1366, height: 768 })
  await open('/me/security')
  await page.getByRole('button', { name: 'Add an authenticator app' }).waitFor()
  await check()
  assert.deepEqual(await page.getByRole('main').getByRole('heading').allTextContents(), [
    'Security',
    'Email address',
    'Password',
    'Passkeys',
    'Authenticator app',
  ])
  assert.equal(await page.getByRole('main').locator('input').count(), 0, 'forms open on demand')
  const box = await page.getByRole('region', { name: 'Passkeys' }).boundingBox()
  assert.ok(box && box.y + box.height < 768, JSON.stringify(box))
})

test('on a phone a pending address is above its button, and a password is changed before it is removed, unless it is the only way in', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  await tess.patch('/api/admin/tenant', { mailCodes: true })
  const ann = await world.person('Ann', { tenant })
  const pending = `new-${ann.email}`
  assert.equal((await ann.patch('/api/users/me', { email: pending, currentPassword: password })).status, 200)
  const { page, open, check } = await world.tab(t, { person: ann, tenant, width: 390 })
  await open('/me/security')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('Remove password').waitFor()
  await check()
  const boxOf = async (element: Locator) => (await element.boundingBox()) ?? assert.fail()
  const [address, cancel] = [
    await boxOf(page.getByText(pending, { exact: true })),
    await boxOf(button('Cancel change')),
  ]
  assert.ok(cancel.y >= address.y + address.height, JSON.stringify([address, cancel]))
  const [title, change, remove] = [
    await boxOf(page.getByRole('heading', { name: 'Password', exact: true })),
    await boxOf(button('Change password')),
    await boxOf(button('Remove password')),
  ]
  assert.equal(change.x, title.x)
  assert.ok(remove.x > change.x, JSON.stringify([change, remove]))

  await button('Remove password').click()
  const submit = page.getByRole('dialog').getByRole('button', { name: 'Remove password' })
  await submit.waitFor()
  assert.equal((await tess.patch('/api/admin/tenant', { mailCodes: false })).status, 200)
  await submit.click()
  await page.locator('main [aria-label="Remove password"]').waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByRole('alert').getByText('This is your only way to sign in').waitFor()
})

test('a person signs one device out, then all others, and stays signed in here', async (t) => {
  const ann = await world.person('Ann')
  const onPhone = await world.signIn(ann, phone)
  await world.signIn(ann)
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me/devices')
  await page.getByText('This device').waitFor()
  const devices = page.getByRole('list', { name: 'Devices' }).getByRole('listitem')
  assert.equal(await devices.count(), 4)
  await check()

  await page.getByRole('button', { name: 'Sign out Safari on iOS' }).click()
  await page.getByText('Safari on iOS was signed out.').waitFor()
  assert.equal(await devices.count(), 3)
  await devices
    .getByRole('button', { name: /^Sign out / })
    .and(page.locator(':focus'))
    .waitFor()
  assert.equal((await onPhone.get('/api/users/me')).status, 401)

  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign out everywhere else?' })
  let asked = 0
  page.on('request', (request) => {
    if (request.method() === 'DELETE') asked++
  })
  await dialog.getByRole('button', { name: 'Sign out' }).dblclick()
  await page.getByText('2 other sessions were signed out.').waitFor()
  await page.waitForFunction(() => document.querySelectorAll('main li').length === 1)
  assert.equal(asked, 1)
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1') // the button that opened the dialog has disappeared
  assert.equal((await ann.get('/api/users/me')).status, 401)
})

test('a person without a name is reminded, and led to the field', async (t) => {
  const ann = await world.person('Ann')
  await ann.patch('/api/users/me', { name: null })
  const { page, open } = await world.tab(t, { person: ann })
  await open('/me/devices')
  await page.getByRole('link', { name: 'Add your name' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Ann Archer')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Profile saved.').waitFor()
  await page.getByRole('link', { name: 'Add your name' }).waitFor({ state: 'detached' })
})

test('an invited person declines one invitation, accepts another and lands in the organization', async (t) => {
  const { ann, dan, id, slug } = await world.organization()
  const { body: other } = await ann.post('/api/organizations', { name: 'The other one' })
  await ann.post(`/api/organizations/${id}/invites`, { email: dan.email, role: 'admin' })
  await ann.post(`/api/organizations/${other.id}/invites`, { email: dan.email })
  const { body: third } = await ann.post('/api/organizations', { name: 'The third one' })
  const { body: revoked } = await ann.post(`/api/organizations/${third.id}/invites`, { email: dan.email })
  const { body: lost } = await ann.post('/api/organizations', { name: 'The lost one' })
  const { body: invitation } = await ann.post(`/api/organizations/${lost.id}/invites`, { email: dan.email })
  const { page, open, check } = await world.tab(t, { person: dan, width: 390 })
  await open('/me/invitations')
  await page.getByText('Ann invited you as an admin').waitFor()
  await check()

  await page.getByRole('button', { name: 'Decline the invitation to The other one' }).click()
  const dialog = page.getByRole('dialog', { name: 'Decline the invitation to The other one?' })
  await dialog.getByRole('button', { name: 'Decline' }).click()
  await page.getByText('Invitation declined.').waitFor()
  await page.getByText('The other one', { exact: true }).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Decline the invitation to The third one' }).click()
  const last = page.getByRole('dialog', { name: 'Decline the invitation to The third one?' })
  await last.getByRole('button', { name: 'Decline' }).waitFor()
  assert.equal((await ann.delete(`/api/organizations/${third.id}/invites/${revoked.id}`)).status, 200)
  await last.getByRole('button', { name: 'Decline' }).click()
  await last.getByRole('alert').getByText('This invitation was revoked').waitFor()
  await last.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The third one', { exact: true }).waitFor({ state: 'detached' })

  await page.route('**/accept', async (route) => {
    await dan.post(`/api/invites/${invitation.id}/accept`)
    await route.abort('internetdisconnected') // as if the answer was lost
  })
  await page.getByRole('button', { name: 'Accept the invitation to The lost one' }).click()
  await page.getByText('The lost one', { exact: true }).waitFor({ state: 'detached' })
  await page.unroute('**/accept')

  await page.getByRole('button', { name: /^Accept the invitation to/ }).click()
  await page.waitForURL(`**/organizations/${slug}`)
  assert.equal((await dan.get(`/api/organizations/${id}`)).body.role, 'admin')

  await open('/me/invitations')
  await page.getByRole('heading', { name: 'No invitations' }).waitFor()
})

test('the only owner transfers their organization, deletes their account, and sees the deletion notice', async (t) => {
  const { ann, ben, id } = await world.organization()
  const { body: organization } = await ann.get(`/api/organizations/${id}`)
  await ann.post('/api/organizations', { name: 'Only mine' })
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me')
  await page.getByRole('link', { name: 'Delete account' }).click()
  await page.getByRole('heading', { name: 'An organization needs another owner' }).waitFor()
  await page.getByText(': you are its only member').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Delete my account' }).count(), 0)
  await check()

  await page.getByRole('button', { name: `Transfer ${organization.name}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`Ben becomes the owner of ${organization.name}`).waitFor()
  await dialog.getByRole('button', { name: 'Transfer' }).click()
  assert.equal((await ben.get(`/api/organizations/${id}`)).status, 200)

  await page.getByLabel('Password', { exact: true }).fill('not this one')
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await page.locator('input[data-invalid="true"]:focus').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await page.getByRole('heading', { name: 'Your account was deleted' }).waitFor()
  await check()
  await page.reload()
  await page.getByRole('heading', { name: 'Your account was deleted' }).waitFor()
  assert.equal((await ben.get(`/api/organizations/${id}`)).body.role, 'owner')
  assert.equal((await ann.get('/api/users/me')).status, 401)
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  await page.getByRole('heading', { name: /^Sign in/ }).waitFor()
  await open('/goodbye') // redirects a visitor who has not deleted an account
  await page.waitForURL('**/sign-in')
})
