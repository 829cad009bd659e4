/** The language of times, dates and numbers on pages, of which screen readers need to know one that is not the page's; times that pass. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()

test('a time in another language than the page says so, and words of the page do not', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, become, check } = await world.tab(t, { person: ann })
  const since = page.getByRole('definition').locator('time').first()
  for (const [locale, lang] of [
    ['fa-IR', 'fa-IR'],
    ['en-US', null],
  ] as const) {
    assert.equal((await ann.patch('/api/users/me', { locale })).status, 200)
    await open('/me')
    assert.equal(await since.getAttribute('lang'), lang)
    await since.focus()
    const exact = page.getByRole('tooltip').filter({ hasText: /./ }).first()
    assert.equal(await exact.locator('span').first().getAttribute('lang'), lang)
    await check()
  }
  assert.equal((await ann.patch('/api/users/me', { locale: 'th-TH' })).status, 200)
  await open('/me')
  assert.match((await since.textContent()) ?? '', /20\d\d/) // as date fields have it, and not as the Thai calendar does
  const bea = await world.person('Bea')
  await bea.patch('/api/users/me', { locale: 'fa-IR' })
  await become(bea)
  const { data } = (await bea.get('/api/users/me/devices')).body
  await page.clock.setFixedTime(Math.max(...data.map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt))))
  await open('/me/devices')
  const now = page.getByText('just now', { exact: true }).first()
  assert.equal(await now.getAttribute('lang'), null)
})

test('numbers are written as the page’s sentences are, whatever the reader’s language', async (t) => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  assert.equal((await admin.patch('/api/users/me', { locale: 'fa-IR' })).status, 200)
  const { page, open } = await world.tab(t, { person: admin, tenant: slug })
  await open('/admin/users')
  await page.getByRole('status').getByText('1–1 of 1', { exact: true }).waitFor()
})

test('how long ago something was goes on while the page is open', async (t) => {
  const ann = await world.person('Ann')
  const { page, open } = await world.tab(t, { person: ann })
  const { data } = (await ann.get('/api/users/me/devices')).body
  await page.clock.install({ time: data[0].createdAt })
  await open('/me/devices')
  const time = page.getByRole('main').locator('time').first()
  await time.waitFor()
  assert.notEqual(await time.textContent(), '1 hour ago')
  await page.clock.fastForward('01:00:00')
  await time.getByText('1 hour ago').waitFor()
})
