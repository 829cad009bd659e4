/** Pictures in the console: choosing one, looking at it, and removing it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { createConsoleWorld } from '../../test/browser.ts'
import { drawAtOnce } from '../../test/early-frames.ts'

const world = await createConsoleWorld()
/** Larger than the service takes. */
const noise = await sharp({
  create: {
    width: 2400,
    height: 1600,
    channels: 3,
    background: '#888',
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
  },
})
  .png()
  .toBuffer()
/** A square on a ground of another colour. */
const square = await sharp({ create: { width: 800, height: 800, channels: 3, background: '#f4a672' } })
  .png()
  .toBuffer()
const buffer = await sharp({ create: { width: 2400, height: 1600, channels: 3, background: '#0f766e' } })
  .composite([{ input: square }])
  .png()
  .toBuffer()
const file = (name: string) => ({ name, mimeType: 'image/png', buffer })

test('a person chooses a picture by keyboard, sees it first, and removes it', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, check } = await world.tab(t, { person: ann })
  await open('/me')
  const field = page.getByRole('group', { name: 'Picture' })
  const choosing = page.waitForEvent('filechooser')
  await field.getByRole('button', { name: 'Choose a picture…' }).focus()
  await page.keyboard.press('Enter')
  await (await choosing).setFiles(file('ann.png'))
  await field.getByRole('img', { name: 'Preview of the picture' }).waitFor()
  await check()
  await field.getByRole('button', { name: 'Use this picture' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await field.getByRole('status').getByText('Picture saved.').waitFor()
  const { avatarUrl } = (await ann.get('/api/users/me')).body
  const { pathname } = new URL(avatarUrl)
  await page
    .locator(`header img[src="${pathname}"], nav img[src="${pathname}"], main img[src="${pathname}"]`)
    .first()
    .waitFor()
  await check()

  await field.getByRole('button', { name: 'Remove' }).click()
  await field.getByRole('status').getByText('Picture removed.').waitFor()
  assert.equal((await ann.get('/api/users/me')).body.avatarUrl, null)
})

test('the focus is on what to do with a picture, even if the browser draws before the buttons are there', async (t) => {
  const { page, open } = await world.tab(t, { person: await world.person('Ann') })
  await drawAtOnce(t, page)
  await open('/me')
  const field = page.getByRole('group', { name: 'Picture' })
  const focused = (name: string) => field.getByRole('button', { name }).and(page.locator(':focus')).waitFor()
  const choosing = page.waitForEvent('filechooser')
  await field.getByRole('button', { name: 'Choose a picture…' }).focus()
  await page.keyboard.press('Enter')
  await (await choosing).setFiles(file('ann.png'))
  await focused('Use this picture')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await focused('Choose a picture…')
})

test('a picture that is too large is made smaller, and what is none is refused in words', async (t) => {
  assert.ok(noise.length > 5 * 1024 * 1024)
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann, width: 390 })
  await open('/me')
  const field = page.getByRole('group', { name: 'Picture' })
  const input = field.locator('input[type=file]')
  const refused = async (name: string, mimeType: string, text: string, words: string) => {
    await input.setInputFiles({ name, mimeType, buffer: Buffer.from(text) })
    await field.getByRole('alert').getByText(words).waitFor()
  }
  await refused('a.txt', 'text/plain', 'no picture', 'This file isn’t a PNG, JPEG or WebP picture.')
  await refused('a.png', 'image/png', 'no picture', 'The file may be damaged.')
  await refused('a.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'This file isn’t a PNG')
  await input.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: noise })
  await field.getByRole('button', { name: 'Use this picture' }).click()
  await field.getByText('Picture saved.').waitFor()
  assert.match((await ann.get('/api/users/me')).body.avatarUrl, /\/pictures\//)
})

test('a file that is no picture is forgotten once the picture is removed, and can be chosen again', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann })
  await open('/me')
  const field = page.getByRole('group', { name: 'Picture' })
  const input = field.locator('input[type=file]')
  await input.setInputFiles(file('ann.png'))
  await field.getByRole('button', { name: 'Use this picture' }).click()
  await field.getByText('Picture saved.').waitFor()
  await input.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') })
  await field.getByRole('alert').getByText('This file isn’t a PNG').waitFor()
  // A browser says nothing of a file that the input holds already. Playwright says it of each.
  assert.equal(await input.inputValue(), '')

  await field.getByRole('button', { name: 'Remove' }).click()
  await field.getByRole('status').getByText('Picture removed.').waitFor()
  assert.equal(await field.getByRole('alert').count(), 0)
})

test('a wide logo is shown whole, before and after it is saved', async (t) => {
  const ann = await world.person('Ann')
  const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
  const { page, open } = await world.tab(t, { person: ann })
  await open(`/organizations/${acme.slug}/settings`)
  const field = page.getByRole('group', { name: 'Logo' })
  await field.locator('input[type=file]').setInputFiles(file('logo.png'))
  const fitOf = (shown: string) => field.locator(shown).evaluate((each) => getComputedStyle(each).objectFit)
  assert.equal(await fitOf('canvas'), 'contain')
  await field.getByRole('button', { name: 'Use this picture' }).click()
  await field.getByText('Picture saved.').waitFor()
  assert.equal(await fitOf('img'), 'contain')
})

test('an organization and the tenant get logos, and the tab shows that of the tenant', async (t) => {
  const { slug: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(tenant)
  const { body: acme } = await admin.post('/api/organizations', { name: 'Acme' })
  const { page, open, check } = await world.tab(t, { person: admin, tenant })
  const choose = async () => {
    const field = page.getByRole('group', { name: 'Logo' })
    await field.locator('input[type=file]').setInputFiles(file('logo.png'))
    await field.getByRole('button', { name: 'Use this picture' }).click()
    await field.getByText('Picture saved.').waitFor()
  }
  await open(`/organizations/${acme.slug}/settings`)
  await choose()
  await check()
  assert.match((await admin.get(`/api/organizations/${acme.id}`)).body.logoUrl, /\/pictures\//)
  await open('/admin/settings')
  await choose()
  const { logoUrl } = (await admin.get('/api/admin/tenant')).body.brand
  await page.locator(`link[rel=icon][href="${new URL(logoUrl).pathname}"]`).waitFor({ state: 'attached' })
  await check()
})
