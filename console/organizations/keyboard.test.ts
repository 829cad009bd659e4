/** The acts at an organization by keyboard alone: after each, the focus is on what comes next. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'
import { keyboardOf } from '../../test/keyboard.ts'

const world = await createConsoleWorld()

async function openTab(t: Parameters<typeof world.tab>[0], options: TabOptions) {
  const tab = await world.tab(t, options)
  return {
    ...tab,
    ...keyboardOf(tab),
    field: (name: string) => tab.page.getByRole('textbox', { name, exact: true }),
  }
}

test('people are invited, changed and removed by keyboard, and each act leads to the next', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open, press, isAt, act, choose, title, button, field, item } = await openTab(t, {
    person: ann,
  })
  const part = (name: string) => page.getByRole('navigation', { name: /^People of/ }).getByRole('link', { name })
  await open(`/organizations/${slug}/members`)

  await act(button('Invite people'))
  await isAt(field('Email addresses'))
  await page.keyboard.type('yan@example.com, zoe@example.com')
  await act(button('Send 2 invitations'))
  await isAt(button('Invite people'))
  await press('Enter')
  await isAt(field('Email addresses'))
  assert.equal(await field('Email addresses').inputValue(), '')
  await page.keyboard.type('nobody')
  await act(button('Send invitation'))
  await isAt(field('Email addresses')) // there is a fault
  await press('Escape')
  await isAt(button('Invite people'))

  await act(part('Invitations 2'))
  await isAt(part('Invitations 2'))
  const menuOf = (name: string) => button(`Actions for the invitation to ${name}@example.com`)
  await act(menuOf('zoe'))
  await choose(item('Resend…'))
  await isAt(button('Cancel'))
  await act(button('Resend'))
  await isAt(menuOf('zoe'))
  await press('Enter')
  await choose(item('Revoke…'))
  await act(button('Revoke'))
  await isAt(menuOf('yan'))
  await press('Enter')
  await choose(item('Revoke…'))
  await act(button('Revoke'))
  await page.getByRole('heading', { name: 'No pending invitations' }).waitFor()
  await isAt(title)

  await act(part('Members 3'))
  await isAt(part('Members 3'))
  await act(button('Role of Cleo: Member'))
  await choose(page.getByRole('menuitemradio', { name: /^Owner/ }))
  await isAt(button('Cancel'))
  await press('Escape')
  await isAt(button('Role of Cleo: Member'))
  await press('Enter')
  await choose(page.getByRole('menuitemradio', { name: /^Admin/ }))
  await isAt(button('Role of Cleo: Admin'))
  await act(button('Actions for Cleo'))
  await choose(item('Suspend…'))
  await isAt(button('Cancel'))
  await act(button('Suspend'))
  await page.getByText('Cleo was suspended.').waitFor()
  await isAt(button('Actions for Ben')) // the list shows active members
  await press('Enter')
  await choose(item('Remove…'))
  await isAt(button('Cancel'))
  await act(button('Remove'))
  await page.getByText('Ben was removed.').waitFor()
  await isAt(button('Actions for Ann'))
  await press('Enter')
  await choose(item('Leave…'))
  await isAt(button('Cancel'))
  await press('Escape')
  await isAt(button('Actions for Ann'))
})

test('an organization is made, renamed, left and deleted by keyboard', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, press, isAt, act, type, title, button, field, place } = await openTab(t, { person: ann })
  await open('/organizations')
  await act(page.getByRole('main').getByRole('link', { name: 'New organization' }))
  await isAt(field('Name'))
  await page.keyboard.type('Acorn')
  await press('Enter')
  await page.getByRole('heading', { name: 'Acorn', level: 1 }).waitFor()
  await isAt(title)

  await act(place('Settings'))
  await isAt(title)
  await type(field('Name'), 'Acorns')
  await press('Enter')
  await page.getByText('The settings of Acorns were saved.').waitFor()
  await isAt(field('Name'))
  await press('Control+a')
  await press('Backspace')
  await act(button('Save'))
  await isAt(field('Name')) // there is a fault
  await page.keyboard.type('Oak')
  await act(button('Save'))
  await page.getByText('The settings of Oak were saved.').waitFor()
  await isAt(button('Save'))

  await act(place('Links'))
  await isAt(title)
  await act(button('New link'))
  await isAt(page.getByLabel('Number of people'))
  await act(button('Create link'))
  await isAt(field('Link'))
  await act(button('Done'))
  await isAt(button('New link'))

  await act(place('Activity'))
  await isAt(title)

  await act(place('Settings'))
  await act(button('Delete organization…'))
  await isAt(field(`Type acorn to confirm`))
  await press('Escape')
  await isAt(button('Delete organization…'))
  await press('Enter')
  await isAt(field(`Type acorn to confirm`))
  await page.keyboard.type('acorn')
  await press('Enter')
  await page.getByText('Oak was deleted.').waitFor()
  await isAt(title)
})

test('a person accepts one invitation, declines another, and leaves by keyboard', async (t) => {
  const { ann, path } = await world.organization()
  const { ann: another, path: other } = await world.organization()
  const dan = await world.person('Dan')
  for (const [inviter, where] of [
    [ann, path],
    [another, other],
  ] as const)
    assert.equal((await inviter.post(`${where}/invites`, { email: dan.email, role: 'member' })).status, 201)
  const { page, open, isAt, act, title, button, choose, item, place } = await openTab(t, { person: dan })
  await open('/me/invitations')
  const decline = page.getByRole('button', { name: /^Decline the/ })
  await act(decline.first())
  await isAt(button('Cancel'))
  await act(button('Decline'))
  await decline.nth(1).waitFor({ state: 'detached' })
  await isAt(decline)
  await act(page.getByRole('button', { name: /^Accept the/ }))
  await page.waitForURL('**/organizations/*')
  await isAt(title)

  await act(place('People'))
  await isAt(title)
  await act(button('Actions for Dan'))
  await choose(item('Leave…'))
  await isAt(button('Cancel'))
  await act(button('Leave'))
  await page.getByText(/^You left Acme/).waitFor()
  await isAt(title)
})
