/** The acts of an admin by keyboard alone: after each, the focus is on what comes next. */
import { type TestContext, test } from 'node:test'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'
import { keyboardOf } from '../../test/keyboard.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()
const admin = await world.tenantAdmin()

async function openTab(t: TestContext, options: TabOptions = { person: admin }) {
  const tab = await world.tab(t, options)
  return {
    ...tab,
    ...keyboardOf(tab),
    /** Of the pages about one user or one organization. */
    tab: (name: string) =>
      tab.page.getByRole('navigation', { name: /^Pages of/ }).getByRole('link', { name, exact: true }),
  }
}

test('an admin makes, changes, signs out and deletes a user by keyboard', async (t) => {
  const ann = await world.person('Ann')
  await world.signIn(ann)
  const { page, open, press, isAt, act, type, title, button, field, tab, dialog } = await openTab(t)
  await open('/admin/users?query=ann')
  await act(button('New user'))
  await isAt(dialog.getByLabel('Email'))
  await page.keyboard.type(`zoe-${Date.now()}@example.com`)
  await press('Enter')
  await page.getByText(/^Account created/).waitFor()
  await isAt(title) // of the new user's page
  await open('/admin/users?query=a')
  const search = page.getByRole('searchbox', { name: 'Search by name or email' })
  await type(search, ann.email)
  await page.getByText('1–1 of 1').waitFor()
  await isAt(search)
  await act(page.getByRole('link', { name: 'Ann' }))
  await page.getByRole('heading', { level: 1, name: 'Ann' }).waitFor()
  await isAt(title)

  await type(field('Name'), 'Anna')
  await press('Enter')
  await page.getByText('Name saved.').waitFor()
  await isAt(field('Name'))
  await act(button('Make admin'))
  await isAt(field('Your password'))
  await page.keyboard.type(password)
  await press('Enter')
  await page.getByText('Anna is now an admin.').waitFor()
  await isAt(button('Remove admin role'))
  await press('Enter')
  await isAt(button('Cancel'))
  await act(dialog.getByRole('button', { name: 'Remove admin role' }))
  await page.getByText('Anna is no longer an admin.').waitFor()
  await isAt(button('Make admin'))

  await act(tab('Devices'))
  await isAt(tab('Devices'))
  const ends = page.getByRole('button', { name: 'Sign out node' })
  await act(ends.first())
  await ends.nth(1).waitFor({ state: 'detached' })
  await isAt(ends)
  await press('Enter')
  await page.getByText('Not signed in anywhere').waitFor()
  await isAt(page.getByRole('heading', { name: 'Devices', level: 2 }))

  await act(tab('Profile'))
  await act(button('Suspend'))
  await isAt(button('Cancel'))
  await act(dialog.getByRole('button', { name: 'Suspend' }))
  await page.getByText(/^Anna was suspended/).waitFor()
  await isAt(button('Reactivate'))
  await press('Enter')
  await page.getByText('Anna can sign in again.').waitFor()
  await isAt(button('Suspend'))
  await act(button('Delete user…'))
  const confirm = field(`Type ${ann.email} to confirm`)
  await isAt(confirm)
  await press('Escape')
  await isAt(button('Delete user…'))
  await press('Enter')
  await isAt(confirm)
  await page.keyboard.type(ann.email)
  await press('Enter')
  await page.getByText('Anna was deleted.').waitFor()
  await isAt(title)
})

test('an admin changes, transfers and deletes an organization, and the settings, by keyboard', async (t) => {
  const { id, slug } = await world.organization()
  const { page, open, press, isAt, act, type, choose, title, button, field, item, place, tab } = await openTab(t)
  await open(`/admin/organizations/${id}`)
  await act(button('Role of Ben: Admin'))
  await choose(page.getByRole('menuitemradio', { name: /^Member/ }))
  await isAt(button('Role of Ben: Member'))
  await act(button('Actions for Ben'))
  await choose(item('Remove…'))
  await isAt(button('Cancel'))
  await act(button('Remove'))
  await page.getByText('Ben was removed.').waitFor()
  await isAt(button('Actions for Cleo'))

  await act(tab('Settings'))
  await isAt(tab('Settings'))
  const most = field('Member limit')
  await type(most, '30')
  await press('Enter')
  await page.getByText(/^The limit of Acme.* was saved\.$/).waitFor()
  await isAt(most)
  await act(button(/^Transfer /))
  await isAt(page.getByRole('combobox', { name: 'New owner' }))
  await act(button('Cancel'))
  await isAt(button(/^Transfer /))
  await act(button(/^Delete /))
  await isAt(field(`Type ${slug} to confirm`))
  await page.keyboard.type(slug)
  await press('Enter')
  await page.getByText(/ was deleted\.$/).waitFor()
  await isAt(title)

  await act(place('Settings'))
  await isAt(title)
  await type(field('Name'), 'Northwind')
  await press('Enter')
  await page.getByText(/saved\.$/).waitFor()
  await isAt(field('Name'))
})
