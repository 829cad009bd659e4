/** What the pages of an organization show to members who may do something by a role of the product, and to others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { downloadCsv } from '../../test/downloads.ts'

const world = await createConsoleWorld()
const { slug: tenant } = await world.tenant()
const tess = await world.tenantAdmin(tenant)
const role = (key: string, ...permissions: string[]) => ({ key, name: key, permissions })
const changed = await tess.put('/api/admin/access', {
  permissions: [],
  roles: [
    role('viewer', 'invitations:read'),
    role('recruiter', 'invitations:read', 'invitations:write'),
    role('inviter', 'invitations:write'),
    role('auditor', 'audit:read'),
    role('editor', 'organization:update'),
    role('manager', 'members:update'),
    role('bouncer', 'members:remove'),
  ],
})
assert.equal(changed.status, 200)

/** An organization whose member Cleo has a role of the product. */
async function organizationWith(granted: string) {
  const acme = await world.organization({ tenant })
  const give = (key: string) =>
    acme.ann.patch(`${acme.path}/members/${acme.members.cleo.id}`, { grants: [{ role: key }] })
  assert.equal((await give(granted)).status, 200)
  return { ...acme, give }
}

/** The pages of the organization in the navigation. */
function placesOf(page: Page): Promise<string[]> {
  return page.getByRole('navigation').getByRole('link').allInnerTexts()
}
const always = ['Overview', 'People', 'Settings']
const inviteButton = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Invite people' })

test('who may see invitations finds them, and only who may invite also sends and revokes them', async (t) => {
  const { ann, cleo, path, slug, give } = await organizationWith('viewer')
  assert.equal((await ann.post(`${path}/invites`, { email: 'zoe@example.com' })).status, 201)
  assert.equal((await ann.post(`${path}/invites`, { email: 'yan@example.com', role: 'admin' })).status, 201)
  const { page, open, check, closeMenu } = await world.tab(t, { person: cleo, tenant })
  const actionsOf = async (email: string) => {
    await page.getByRole('button', { name: `Actions for the invitation to ${email}` }).click()
    await page.getByRole('menuitem').first().waitFor()
    const items = await page.getByRole('menuitem').allInnerTexts()
    await closeMenu()
    return items
  }

  await open(`/organizations/${slug}`)
  await page.getByRole('heading', { name: 'Pending invitations' }).waitFor()
  await page.getByText('zoe@example.com').waitFor()
  await check()
  assert.deepEqual(await placesOf(page), ['Overview', 'People', 'Links', 'Settings'])
  assert.equal(await inviteButton(page).count(), 0)
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click()
  await page.getByRole('link', { name: /^Invitations \d/ }).click()
  await page.getByRole('row', { name: 'zoe@example.com' }).waitFor()
  await check()
  assert.equal(await inviteButton(page).count(), 0)
  assert.deepEqual(await actionsOf('zoe@example.com'), ['Copy email address'])

  await give('recruiter')
  await open(`/organizations/${slug}/invitations`)
  await inviteButton(page).waitFor()
  await page.getByRole('row', { name: 'zoe@example.com' }).waitFor()
  await check()
  assert.deepEqual(
    await actionsOf('yan@example.com'),
    ['Copy email address', 'Revoke…'],
    'it gives more than they hold',
  )
  assert.deepEqual(await actionsOf('zoe@example.com'), ['Resend…', 'Copy email address', 'Revoke…'])
  await inviteButton(page).click()
  await page.getByLabel('Email addresses').fill('new@example.com')
  await page.getByRole('button', { name: 'More options' }).click()
  await page.getByLabel('recruiter', { exact: true }).waitFor()
  assert.deepEqual(
    await page.getByRole('dialog').getByLabel('Role', { exact: true }).locator('option').allInnerTexts(),
    ['Member'],
  )
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('1 invitation sent.').waitFor()
})

test('who may invite but not see invitations invites from the members and the overview', async (t) => {
  const { cleo, slug } = await organizationWith('inviter')
  const { page, open } = await world.tab(t, { person: cleo, tenant })
  for (const place of ['', '/members']) {
    await open(`/organizations/${slug}${place}`)
    await inviteButton(page).waitFor()
  }
  assert.deepEqual(await placesOf(page), always)
  await open(`/organizations/${slug}/invitations`)
  await page.getByRole('heading', { name: 'You can’t see invitations' }).waitFor()
})

