/** Messages: their kinds, and where they appear. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()

const message = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text })

/** Whether two elements are one above the other. */
async function overlap(page: Page, text: string): Promise<boolean> {
  const one = await message(page, text).boundingBox()
  const other = await page.getByRole('dialog').boundingBox()
  assert.ok(one && other)
  const isApart = (at: 'x' | 'y', size: 'width' | 'height') =>
    one[at] + one[size] <= other[at] || other[at] + other[size] <= one[at]
  return !isApart('x', 'width') && !isApart('y', 'height')
}

for (const [width, height] of [
  [390, 844],
  [390, 600],
  [1024, 600],
] as const)
  test(`a message covers nothing of a dialog in a window of ${width} × ${height}`, async (t) => {
    const { ann, slug } = await world.organization()
    const { page, open, check } = await world.tab(t, { person: ann, width })
    await page.setViewportSize({ width, height })
    await open(`/organizations/${slug}`)
    const invite = page.getByRole('button', { name: 'Invite people' })
    await invite.click()
    const addresses = page.getByLabel('Email addresses')
    await addresses.fill('zoe@example.org')
    await Promise.all([
      page.getByRole('button', { name: 'Send invitation' }).click(),
      message(page, '1 invitation sent.').hover(), // it stays while the pointer is on it
    ])
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await invite.press('Enter')
    await addresses.and(page.locator(':focus')).waitFor() // the dialog takes the focus a moment after it has opened
    await page.getByRole('button', { name: 'More options' }).press('Enter')
    await page.getByRole('switch', { name: 'Send no email' }).waitFor()
    assert.equal(await overlap(page, '1 invitation sent.'), false)
    await check()
  })

test('a message says by its color and its icon whether something was done, refused, or done by others', async (t) => {
  const { ann, ben, slug, path, members } = await world.organization()
  const { page, context, open, become, check } = await world.tab(t, { person: ann })
  const colorOf = async (text: string, act: Promise<void>) => {
    await Promise.all([message(page, text).hover(), act]) // it stays while the pointer is on it
    await check()
    const icon = message(page, text).locator('.mantine-Notification-icon:has(svg)')
    return icon.evaluate((each) => getComputedStyle(each).backgroundColor)
  }
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  const toAdmin = page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  assert.equal(await colorOf('Cleo is now an admin', toAdmin), 'rgb(23, 112, 63)') // --good in tokens.css
  await page.getByRole('button', { name: 'Role of Cleo: Admin' }).click()
  await context.setOffline(true)
  const toMember = page.getByRole('menuitemradio', { name: /^Member/ }).click()
  assert.equal(await colorOf('You’re offline', toMember), 'rgb(200, 30, 30)') // --error
  await context.setOffline(false)

  await become(ben)
  await open(`/organizations/${slug}/members`)
  // Just before the request: if the page read this earlier, as when it gets the focus, it would take the button away.
  await page.route(`**${path}/members/${members.cleo.id}`, async (route) => {
    await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  const removing = page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  assert.equal(await colorOf('now a member of', removing), 'rgb(109, 109, 118)')
})
