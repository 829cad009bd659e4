/** The invitations of an organization in the console: sending one or many, sending again, revoking. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()

test('one invitation is sent, sent again and revoked', async (t) => {
  const { ben, slug, path } = await world.organization()
  const email = `zoe-${randomBytes(4).toString('hex')}@example.com`
  const tab = await world.tab(t, { person: ben })
  const { page } = tab
  await tab.open(`/organizations/${slug}/members`)
  await page.getByRole('link', { name: 'Invite people' }).click()
  await page.waitForURL(/invite=true/)
  await page.getByLabel('Email addresses').fill(email)
  const offered = page.getByRole('dialog').getByLabel('Role')
  assert.deepEqual(await offered.locator('option').allTextContents(), ['Member', 'Admin'])
  await offered.selectOption('admin')
  await tab.check()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('1 invitation is on its way.').waitFor()
  await page.waitForURL((url) => !url.search.includes('invite'))
  const row = page.getByRole('row', { name: email })
  await row.getByText('Expires in 7 days').waitFor()
  await row.getByRole('cell', { name: 'Admin' }).waitFor()
  await tab.check()
  await world.mailedToken(email, 'invitation')
  await page.getByRole('button', { name: `Actions for the invitation of ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Send again' }).click()
  await page.getByText(`A new mail is on its way to ${email}`).waitFor()
  await page.getByRole('button', { name: `Actions for the invitation of ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('Revoked').waitFor()
  await page.getByLabel('State').selectOption('pending')
  await page.getByRole('heading', { name: 'No such invitation' }).waitFor()
  const { body } = await ben.get(`${path}/invites?status=revoked`)
  assert.ok(body.data.some((invitation: { email: string }) => invitation.email === email))
})

test('many are invited at once, each is told what became of it, and what failed is not lost', async (t) => {
  const { ann, cleo, slug, path } = await world.organization()
  const tail = `${randomBytes(4).toString('hex')}@example.com`
  await ann.post(`${path}/invites`, { email: `old-${tail}` })
  const tab = await world.tab(t, { person: ann, width: 390 })
  const { page } = tab
  await tab.open(`/organizations/${slug}/invitations?invite=true`)
  await page
    .getByLabel('Email addresses')
    .fill(`"New, One" <new-${tail}>; ${cleo.email}, old-${tail}\nnot-an-address two-${tail}`)
  await page.getByRole('button', { name: 'Send 5 invitations' }).click()
  const outcome = (email: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: email })
  await outcome(`new-${tail}`).getByText('Invited').waitFor()
  await outcome(cleo.email).getByText('Is a member already').waitFor()
  await outcome(`old-${tail}`).getByText('Is invited already').waitFor()
  await outcome('not-an-address').getByText('Not an email address').waitFor()
  await outcome(`two-${tail}`).getByText('Invited').waitFor()
  assert.equal(await page.getByLabel('Email addresses').inputValue(), 'not-an-address')
  await tab.check()
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: `two-${tail}` }).waitFor()
})

test('when invitations are too many it stops, says when to go on and keeps the rest', async (t) => {
  const { ann, slug } = await world.organization()
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  let asked = 0
  await page.route(`**/api/organizations/*/invites`, (route) => {
    if (route.request().method() !== 'POST' || ++asked === 1) return route.continue()
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': '300' },
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'rate_limited', policy: 'inviter' }),
    })
  })
  await tab.open(`/organizations/${slug}/invitations?invite=true`)
  const emails = ['a', 'b', 'c'].map((name) => `${name}-${randomBytes(4).toString('hex')}@example.com`)
  await page.getByLabel('Email addresses').fill(emails.join(' '))
  await page.getByRole('button', { name: 'Send 3 invitations' }).click()
  await page.getByText('You can try again in 5 minutes.').waitFor()
  assert.equal(await page.getByLabel('Email addresses').inputValue(), emails.slice(1).join('\n'))
  assert.equal(asked, 2)
})

test('members are told that invitations and activity are for admins, who see both', async (t) => {
  const { ben, cleo, slug } = await world.organization()
  const tab = await world.tab(t, { person: cleo })
  await tab.open(`/organizations/${slug}/invitations`)
  await tab.page.getByRole('heading', { name: 'Only admins see invitations' }).waitFor()
  assert.equal(await tab.page.getByRole('link', { name: 'Invite people' }).count(), 0)
  await tab.open(`/organizations/${slug}/activity`)
  await tab.page.getByRole('heading', { name: 'Only admins see the activity' }).waitFor()
  const admin = await world.tab(t, { person: ben })
  await admin.open(`/organizations/${slug}/activity`)
  await admin.page
    .getByText(/joined/)
    .first()
    .waitFor()
})
