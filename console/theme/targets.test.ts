/** What fingers and keys reach: the sizes of what is tapped and typed on a phone, and the button that shows a password. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()

/** Runs in the browser. A link or button in a sentence is as high as its line, which WCAG 2.5.8 allows. */
const tooSmall = `[...document.querySelectorAll('button, nav a, input, select, textarea, [role=menuitem]')].flatMap((each) => {
  if (!each.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return []
  const style = getComputedStyle(each)
  if (style.display === 'inline') return []
  // For screen readers alone.
  if (each.closest('thead') && getComputedStyle(each.closest('thead')).clipPath !== 'none') return []
  const isChoice = ['checkbox', 'radio'].includes(each.type)
  const target = isChoice ? (each.closest('.mantine-SegmentedControl-root, [class*=-body]') ?? each) : each
  const { width, height } = target.getBoundingClientRect()
  const name = [each.tagName, each.getAttribute('aria-label') ?? each.textContent ?? '', each.id].join(' ')
  const isTyped = !isChoice && !each.readOnly && ['INPUT', 'SELECT', 'TEXTAREA'].includes(each.tagName)
  return [
    ...(width > 0 && (height < 43.5 || width < 43.5) && !isTyped ? [name + ': ' + width + ' × ' + height] : []),
    ...(isTyped && Number.parseFloat(style.fontSize) < 16 ? [name + ': font of ' + style.fontSize] : []),
    ...(isTyped && each.offsetHeight > 0 && each.offsetHeight < 41.5 ? [name + ': ' + height + ' high'] : []),
  ]
})`

const faultsOf = (page: Page) => page.evaluate(tooSmall)

test('on a phone, fingers hit each button and field, and no field makes the page larger', async (t) => {
  const { ann, slug, path } = await world.organization()
  await ann.post(`${path}/invites`, { email: 'kim@example.org', role: 'member' })
  const { page, open, become } = await world.tab(t, { width: 390 })
  for (const outside of ['/sign-in', '/sign-up', '/forgot-password']) {
    await open(outside)
    assert.deepEqual(await faultsOf(page), [], outside)
  }
  await become(ann)
  const organization = `/organizations/${slug}`
  const inside = ['', '/members', '/members?tab=invitations', '/activity', '/settings'].map(
    (part) => organization + part,
  )
  for (const at of [...inside, '/organizations', '/me', '/me/security', '/me/devices']) {
    await open(at)
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
    assert.deepEqual(await faultsOf(page), [], at)
  }
  await open(`${organization}/members`)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Overview' }).waitFor()
  assert.deepEqual(await faultsOf(page), [], 'the open menu')
})

test('the button that shows a password is a stop of the keyboard', async (t) => {
  const { page, open, press } = await world.tab(t)
  await open('/sign-in')
  const field = page.getByLabel('Password', { exact: true })
  await field.fill(password)
  await press('Tab')
  await page.getByRole('button', { name: 'Show or hide password' }).and(page.locator(':focus')).waitFor()
  await press('Enter')
  assert.equal(await field.getAttribute('type'), 'text')
  assert.equal(new URL(page.url()).pathname, '/sign-in', 'the form is not sent')
})
