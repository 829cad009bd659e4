/** The invitations of an organization in the console: sending one or many, resending, revoking. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

/** How many invitations one person may send: a request has up to a hundred. */
const most = 110
const world = await createConsoleWorld({ settings: { LIMITS: 'on', LIMIT_INVITES: `${most}/86400` } })

test('an invitation is sent, resent and revoked', async (t) => {
  const list = Promise.withResolvers<void>()
  t.after(() => list.resolve()) // before the page waits for its requests
  const { ben, slug, path } = await world.organization()
  const email = `zoe-${randomBytes(4).toString('hex')}@example.com`
  const tab = await world.tab(t, { person: ben })
  const { page } = tab
  await tab.open(`/organizations/${slug}/members`)
  const opener = page.getByRole('button', { name: 'Invite people' })
  await opener.click()
  await page.getByLabel('Email addresses').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await opener.and(page.locator(':focus')).waitFor()
  assert.match(page.url(), /\/members$/)
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { name: 'Recent activity' }).waitFor() // the page before has the same button
  await opener.click()
  await page.getByLabel('Email addresses').fill(email)
  await page.goBack()
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Email addresses').inputValue(), email)
  await page.goBack()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.waitForURL(/\/members$/)
  await tab.open(`/organizations/${slug}/invitations`)
  await opener.click()
  await page.getByLabel('Email addresses').fill(email)
  const offered = page.getByRole('dialog').getByLabel('Role')
  await offered.selectOption('admin') // once the roles are read
  assert.deepEqual(await offered.locator('option').allTextContents(), ['Member', 'Admin'])
  await tab.check()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('1 invitation sent.').waitFor()
  await opener.and(page.locator(':focus')).waitFor()
  const row = page.getByRole('row', { name: email })
  await row.getByText(/Expires in [678] days/).waitFor() // of the calendar: midnight or a change of the clocks may lie between
  await row.getByRole('cell', { name: 'Admin' }).waitFor()
  await tab.check()
  await world.mailedToken(email, 'invitation')
  await page.getByRole('button', { name: `Actions for the invitation to ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Resend' }).click()
  await page.getByText(`${email} gets an email with a new link, and the previous link stops working.`).waitFor()
  await page.getByLabel('Invitation stays open for').selectOption('3 days')
  await tab.check()
  await page.route(/\/invites(\?|$)/, async (route) => {
    await list.promise
    await route.continue()
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click()
  await page.getByText(`The invitation to ${email} was sent again.`).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  list.resolve() // the outcome does not wait for what is read again
  await row.getByText(/Expires in [234] days/).waitFor()
  await page.getByRole('button', { name: `Actions for the invitation to ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  await tab.showFilters()
  await page.getByLabel('Status').selectOption('Revoked')
  await row.getByText('Revoked').waitFor()
  const { body } = await ben.get(`${path}/invites?status=revoked`)
  assert.ok(body.data.some((invitation: { email: string }) => invitation.email === email))
})

test('an invitation that is declined while somebody revokes it is not pending any more, also in the list', async (t) => {
  const { ben, dan, slug, path } = await world.organization()
  const { body } = await ben.post(`${path}/invites`, { email: dan.email })
  const { page, open } = await world.tab(t, { person: ben })
  await open(`/organizations/${slug}/invitations`)
  await page.getByRole('button', { name: `Actions for the invitation to ${dan.email}` }).click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Revoke' }).waitFor()
  assert.equal((await dan.post(`/api/invites/${body.id}/decline`)).status, 200)
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('alert').getByText('This invitation is no longer pending').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('row', { name: dan.email }).waitFor({ state: 'detached' })
})

test('many invitations are sent at once, each with its result, and addresses that failed stay in the field', async (t) => {
  const { ann, cleo, slug, path } = await world.organization()
  const place = `${randomBytes(4).toString('hex')}.example.com`
  const tail = `${randomBytes(4).toString('hex')}@example.com`
  await ann.post(`${path}/invites`, { email: `old-${tail}` })
  const tab = await world.tab(t, { person: ann, width: 390 })
  const { page } = tab
  await tab.open(`/organizations/${slug}/invitations`)
  await page.getByRole('button', { name: 'Invite people' }).click()
  await page
    .getByLabel('Email addresses')
    .fill(
      `"New, One" <new-${tail}>; ${cleo.email}, old-${tail}\nnot-an-address Two@bücher.${place} two@xn--bcher-kva.${place}`,
    )
  await page.getByRole('button', { name: 'Send 6 invitations' }).click()
  const outcome = (email: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: email })
  await outcome(`new-${tail}`).getByText('Invited').waitFor()
  await outcome(cleo.email).getByText('Already a member').waitFor()
  await outcome(`old-${tail}`).getByText('Already invited').waitFor()
  await outcome('not-an-address').getByText('Not an email address').waitFor()
  await outcome(`two@xn--bcher-kva.${place}`).getByText('Invited').waitFor()
  assert.equal(await page.getByRole('dialog').getByRole('listitem').count(), 5) // one address was written in two ways
  await page.getByRole('heading', { name: '2 invitations sent.' }).waitFor()
  const field = page.getByLabel('Email addresses')
  await field.and(page.locator(':focus[aria-invalid=true]')).waitFor()
  assert.equal(await field.inputValue(), 'not-an-address')
  const [description] = await field.evaluateAll((all) =>
    all.map((each) =>
      each
        .getAttribute('aria-describedby')
        ?.split(' ')
        .map((id) => document.getElementById(id)?.textContent)
        .join(' '),
    ),
  )
  assert.match(description ?? '', /Not invited: not-an-address\./)
  await tab.check()
  await field.fill('')
  await page.getByRole('button', { name: 'Send invitation' }).waitFor({ state: 'detached' }) // nothing is left to send
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row', { name: `two@xn--bcher-kva.${place}` }).waitFor()
})

