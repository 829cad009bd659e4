/** Where acts move the focus: to what they bring, also if the browser draws before that is there. */
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { drawAtOnce } from '../../test/early-frames.ts'
import { mailboxKey } from '../../test/world.ts'

const world = await createConsoleWorld()

test('a refusal gets the focus in the dialog that asked', async (t) => {
  const { ann, slug, path, members } = await world.organization()
  const { page, open } = await world.tab(t, { person: ann })
  await drawAtOnce(t, page)
  await open(`/organizations/${slug}/members`)
  const member = `${path}/members/${members.cleo.id}`
  // Just before the request: if the page read this earlier, it would take the dialog away.
  await page.route(`**${member}`, async (route) => {
    await ann.delete(member)
    await route.continue()
  })
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('alert').and(page.locator(':focus')).waitFor()
})

test('a refusal gets the focus on the page of permissions and roles', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { page, open } = await world.tab(t, { person: tess, tenant })
  await drawAtOnce(t, page)
  await open('/admin/access')
  await page.getByRole('button', { name: 'Add permission' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('End sessions')
  await dialog.getByLabel('Key').fill('sessions:send') // a reserved noun
  await dialog.getByRole('button', { name: 'Add permission' }).click()
  await page.getByRole('button', { name: 'Review and save…' }).click()
  await page.getByRole('alert').and(page.locator(':focus')).waitFor()
})

test('who discards their text for that of somebody else goes on in the first field', async (t) => {
  const { ann, slug, path } = await world.organization()
  const { page, open } = await world.tab(t, { person: ann })
  await drawAtOnce(t, page)
  await open(`/organizations/${slug}/settings`)
  const name = page.getByLabel('Name')
  await name.fill('Acme & Sons')
  await ann.patch(path, { name: 'Acme & Daughters' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Discard my changes' }).click()
  await name.and(page.locator(':focus')).waitFor()
})

test('on a phone, who leaves a mail is at this mail in the list', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  await world.mailedToken(ann.email, 'verify-email')
  const { page, open } = await world.tab(t, { width: 390 })
  await drawAtOnce(t, page)
  await open(`/mailbox#${mailboxKey}`)
  const mail = page.getByRole('button', { name: ann.email })
  await mail.click()
  await page.getByRole('button', { name: 'All emails' }).click()
  await mail.and(page.locator(':focus')).waitFor()
})
