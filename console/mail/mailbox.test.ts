/** The mailbox: mails that are stored instead of sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createConsoleWorld } from '../../test/browser.ts'
import { until } from '../../test/smtp.ts'
import { mailboxKey } from '../../test/world.ts'

const world = await createConsoleWorld()
const opened = `/mailbox#${mailboxKey}`

test('a new mail appears by itself, formatted and as text, and its link opens in a new tab', async (t) => {
  const tenant = await world.tenant()
  const { page, context, open, check } = await world.tab(t, { tenant: tenant.slug })
  await open(opened)
  await page.getByRole('heading', { name: 'No emails yet' }).waitFor()
  await check()
  const ann = await world.person('Ann', { tenant: tenant.slug, verified: false })

  const item = page.getByRole('button', { name: ann.email })
  await item.waitFor()
  await page.getByRole('heading', { name: 'Verify your email address for Another Tenant' }).waitFor()
  const frame = page.frameLocator('iframe')
  await frame.getByRole('link', { name: 'Verify email address' }).waitFor()
  await check()
  // It leads to the configured URL, where nothing listens in a test.
  await context.route('**/verify-email', (route) => route.fulfill({ body: 'opened' }))
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    frame.getByRole('link', { name: 'Verify email address' }).click(),
  ])
  assert.match(popup.url(), new RegExp(`/t/${tenant.slug}/verify-email#token=ghm_`))
  await popup.close()

  await page.getByText('Plain text').click()
  await page.getByRole('link', { name: /verify-email#token=/ }).waitFor()
  assert.equal(new URL(page.url()).hash, `#${mailboxKey}`)
})

test('a mail follows a dark mailbox, and its button is that of the pages', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  await world.mailedToken(ann.email, 'verify-email')
  const { page, open } = await world.tab(t)
  await open(opened)
  await page.getByRole('button', { name: ann.email }).click()
  const frame = page.frameLocator('iframe')
  const colors = async (selector: string) => {
    const element = frame.locator(selector).first()
    return element.evaluate((node) => {
      const { backgroundColor, color } = getComputedStyle(node)
      return [backgroundColor, color]
    })
  }
  for (const [scheme, ground, ink, button] of [
    ['light', 'rgb(250, 250, 250)', 'rgb(24, 24, 27)', ['rgb(39, 39, 42)', 'rgb(255, 255, 255)']],
    ['dark', 'rgb(18, 18, 20)', 'rgb(244, 244, 245)', ['rgb(228, 228, 231)', 'rgb(24, 24, 27)']],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor()
    // The frame learns of the scheme by itself, and maybe later than the page.
    let seen: unknown
    const isInScheme = async () => {
      seen = [await colors('body'), (await colors('h1'))[1], await colors('a')]
      return isDeepStrictEqual(seen, [[ground, ink], ink, button])
    }
    await until(isInScheme, `a ${scheme} mail`).catch(() => assert.deepEqual(seen, [[ground, ink], ink, button]))
  }
})

test('the list is filtered by recipient, and the arrow keys move through it', async (t) => {
  const { slug: tenant } = await world.tenant()
  const [ann, ben] = await Promise.all([
    world.person('Ann', { tenant, verified: false }),
    world.person('Ben', { tenant, verified: false }),
  ])
  await Promise.all([ann, ben].map(({ email }) => world.mailedToken(email, 'verify-email', tenant)))
  const { page, open, check, press } = await world.tab(t, { tenant })
  await open(opened)
  const list = page.getByRole('region', { name: 'Emails' }).getByRole('listitem')
  const [first, second] = [list.nth(0).getByRole('button'), list.nth(1).getByRole('button')]
  await first.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await second.and(page.locator('[aria-current=true]')).waitFor()

  const filter = page.getByRole('searchbox', { name: 'Recipient' })
  assert.equal(await filter.count(), 0)
  await page.getByRole('button', { name: 'Filter', exact: true }).focus()
  await press('Enter')
  await filter.and(page.locator(':focus')).waitFor()
  await check()
  await filter.fill(ben.email.slice(0, 8))
  await page.getByRole('button', { name: ann.email }).waitFor({ state: 'detached' })
  await filter.fill(ann.email)
  await page.getByRole('button', { name: ann.email }).waitFor()
  assert.equal(await list.count(), 1)
  await filter.fill('nobody@example.com')
  await page.getByRole('heading', { name: 'No emails to this recipient.' }).waitFor()
  await filter.fill('')
  await list.nth(1).waitFor()
  await filter.and(page.locator(':focus')).waitFor()
})

test('from ten mails on the filter is shown, also while it finds one', async (t) => {
  const { slug: tenant } = await world.tenant()
  const names = Array.from({ length: 10 }, (_, index) => `Eve${index}`)
  const people = await Promise.all(names.map((name) => world.person(name, { tenant, verified: false })))
  await Promise.all(people.map(({ email }) => world.mailedToken(email, 'verify-email', tenant)))
  const { page, open } = await world.tab(t, { tenant })
  await open(opened)
  const list = page.getByRole('region', { name: 'Emails' }).getByRole('listitem')
  await list.nth(9).waitFor()
  const filter = page.getByRole('searchbox', { name: 'Recipient' })
  await filter.fill(people[0]?.email ?? '')
  await list.nth(1).waitFor({ state: 'detached' })
  await filter.and(page.locator(':focus')).waitFor()
})

test('on a phone the list leads to a mail and back', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  await world.mailedToken(ann.email, 'verify-email')
  const { page, open, check } = await world.tab(t, { width: 320 })
  await open(opened)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, 'nothing scrolls sideways')
  await page.getByRole('button', { name: ann.email }).click()
  await page.getByRole('heading', { name: 'Verify your email address' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'All emails' }).click()
  const item = page.getByRole('button', { name: ann.email })
  await item.waitFor()
  await page.waitForFunction((email) => document.activeElement?.textContent?.includes(email), ann.email)
  await item.click()
  await page.getByRole('button', { name: 'All emails' }).waitFor()
  await page.goBack()
  await item.waitFor()
})

test('without its key the mailbox asks for it, and says where it is printed', async (t) => {
  const { page, open, check } = await world.tab(t)
  await open('/mailbox#a-wrong-key-of-the-mailbox')
  await page.getByRole('alert').filter({ hasText: 'This key is incorrect.' }).waitFor()
  await page.getByText('in the terminal, on the line “Mailbox”').waitFor()
  await check()
  await page.getByLabel('Key', { exact: true }).fill(`http://localhost:3000/mailbox#${mailboxKey}`)
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Emails' }).waitFor()
})
