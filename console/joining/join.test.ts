/** The page of a link to join. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()

test('somebody with a link signs in and joins, on a phone', async (t) => {
  const { ann, dan, path, slug } = await world.organization()
  const { body: link } = await ann.post(`${path}/links`, {})
  const { page, open, check } = await world.tab(t, { width: 390 })
  await open(`/join${new URL(link.url).hash}`)
  await page.getByText('Ann shared this link.').waitFor()
  await check()
  const failed: string[] = []
  page.on('response', (each) => void (each.status() >= 400 && failed.push(each.url())))
  await page.getByLabel('Email').fill(dan.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in to join' }).click()
  await page.getByText(`Signed in as ${dan.email}`).waitFor()
  assert.deepEqual(failed, [], 'nothing is asked for that only members get')
  await check()
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.waitForURL(`**/organizations/${slug}`)
  await page.getByText(/^You joined Acme/).waitFor()
  const { body: member } = await dan.get(`${path}/members/me`)
  assert.equal(member.role, 'member')

  await open(`/join${new URL(link.url).hash}`)
  await page.getByRole('heading', { name: 'You’re already a member of Acme' }).waitFor()
  await check()
  await page.getByRole('link', { name: 'Go to Acme' }).waitFor()
  // Removed by somebody: no link lets them in again.
  assert.equal((await ann.delete(`${path}/members/${member.id}`)).status, 200)
  await page.reload()
  const again = page.getByRole('button', { name: 'Join', exact: true })
  await again.click()
  await page.getByRole('alert').and(page.locator(':focus')).getByText('Ask an admin for an invitation.').waitFor()
  assert.equal(await again.count(), 0)
  await check()
})

test('somebody whose address is not verified gets the email again, and joins once they have opened it', async (t) => {
  const { ann, path, slug } = await world.organization()
  const { body: link } = await ann.post(`${path}/links`, {})
  const eve = await world.person('Eve', { verified: false })
  const { page, open, check } = await world.tab(t, { person: eve, width: 390 })
  await open(`/join${new URL(link.url).hash}`)
  await page.getByText('Then you can join.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Join', exact: true }).count(), 0)
  await check()
  await page.getByRole('button', { name: 'Resend email' }).click()
  await page.getByText(`A new link is on its way to ${eve.email}`).waitFor()
  await world.postgres.query('update users set email_verified = true where id = $1', [eve.id]) // as if it was opened
  await page.reload()
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.waitForURL(`**/organizations/${slug}`)
})

test('somebody without an account signs up and comes back to the link, whose token is in no query', async (t) => {
  const { ann, path } = await world.organization()
  const { body: link } = await ann.post(`${path}/links`, {})
  const { hash } = new URL(link.url)
  const email = `nora-${Date.now()}@example.com`
  const { page, open, check } = await world.tab(t, { width: 390 })
  await open(`/join${hash}`)
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  const { search, hash: fragment } = new URL(page.url())
  assert.deepEqual([search, fragment], ['', ''])
  await page.reload()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign in to join' }).waitFor()
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Name').fill('Nora')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL((url) => url.pathname === '/join' && url.search === '' && url.hash === hash)
  await page.getByText(`Signed in as ${email}`).waitFor()
  await page.getByText('Then you can join.').waitFor()
  await check()
})

test('a link that has ended says so, whatever ended it, and half a link is incomplete', async (t) => {
  const { ann, path } = await world.organization()
  const { body: link } = await ann.post(`${path}/links`, {})
  await ann.delete(`${path}/links/${link.id}`)
  const { page, open, check } = await world.tab(t)
  await open(`/join${new URL(link.url).hash}`)
  await page.getByText('This link no longer works').waitFor()
  await check()
  await open('/join#token=ghl_01')
  await page
    .getByRole('heading')
    .getByText(/incomplete/i)
    .waitFor()
  await page.getByText('Copy the whole link, or ask for it again.').waitFor()
})