test('who may see the activity finds it, on the overview too', async (t) => {
  const { cleo, slug } = await organizationWith('auditor')
  const { page, open, check } = await world.tab(t, { person: cleo, tenant })
  await open(`/organizations/${slug}`)
  await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
  assert.deepEqual(await placesOf(page), ['Overview', 'People', 'Activity', 'Settings'])
  await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).first().click()
  await page
    .getByText(/joined/)
    .first()
    .waitFor()
  await check()
})

test('who may change the organization changes its settings, and deletes nothing', async (t) => {
  const { cleo, path, slug } = await organizationWith('editor')
  const { page, open, check } = await world.tab(t, { person: cleo, tenant })
  await open(`/organizations/${slug}/settings`)
  await page.getByLabel('Name').fill('Edited')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings of Edited were saved.').waitFor()
  await check()
  assert.equal((await cleo.get(path)).body.name, 'Edited')
  assert.deepEqual(
    [await page.getByRole('switch').count(), await page.getByRole('button', { name: 'Delete organization…' }).count()],
    [0, 0],
  )
  assert.deepEqual(await placesOf(page), always)
})

test('who may change members, or remove them, does so with those who hold no more, and not the other', async (t) => {
  const { ann, cleo, dan, id, path, slug, give } = await organizationWith('manager')
  await world.join(ann, id, dan)
  const { page, open, check, closeMenu, showFilters } = await world.tab(t, { person: cleo, tenant })
  const menusOf = async () => {
    await open(`/organizations/${slug}/members`)
    await page.getByRole('row', { name: 'Dan' }).waitFor()
    const names = await page
      .getByRole('main')
      .getByRole('button', { name: /^(Actions for|Role of)/ })
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))
    await page.getByRole('button', { name: 'Actions for Dan' }).click()
    await page.getByRole('menuitem').first().waitFor()
    const items = await page.getByRole('menuitem').allInnerTexts()
    await closeMenu()
    return [names, items]
  }
  const menus = ['Actions for Cleo', 'Actions for Dan']
  assert.deepEqual(await menusOf(), [menus, ['Roles and end…', 'Suspend…']])
  await showFilters()
  await page.getByLabel('Status').selectOption('Suspended')
  await page.getByRole('heading', { name: 'No members found' }).waitFor()
  await check()
  await give('bouncer')
  assert.deepEqual(await menusOf(), [menus, ['Remove…']])
  await showFilters()
  assert.equal(await page.getByLabel('Status').count(), 0)
  await page.getByRole('button', { name: 'Actions for Dan' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Dan was removed.').waitFor()
  assert.equal((await ann.get(path)).body.memberCount, 3)
})

test('who may not change members opens an address with the filters of those who may, and gets the list and its file', async (t) => {
  const { ann, cleo, path, slug, members } = await organizationWith('viewer')
  const { page, open, check } = await world.tab(t, { person: cleo, tenant })
  await open(`/organizations/${slug}/members?status=suspended&hasSecondFactor=true`)
  for (const name of ['Ann', 'Ben', 'Cleo']) await page.getByRole('row', { name }).waitFor()
  assert.deepEqual((await downloadCsv(page)).lines.length, 3)
  assert.equal(await page.getByRole('button', { name: 'Filter', exact: true }).count(), 1, 'nothing is filtered')
  await check()

  // The filters apply as soon as they may.
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'manager' }] })).status, 200)
  await page.reload()
  await page.getByRole('heading', { name: 'No members found' }).waitFor()
  assert.equal(await page.getByLabel('Status').inputValue(), 'suspended')
})

test('a right that is taken away while a page is open takes its buttons with it', async (t) => {
  const { ann, cleo, path, slug, members } = await organizationWith('recruiter')
  assert.equal((await ann.post(`${path}/invites`, { email: 'zoe@example.com' })).status, 201)
  const { page, open, showFilters } = await world.tab(t, { person: cleo, tenant })
  await open(`/organizations/${slug}/invitations`)
  await page.getByRole('row', { name: 'zoe@example.com' }).waitFor()
  await showFilters()
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [] })
  page.removeAllListeners() // Chromium logs the refusals
  await page.getByLabel('Status').selectOption('accepted')
  await page.getByRole('heading', { name: 'You can’t see invitations' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Links' }).waitFor({ state: 'detached' })
  assert.deepEqual(await placesOf(page), always)
})
