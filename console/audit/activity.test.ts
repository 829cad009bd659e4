/** The page of one's own activity: what it says, and what it is filtered by. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()

test('a person reads what they did, chooses kinds and times, goes back, and shares the link', async (t) => {
  const { ann, path } = await world.organization()
  await ann.patch('/api/users/me', { name: 'Ann Archer' })
  await ann.post(`${path}/invites`, { email: 'eve@example.com', role: 'admin' })
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me/activity')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await page.getByText('You invited eve@example.com as an admin').waitFor()
  const profile = page.getByRole('listitem').filter({ hasText: 'You changed your profile' })
  assert.match((await profile.textContent()) ?? '', /NameAnnAnn Archer/)
  await check()

  const kinds = page.getByRole('combobox', { name: 'Kind' })
  await kinds.click()
  await page.getByRole('option', { name: 'Account' }).click()
  await page.getByText('You invited eve@example.com as an admin').waitFor({ state: 'detached' })
  await profile.waitFor()
  await page.keyboard.press('Escape')
  assert.equal(new URL(page.url()).searchParams.get('kinds'), 'account')

  await page.getByRole('combobox', { name: 'Time' }).click()
  await page.getByRole('option', { name: 'Between two dates' }).click()
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByLabel('Until').fill('2020-01-31')
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  await check()
  const link = page.url()

  await page.goBack()
  await profile.waitFor()
  await page.goto(link)
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
  await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('You invited eve@example.com as an admin').waitFor()
  assert.equal(new URL(page.url()).search, '')
})
