/** The members of an organization in the console: finding them, changing roles, removing members, transferring ownership. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()

test('members are searched, filtered and sorted by the address', async (t) => {
  const { ann, slug } = await world.organization()
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  await tab.open(`/organizations/${slug}/members`)
  await page.getByRole('link', { name: 'Members 3' }).waitFor()
  await tab.check()
  await page.getByRole('button', { name: 'Name' }).click()
  const header = page.getByRole('columnheader', { name: 'Name' })
  await header.and(page.locator('[aria-sort=ascending]')).waitFor() // the next click reverses the order that is shown
  await page.getByRole('button', { name: 'Name' }).click()
  await page.waitForURL(/sort=-name/)
  await rows.first().getByText('Cleo', { exact: true }).waitFor()
  await header.and(page.locator('[aria-sort=descending]')).waitFor()
  await tab.showFilters()
  await page.getByLabel('Role', { exact: true }).selectOption('admin')
  await page.waitForURL(/role=admin/)
  await rows.nth(1).waitFor({ state: 'detached' })
  await page.reload()
  await rows.first().getByText('Ben', { exact: true }).waitFor()
  assert.equal(await rows.count(), 1)
  await page.getByLabel('Search by name or email').fill('nobody')
  await page.getByRole('link', { name: 'Show all members' }).click()
  await rows.nth(2).waitFor()
})

test('a role changes at once, and changes back if it is refused', async (t) => {
  const { ann, slug, path, members } = await world.organization()
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  await tab.open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  const current = page.getByRole('menuitemradio', { name: /^Member/, checked: true })
  await current.and(page.locator(':focus')).waitFor()
  await page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  await page.getByText('Cleo is now an admin.').waitFor()
  assert.equal((await ann.get(`${path}/members/${members.cleo.id}`)).body.role, 'admin')
  // The last choice wins, even if the one before it takes longer.
  const slow = Promise.withResolvers<void>()
  const sent: string[] = []
  await page.route('**/members/*', async (route) => {
    if (route.request().method() === 'PATCH' && sent.push(route.request().postData() ?? '') === 1) await slow.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Role of Ben: Admin' }).click()
  await page.getByRole('menuitemradio', { name: /^Member/ }).click()
  await page.getByRole('button', { name: 'Role of Ben: Member' }).click()
  await page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  await page.getByRole('button', { name: 'Role of Ben: Admin' }).waitFor()
  slow.resolve()
  await page.getByText('Ben is now an admin.').waitFor()
  assert.deepEqual(
    sent.map((body) => JSON.parse(body).role),
    ['member', 'admin'],
  )
  assert.equal((await ann.get(`${path}/members/${members.ben.id}`)).body.role, 'admin')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Role of Ann: Owner' }).click()
  await page.getByRole('menuitemradio', { name: /^Member/ }).click()
  await page.getByRole('button', { name: 'Change my role' }).click()
  await page.getByRole('dialog').getByText('An organization needs at least one owner').waitFor()
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await tab.check()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Role of Ann: Owner' }).and(page.locator(':focus')).waitFor()
  // The member is removed while the page is open, so the change is refused.
  const refusal = page.waitForResponse((response) => response.request().method() === 'PATCH' && !response.ok())
  await ann.delete(`${path}/members/${members.cleo.id}`)
  await page.getByRole('button', { name: 'Role of Cleo: Admin' }).click()
  await page.getByRole('menuitemradio', { name: /^Member/ }).click()
  await refusal
  await page.getByText('It may have been deleted, or you may not have access to it.').waitFor()
  await page.getByRole('button', { name: /^Role of Cleo/ }).waitFor({ state: 'detached' })
})

test('two roles that are changed one after the other are both confirmed', async (t) => {
  const slow = Promise.withResolvers<void>()
  t.after(() => slow.resolve()) // before the page waits for its requests
  const { ann, slug } = await world.organization()
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.route('**/members/*', async (route) => {
    await slow.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  await page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  await page.getByRole('button', { name: 'Role of Cleo: Admin' }).waitFor()
  await page.getByRole('button', { name: 'Role of Ben: Admin' }).click()
  await page.getByRole('menuitemradio', { name: /^Member/ }).click()
  await page.getByRole('button', { name: 'Role of Ben: Member' }).waitFor()
  // Messages go after some seconds.
  const messages = ['Cleo is now an admin.', 'Ben is now a member.'].map((words) => page.getByText(words).waitFor())
  slow.resolve()
  await Promise.all(messages)
})

test('admins can choose no role above their own, and members can only leave', async (t) => {
  const { ben, cleo, slug } = await world.organization()
  const tab = await world.tab(t, { person: ben })
  await tab.open(`/organizations/${slug}/members`)
  await tab.page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  await tab.page.getByRole('menuitemradio', { name: /^Admin/ }).waitFor()
  assert.equal(await tab.page.getByRole('menuitemradio', { name: /^Owner/ }).count(), 0)
  await tab.closeMenu()
  // By keyboard, a menu begins at its first item.
  await tab.page.getByRole('button', { name: 'Actions for Cleo' }).press('Enter')
  await tab.page.getByRole('menuitem', { name: 'Set an end date…' }).and(tab.page.locator(':focus')).waitFor()
  await tab.closeMenu()
  assert.equal(await tab.page.getByRole('main').getByRole('button', { name: /Ann/ }).count(), 0)
  // On the narrowest phone the whole button can be pressed.
  await tab.page.setViewportSize({ width: 320, height: 844 })
  const role = tab.page.getByRole('button', { name: 'Role of Cleo: Member' })
  const { width, height } = (await role.boundingBox()) ?? assert.fail('the button is not there')
  for (const x of [1, width - 1]) await role.click({ position: { x, y: height / 2 }, trial: true })
  await tab.become(cleo)
  await tab.page.setViewportSize({ width: 390, height: 844 })
  await tab.open(`/organizations/${slug}/members`)
  await tab.page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await tab.page.getByRole('menuitem').first().waitFor()
  assert.deepEqual(await tab.page.getByRole('menuitem').allInnerTexts(), ['What you can do…', 'Leave…'])
  assert.equal(await tab.page.getByRole('button', { name: /^(Role of|Actions for (Ann|Ben))/ }).count(), 0)
  await tab.closeMenu()
  await tab.check()
})

test('without the roles the rows of members and invitations say why they have no actions, and the roles can be read again', async (t) => {
  const { ann, cleo, slug, path } = await world.organization()
  assert.equal((await ann.post(`${path}/invites`, { email: 'zoe@example.com' })).status, 201)
  const { page, open, become, check, closeMenu } = await world.tab(t, { person: ann })
  const failed = page.getByRole('main').getByRole('alert').getByText('Too many attempts')
  const retry = page.getByRole('button', { name: 'Try again' })
  const refuse = () => page.route('**/roles', (route) => route.fulfill({ status: 429, json: { code: 'rate_limited' } }))
  await refuse()
  await open(`/organizations/${slug}/members`)
  await failed.waitFor()
  await page.getByRole('row', { name: 'Cleo' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^(Role of|Actions for) Cleo/ }).count(), 0)
  await check()
  await page.unroute('**/roles')
  await retry.click()
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).waitFor()
  await page.getByRole('button', { name: 'Actions for Cleo' }).waitFor()
  assert.equal(await failed.count(), 0)

  const itemsOfInvitation = async () => {
    await page.getByRole('button', { name: 'Actions for the invitation to zoe@example.com' }).click()
    await page.getByRole('menuitem').first().waitFor()
    const items = await page.getByRole('menuitem').allInnerTexts()
    await closeMenu()
    return items
  }
  await refuse()
  await open(`/organizations/${slug}/invitations`)
  await failed.waitFor()
  assert.deepEqual(await itemsOfInvitation(), ['Copy email address', 'Revoke…'])
  await check()
  await page.unroute('**/roles')
  await retry.click()
  await failed.waitFor({ state: 'detached' })
  assert.deepEqual(await itemsOfInvitation(), ['Resend…', 'Copy email address', 'Revoke…'])

  // Somebody who changes nobody misses nothing.
  await become(cleo)
  const refused = page.waitForResponse('**/roles')
  await refuse()
  await open(`/organizations/${slug}/members`)
  await refused
  await page.getByRole('button', { name: 'Actions for Cleo' }).waitFor()
  assert.equal(await retry.count(), 0)
})

