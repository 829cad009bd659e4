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
  await page.getByText('3 members').waitFor()
  await tab.check()
  await page.getByRole('button', { name: 'Name' }).click()
  await page.getByRole('button', { name: 'Name' }).click()
  await page.waitForURL(/sort=-name/)
  await rows.first().getByText('Cleo', { exact: true }).waitFor()
  assert.equal(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'), 'descending')
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
  await tab.page.getByRole('menuitem', { name: 'End and suspension…' }).and(tab.page.locator(':focus')).waitFor()
  await tab.closeMenu()
  assert.equal(await tab.page.getByRole('main').getByRole('button', { name: /Ann/ }).count(), 0)
  // On the narrowest phone the whole button can be pressed, and a role is on one line.
  await tab.page.setViewportSize({ width: 320, height: 844 })
  const role = tab.page.getByRole('button', { name: 'Role of Cleo: Member' })
  const { width, height } = (await role.boundingBox()) ?? assert.fail('the button is not there')
  for (const x of [1, width - 1]) await role.click({ position: { x, y: height / 2 }, trial: true })
  await tab.open(`/organizations/${slug}/invitations`)
  const roles = tab.page.getByRole('cell', { name: /^(Member|Admin|Owner)$/ })
  await roles.first().waitFor()
  for (const text of await roles.all()) {
    const lines = await text.evaluate(
      (cell) => cell.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight),
    )
    assert.ok(lines < 2, 'on one line')
  }
  await tab.become(cleo)
  await tab.page.setViewportSize({ width: 390, height: 844 })
  await tab.open(`/organizations/${slug}/members`)
  await tab.page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await tab.page.getByRole('menuitem').first().waitFor()
  assert.deepEqual(await tab.page.getByRole('menuitem').allInnerTexts(), ['What you may do…', 'Leave…'])
  assert.equal(await tab.page.getByRole('button', { name: /^(Role of|Actions for (Ann|Ben))/ }).count(), 0)
  await tab.closeMenu()
  await tab.check()
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
  await page.getByText('2 members').waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Role of Cleo: Member')
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
  const places = page.getByRole('navigation').getByRole('link', { name: 'Invitations' })
  assert.equal(await places.count(), 2) // the organization's, and one's own
  await page.getByRole('button', { name: 'Invite people' }).click()
  await page.getByLabel('Email addresses').fill('zoe@example.com')
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText(/^You are now a member of Acme/).waitFor()
  await page.getByRole('dialog').getByText('You don’t have permission to do this').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.deepEqual([await places.count(), await page.getByRole('button', { name: 'Invite people' }).count()], [1, 0])

  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'admin' })
  await page.reload()
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  await ann.delete(`${path}/members/${members.ben.id}`)
  await page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  await page.getByRole('heading', { name: /^You’re no longer a member of Acme/ }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('making a member an owner asks first', async (t) => {
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
  await page.getByText(/^Cleo is now an owner of Acme.*\.$/).waitFor()
  await page.getByText(/^You are now an admin of Acme.*\.$/).waitFor()
  await page.getByRole('button', { name: 'Role of Ann: Admin' }).waitFor()
  await page.getByRole('button', { name: 'Actions for Cleo' }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor()
  assert.equal((await ann.get(`${path}/members/${members.cleo.id}`)).body.role, 'owner')
})
