/** The page of one user, for tenant admins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { onRows } from '../../test/rows.ts'
import { enrol } from '../../test/sign-in.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()
const { giveOrganizations } = onRows(world)
const admin = await world.tenantAdmin()
const pathOf = ({ id }: { readonly id: string }) => `/admin/users/${id}`

test('an admin renames a user, suspends them, which ends their sessions, and reactivates them', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: admin })
  await open(pathOf(ann))
  await page.getByRole('list', { name: 'Ways to sign in' }).waitFor()
  assert.equal(await page.getByText(ann.email).count(), 1) // below the name
  assert.deepEqual(await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents(), [
    'Profile',
    'Access',
    'Ways to sign in',
    'Delete user',
  ])
  await check()

  await page.getByLabel('Name').fill('Anna Maria')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Name saved.').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Anna Maria' }).waitFor()

  await page.getByRole('button', { name: 'Suspend' }).click()
  const dialog = page.getByRole('dialog', { name: 'Suspend Anna Maria?' })
  await dialog.getByText(/signed out everywhere immediately/).waitFor()
  await check()
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('Anna Maria was suspended and signed out everywhere.').waitFor()
  assert.equal((await ann.get('/api/users/me')).status, 401)
  const tabs = page.getByRole('navigation', { name: 'Pages of Anna Maria' })
  await tabs.getByRole('link', { name: 'Devices' }).click()
  await page.getByText('Not signed in anywhere').waitFor()
  await tabs.getByRole('link', { name: 'Activity' }).click()
  await page.waitForURL(`**${pathOf(ann)}/activity`)
  await page.getByText('signed up').waitFor()
  const suspension = page.getByRole('listitem').filter({ hasText: 'You suspended Anna Maria' })
  assert.match((await suspension.textContent()) ?? '', /Signed out automatically1 session/)
  await check()

  await tabs.getByRole('link', { name: 'Profile' }).click()
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByText('Anna Maria can sign in again.').waitFor()
  await world.signIn(ann)
})

test('pages that were read before show the new name of a user, also that of the admin', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { id } = await world.organization({ tenant })
  const { page, open } = await world.tab(t, { person: tess, tenant })
  const main = page.getByRole('main')
  const rename = async (name: string, words: string) => {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText(words).waitFor()
  }
  await open(`/admin/organizations/${id}`)
  await main.getByRole('link', { name: 'Cleo' }).click()
  await rename('Cleopatra', 'Name saved.')
  await page.goBack()
  await main.getByRole('link', { name: 'Cleopatra' }).waitFor()

  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await main.getByText(tess.email).first().waitFor()
  await page.getByRole('button', { name: tess.email }).click()
  await page.getByRole('menuitem', { name: 'Profile' }).click()
  await rename('Tess Tanner', 'Profile saved.')
  await page.goBack()
  await main.getByText('Tess Tanner').first().waitFor()
})

test('an admin makes another admin with their own password, and removes the role again', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: admin })
  await open(pathOf(ann))
  await page.getByRole('button', { name: 'Make admin' }).click()
  const granting = page.getByRole('dialog', { name: 'Make Ann an admin?' })
  assert.equal(
    await granting.locator('input[autocomplete=username]').inputValue(),
    admin.email,
    'for password managers',
  )
  await granting.getByLabel('Your password', { exact: true }).fill('not the password')
  await granting.getByRole('button', { name: 'Make admin' }).click()
  await granting.getByText('This is not your current password.').waitFor()
  await granting.getByLabel('Your password', { exact: true }).fill(password)
  await granting.getByRole('button', { name: 'Make admin' }).click()

  await page.getByText('Ann is now an admin.').waitFor()
  await page.getByRole('button', { name: 'Remove admin role' }).click()
  const taking = page.getByRole('dialog', { name: /^Remove admin role from/ })
  await taking.getByText('Remove admin role from Ann?').waitFor()
  await admin.patch(`/api/admin/users/${ann.id}`, { name: 'Anna' })
  await taking.getByRole('button', { name: 'Remove admin role' }).click()
  await taking.getByText('This was changed in the meantime').waitFor()
  await taking.getByText('Remove admin role from Anna?').waitFor()
  await taking.getByRole('button', { name: 'Remove admin role' }).click()
  await page.getByText('Anna is no longer an admin.').waitFor()
  await page.getByRole('button', { name: 'Make admin' }).waitFor()
  assert.equal((await ann.get('/api/admin/users')).status, 403)
})

test('an admin who is suspended is reactivated with the password of another admin', async (t) => {
  const ann = await world.person('Ann')
  await admin.patch(`/api/admin/users/${ann.id}`, { role: 'admin', currentPassword: password })
  await admin.patch(`/api/admin/users/${ann.id}`, { status: 'suspended' })
  const { page, open, check } = await world.tab(t, { person: admin })
  await open(pathOf(ann))
  await page.getByRole('button', { name: 'Reactivate' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reactivate Ann as an admin?' })
  await dialog.getByLabel('Your password', { exact: true }).fill(password)
  await check()
  await dialog.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByText('Ann can sign in again.').waitFor()
  await world.signIn(ann)
})

test('the page about oneself says “you”, and offers nothing that would lock the admin out', async (t) => {
  const { page, open } = await world.tab(t, { person: admin })
  await open(pathOf(admin))
  await page.getByText('This is your account.').waitFor()
  const offersNothing = async () => {
    assert.doesNotMatch((await page.getByRole('main').textContent()) ?? '', /\b(they|them|their|this user)\b/i)
    for (const name of ['Suspend', 'Remove admin role', 'Delete user', 'Sign out everywhere'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  }
  await page.getByRole('link', { name: 'Delete your account' }).waitFor()
  await offersNothing()
  const tabs = page.getByRole('navigation', { name: /^Pages of/ })
  await tabs.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('link', { name: 'Manage your devices' }).waitFor()
  await offersNothing()
  await tabs.getByRole('link', { name: 'Organizations' }).click()
  await page.getByText('You are not a member of any organization.').waitFor()
  await offersNothing()
  await tabs.getByRole('link', { name: 'Activity' }).click()
  await page.getByText('You signed in').first().waitFor()
  await offersNothing()
})

test('the page shows the language of any user, by its tag if it has no name', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: admin })
  const facts = page.getByRole('complementary', { name: 'About this user' })
  for (const [locale, name] of [
    ['de-AT', 'German (Austria)'],
    ['de-u-co-phonebk', 'de-u-co-phonebk'],
    ['en-US-u-hc-h23', 'en-US-u-hc-h23'],
    ['de-x-foo', 'de-x-foo'],
  ] as const) {
    assert.equal((await ann.patch('/api/users/me', { locale })).status, 200)
    await open(pathOf(ann))
    await facts.getByText(name, { exact: true }).waitFor()
  }
})

test('an admin signs a user out on one device, then on all', async (t) => {
  const ann = await world.person('Ann')
  await Promise.all([world.signIn(ann), world.signIn(ann)])
  const { page, open, check } = await world.tab(t, { person: admin })
  await open(`${pathOf(ann)}/devices`)
  const buttons = page.getByRole('button', { name: 'Sign out node' })
  await buttons.nth(2).waitFor()
  await check()
  await buttons.first().click()
  await page.getByText('node was signed out.').waitFor()
  assert.equal(await buttons.count(), 2)

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('Ann was signed out everywhere.').waitFor()
  await page.getByText('Not signed in anywhere').waitFor()
  assert.equal((await ann.get('/api/users/me')).status, 401)
})

test('a user who was deleted by another admin is not shown any more', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: admin })
  await open(pathOf(ann))
  await page.getByRole('button', { name: 'Delete user' }).click()
  await page.getByLabel(`Type ${ann.email} to confirm`).fill(ann.email)
  await admin.delete(`/api/admin/users/${ann.id}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click()
  await page.getByRole('heading', { name: 'This user was deleted' }).waitFor()
  assert.ok(!(await page.content()).includes(ann.email))
})

test('the organizations of a user say which role the user has in each, and whether the membership is suspended', async (t) => {
  const { ann, ben, path, members } = await world.organization()
  const { body: birch } = await ben.post('/api/organizations', { name: 'Birch' })
  await ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' })
  const { page, open, check } = await world.tab(t, { person: admin, width: 390 })
  await open(`${pathOf(ben)}/organizations`)
  const organizations = page.getByRole('main').getByRole('listitem')
  await organizations.filter({ hasText: birch.name }).getByText('Owner', { exact: true }).waitFor()
  const first = organizations.filter({ hasText: 'Acme' })
  await first.getByText('Admin', { exact: true }).waitFor()
  await first.getByText('Suspended', { exact: true }).waitFor()
  assert.equal(await page.getByText('Suspended').count(), 1)
  await check()
})

test('the organizations of a user are shown 20 at a time, because each needs a request for the role', async (t) => {
  const ann = await world.person('Ann')
  await giveOrganizations(
    ann,
    Array.from({ length: 25 }, (_, index) => `Guild ${10 + index}`),
  )
  const { page, open } = await world.tab(t, { person: admin })
  await open(`${pathOf(ann)}/organizations`)
  const organizations = page.getByRole('main').getByRole('listitem')
  await organizations.filter({ hasText: 'Guild 10' }).getByText('Owner', { exact: true }).waitFor()
  assert.equal(await organizations.count(), 20)
})

test('a role of a user that cannot be read is said to be missing', async (t) => {
  const { ben } = await world.organization()
  const { page, open, check } = await world.tab(t, { person: admin, width: 390 })
  await page.route(/\/members\?/, (route) =>
    route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'rate_limited', title: 'Too many requests', status: 429 }),
    }),
  )
  await open(`${pathOf(ben)}/organizations`)
  await page.getByRole('main').getByRole('listitem').getByText('The role couldn’t be loaded').waitFor()
  await check()
})

test('metadata is edited as JSON: a fault, also a number that would be stored as another one, is shown at the field, and an omitted member is removed', async (t) => {
  const ann = await world.person('Ann')
  const path = `/api/admin/users/${ann.id}`
  await admin.patch(path, { appMetadata: { plan: 'team', crm: { id: 1, old: true } } })
  const { page, open } = await world.tab(t, { person: admin })
  await open(pathOf(ann))
  const field = page.getByLabel('App metadata')
  assert.equal(await field.isVisible(), false)
  await page.getByText('Advanced', { exact: true }).click()
  const save = page.getByRole('button', { name: 'Save' }).last()
  await field.fill('{\n  "plan": "team",\n}')
  await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
  await save.click()
  await page.getByText('This is not valid JSON. Check line 3, column 1.').waitFor()
  await field.fill('[1]')
  await save.click()
  await page.getByText('Enter a JSON object').waitFor()
  for (const number of ['9007199254740993', '-0', '1e400']) {
    await field.fill(`{\n  "note": "90071992547409931 \\" 1e400",\n  "crm": { "id": ${number} }\n}`)
    await save.click()
    await page.getByText('The number at line 3, column 18 can’t be stored exactly.').waitFor()
    await field.fill('[1]')
    await save.click()
    await page.getByText('Enter a JSON object').waitFor()
  }
  assert.deepEqual((await admin.get(path)).body.appMetadata, { plan: 'team', crm: { id: 1, old: true } })
  await field.fill('{ "crm": { "id": 2 }, "seats": 3 }')
  await save.click()
  await page.getByText('App metadata saved.').waitFor()
  assert.deepEqual((await admin.get(path)).body.appMetadata, { crm: { id: 2 }, seats: 3 })
})

test('a user who is the only owner of an organization is deleted after it is transferred', async (t) => {
  const { ann, id, slug } = await world.organization()
  await world.join(ann, id, admin)
  const other = await ann.post('/api/organizations', { name: 'Second' })
  await world.join(ann, other.body.id, await world.person('Eve'))
  const { page, open, check } = await world.tab(t, { person: admin, width: 390 })
  await open(`${pathOf(ann)}/organizations`)
  await page.getByRole('listitem').filter({ hasText: 'Second' }).getByText('Owner', { exact: true }).waitFor()
  await check()
  await page.getByRole('navigation', { name: 'Pages of Ann' }).getByRole('link', { name: 'Profile' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Anna') // not saved: a deleted user asks nothing about unsaved changes
  await page.getByRole('button', { name: 'Delete user' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Ann?' })
  const submit = dialog.getByRole('button', { name: 'Delete user' })
  // What would go, and what is in the way, is there before anything is typed.
  const goes = dialog.getByRole('list', { name: 'What will be deleted' })
  await goes.getByText('Their memberships in 2 organizations').waitFor()
  const inTheWay = dialog
    .getByRole('alert')
    .filter({ hasText: 'Ann is the only owner of organizations with other members' })
  await inTheWay.and(dialog.locator(':focus')).waitFor()
  assert.equal(await submit.count(), 0)
  assert.equal(
    await inTheWay.evaluate((alert) => {
      const { top, bottom } = alert.getBoundingClientRect()
      const middle = alert.ownerDocument.elementFromPoint(195, top + 20)
      return top >= 0 && bottom <= innerHeight && alert.contains(middle)
    }),
    true,
    'all of the alert is in sight',
  )
  await check()

  await dialog.getByRole('button', { name: 'Transfer Acme' }).click()
  await page.getByRole('combobox', { name: 'New owner' }).click()
  await page.getByRole('option', { name: /^Cleo/ }).click()
  await page.getByRole('button', { name: 'Transfer ownership' }).click()
  await page.getByText(/^Cleo is now an owner of Acme/).waitFor()
  await dialog.getByRole('button', { name: 'Delete Second' }).click()
  await page.getByLabel('Type second to confirm').fill('second')
  await page
    .getByRole('dialog', { name: 'Delete Second?' })
    .getByRole('button', { name: 'Delete organization' })
    .click()
  await page.getByText('Second was deleted.').waitFor()

  await dialog.getByLabel(`Type ${ann.email} to confirm`).fill('somebody@example.com')
  await submit.click()
  await dialog.getByText('This doesn’t match the user’s email address.').waitFor()
  await dialog.getByLabel(`Type ${ann.email} to confirm`).and(dialog.locator(':focus')).fill(ann.email)
  await submit.click()
  await page.getByText('Ann was deleted.').waitFor()
  await page.waitForURL('**/admin/users')
  assert.equal((await admin.get(`/api/admin/users/${ann.id}`)).status, 404)
  const { body } = await admin.get(`/api/organizations/${slug}/members?role=owner`)
  assert.deepEqual(
    body.data.map(({ user }: { user: { name: string } }) => user.name),
    ['Cleo'],
  )
})