test('removing a member asks first and moves the focus to the next one; the removed member sees a message', async (t) => {
  const { ann, ben, slug } = await world.organization()
  const removed = await world.tab(t, { person: ben })
  await removed.open(`/organizations/${slug}/members`)
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  await tab.open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Ben' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('dialog', { name: 'Remove Ben?' }).getByRole('button', { name: 'Cancel' }).click()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Actions for Ben')
  await page.getByRole('button', { name: 'Actions for Ben' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('dialog', { name: 'Remove Ben?' }).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Ben was removed.').waitFor()
  await page.getByRole('link', { name: 'Members 2' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Actions for Cleo')
  await removed.showFilters()
  await removed.page.getByLabel('Search by name or email').fill('cleo')
  await removed.page.getByRole('heading', { name: /^You’re no longer a member of Acme/ }).waitFor()
  await removed.check()
  await removed.page.getByRole('button', { name: 'All organizations Switch organization' }).click()
  await removed.page.getByRole('menuitem', { name: 'New organization' }).waitFor()
  await removed.page.getByRole('menuitem', { name: /^Acme/ }).waitFor({ state: 'detached' })
  await removed.closeMenu()
  await removed.page.getByRole('link', { name: 'Go to your organizations' }).click()
  await removed.page.getByRole('heading', { name: 'No organizations yet' }).waitFor()
})

test('an admin who is demoted or removed while inviting or changing a role sees a message, and the action disappears', async (t) => {
  const { ann, ben, slug, path, members } = await world.organization()
  const { page, open } = await world.tab(t, { person: ben })
  await open(`/organizations/${slug}/members`)
  const part = page.getByRole('navigation', { name: /^People of/ }).getByRole('link', { name: 'Invitations' })
  await part.waitFor()
  await page.getByRole('button', { name: 'Invite people' }).click()
  await page.getByLabel('Email addresses').fill('zoe@example.com')
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText(/^You are now a member of Acme/).waitFor()
  await page.getByRole('dialog').getByText('You don’t have permission to do this').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await part.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Invite people' }).waitFor({ state: 'detached' })

  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'admin' })
  await page.reload()
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  await ann.delete(`${path}/members/${members.ben.id}`)
  await page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  await page.getByRole('heading', { name: /^You’re no longer a member of Acme/ }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('making a member an owner asks first, and says if somebody else has done it, also if the list has no row any more', async (t) => {
  const { ann, members, path } = await world.organization()
  const { page, open } = await world.tab(t, { person: ann })
  await open(`${path.replace('/api', '')}/members`)
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  await page.getByRole('menuitemradio', { name: /^Owner/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Make Cleo an owner?' })
  await dialog.waitFor()
  assert.equal((await ann.get(`${path}/members/${members.cleo.id}`)).body.role, 'member')
  await dialog.getByRole('button', { name: 'Make owner' }).click()
  await page.getByText('Cleo is now an owner.').waitFor()

  const setRole = async (role: string) => {
    assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { role })).status, 200)
  }
  await setRole('member')
  await open(`${path.replace('/api', '')}/members?role=member`)
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Transfer ownership…' }).click()
  const transfer = page.getByRole('dialog').getByRole('button', { name: 'Transfer ownership' })
  await transfer.waitFor()
  await setRole('owner')
  await transfer.click()
  await page.locator('main table').waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByRole('alert').getByText('Already an owner').waitFor()
})

test('a member with an end is offered no ownership, and one who gets an end meanwhile is not made an owner', async (t) => {
  const { ann, slug, path, members } = await world.organization()
  const until = new Date(Date.now() + 30 * 24 * 60 * 60 * 1000).toISOString()
  const end = async (id: string) => {
    assert.equal((await ann.patch(`${path}/members/${id}`, { expiresAt: until })).status, 200)
  }
  await end(members.ben.id)
  const { page, open, check } = await world.tab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Role of Ben: Admin' }).click()
  await page.getByRole('menuitemradio', { name: /^Member/ }).waitFor()
  assert.equal(await page.getByRole('menuitemradio', { name: /^Owner/ }).count(), 0)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Actions for Ben' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Transfer ownership…' }).count(), 0)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Transfer ownership…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Cleo becomes an owner').waitFor()
  await end(members.cleo.id)
  await dialog.getByRole('button', { name: 'Transfer ownership' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/^To make someone an owner, .* remove their end date first/)
    .waitFor()
  await check()
})

test('an owner transfers ownership and becomes an admin', async (t) => {
  const { ann, slug, path, members } = await world.organization()
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  await tab.open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Transfer ownership…' }).click()
  await page.getByRole('dialog').getByText('Cleo becomes an owner').waitFor()
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await tab.check()
  await page.getByRole('dialog').getByRole('button', { name: 'Transfer ownership' }).click()
  await Promise.all([
    page.getByText(/^Cleo is now an owner of Acme.*\.$/).waitFor(),
    page.getByText(/^You are now an admin of Acme.*\.$/).waitFor(),
  ])
  await page.getByRole('button', { name: 'Role of Ann: Admin' }).waitFor()
  await page.getByRole('button', { name: 'Actions for Cleo' }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor()
  assert.equal((await ann.get(`${path}/members/${members.cleo.id}`)).body.role, 'owner')
})