test('a hundred addresses go out at once; at the limit, sending stops, says when to continue and keeps the rest', async (t) => {
  const { ann, slug, path } = await world.organization()
  const before = 2 // the members of the organization were invited
  const tab = await world.tab(t, { person: ann })
  const { page } = tab
  const sizes: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/invites/bulk'))
      sizes.push(request.postDataJSON().invites.length)
  })
  await tab.open(`/organizations/${slug}/invitations`)
  await page.getByRole('button', { name: 'Invite people' }).click()
  const tail = randomBytes(4).toString('hex')
  const emails = Array.from({ length: most + 2 }, (_, n) => `a${n}-${tail}@example.com`)
  await page.getByLabel('Email addresses').fill(emails.join(' '))
  await page.getByRole('button', { name: `Send ${emails.length} invitations` }).click()
  await page.getByRole('heading', { name: `${most - before} invitations sent.` }).waitFor()
  await page.getByRole('dialog').getByText('Try again in 24 hours.').waitFor()
  await page.getByText('4 addresses were not invited.').waitFor()
  assert.equal(await page.getByLabel('Email addresses').inputValue(), emails.slice(-4).join('\n'))
  assert.deepEqual(sizes, [100, 12])
  const { data } = (await ann.get(`${path}/invites?status=pending&limit=100`)).body
  assert.equal(data.length, 100)
})

test('an address that was invited too often says so, and the others are invited', async (t) => {
  const { ben, slug } = await world.organization()
  const tail = `${randomBytes(4).toString('hex')}@example.com`
  for (let count = 0; count < 5; count++) {
    const { ann, path } = await world.organization()
    assert.equal((await ann.post(`${path}/invites`, { email: `often-${tail}` })).status, 201)
  }
  const { page, open, check } = await world.tab(t, { person: ben })
  await open(`/organizations/${slug}/invitations`)
  await page.getByRole('button', { name: 'Invite people' }).click()
  await page.getByLabel('Email addresses').fill(`often-${tail} new-${tail}`)
  await page.getByRole('button', { name: 'Send 2 invitations' }).click()
  const outcome = (email: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: email })
  await outcome(`new-${tail}`).getByText('Invited').waitFor()
  await outcome(`often-${tail}`).getByText('Invited too often.').waitFor()
  await check()
  assert.equal(await page.getByLabel('Email addresses').inputValue(), `often-${tail}`)
})

test('members read that they see neither invitations nor activity', async (t) => {
  const { ben, cleo, slug } = await world.organization()
  const tab = await world.tab(t, { person: cleo })
  await tab.open(`/organizations/${slug}/invitations`)
  await tab.page.getByRole('heading', { name: 'You can’t see invitations' }).waitFor()
  assert.equal(await tab.page.getByRole('button', { name: 'Invite people' }).count(), 0)
  await tab.open(`/organizations/${slug}/activity`)
  await tab.page.getByRole('heading', { name: 'You can’t see activity' }).waitFor()
  await tab.become(ben)
  await tab.open(`/organizations/${slug}/activity`)
  await tab.page
    .getByText(/joined/)
    .first()
    .waitFor()
})