test('an admin finds who has a second factor, and resets how a user signs in', async (t) => {
  const admin = await world.tenantAdmin()
  const { person: ann } = await enrol(world)
  const { page, open, check } = await world.tab(t, { person: admin })
  await open('/admin/users?secondFactor=true')
  await page.getByRole('row').filter({ hasText: ann.email }).getByText('Second factor').waitFor()
  assert.equal(await page.getByRole('row').filter({ hasText: admin.email }).count(), 0)
  await check()
  await page.getByRole('link', { name: 'Ann' }).first().click()
  const ways = page.getByRole('list', { name: 'Ways to sign in' })
  await ways.getByText('10 recovery codes left.').waitFor()
  await world.postgres.query('delete from recovery_codes where user_id = $1', [ann.id]) // as if they were used
  await page.reload()
  await ways.getByText('No recovery codes left.').waitFor()
  await world.postgres.query(
    `update sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [admin.id],
  )
  const reset = page.getByRole('button', { name: 'Reset sign-in…' })
  const lead = page.getByText(/lost their phone/)
  assert.ok(((await lead.boundingBox())?.y ?? 0) < ((await reset.boundingBox())?.y ?? 0))
  const { height = 0 } = (await page.getByText(ann.id, { exact: true }).boundingBox()) ?? {}
  assert.ok(height > 0 && height < 30, `the id is in one line: ${height}`)
  await reset.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset sign-in' }).click()
  const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await confirm.getByLabel('Password', { exact: true }).fill(password)
  await check()
  await confirm.getByRole('button', { name: 'Continue' }).click()
  await page.getByText(`A link to choose a new password is on its way to ${ann.email}`).waitFor()
  await ways.getByText('Not set').waitFor()
  const { body } = await admin.get(`/api/admin/users/${ann.id}`)
  assert.deepEqual([body.hasPassword, body.hasSecondFactor], [false, false])
})
