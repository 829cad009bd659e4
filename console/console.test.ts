/** The console as a whole: what holds on every page of it. What each page does is tested beside it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsoleWorld } from '../test/browser.ts'
import { password } from '../test/world.ts'

const world = await createConsoleWorld()

test('no script can read the token of a session', async (t) => {
  const ann = await world.person()
  const { page, context, open } = await world.tab(t)
  const bodies: string[] = []
  page.on('response', async (response) => {
    if (response.url().includes('/api/')) bodies.push(await response.text().catch(() => ''))
  })
  await open('/sign-in')
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  for (const path of ['/me', '/me/devices', '/me/activity', '/organizations/new']) await open(path)

  const cookies = await context.cookies()
  const session = cookies.find(({ name }) => name === 'guildhall')
  assert.ok(session?.value.startsWith('ghs_'))
  assert.deepEqual(
    cookies.filter(({ httpOnly }) => !httpOnly).map(({ name }) => name),
    [],
  )
  const readable = await page.evaluate(async () => {
    const databases = await indexedDB.databases()
    const caches = await globalThis.caches.keys()
    return JSON.stringify({
      cookie: document.cookie,
      local: { ...localStorage },
      session: { ...sessionStorage },
      databases,
      caches,
      page: document.documentElement.outerHTML,
      history: history.state,
      window: window.name,
      address: location.href,
    })
  })
  const secret = session?.value.split('.')[1] ?? assert.fail('a token has a secret')
  for (const text of [readable, ...bodies])
    assert.ok(!text.includes(secret) && !text.includes(password), text.slice(0, 200))
})

test('a session that ended elsewhere leads to signing in, and back to where one was', async (t) => {
  const ann = await world.person()
  const { page, open } = await world.tab(t, { person: ann })
  await open('/me/devices')
  await ann.delete('/api/users/me/devices')
  await page.getByRole('link', { name: 'Activity' }).first().click()

  await page.getByText('You were signed out').waitFor()
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/me\/(activity|devices)/)
})

test('under /t/<slug>/ the console is that tenant’s, with its name, colour and people', async (t) => {
  const { slug } = await world.tenant()
  await world.postgres.ask(`update tenants set name = 'The Shop', color = '#0f766e' where slug = $1`, [slug])
  const ann = await world.person('Ann', { tenant: slug })
  const { page, open } = await world.tab(t, { tenant: slug, person: ann })

  await open('/me')

  assert.match(page.url(), new RegExp(`/t/${slug}/me$`))
  assert.match(await page.title(), / · The Shop$/)
  const accent = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--accent-in-light'),
  )
  assert.equal(accent.trim(), 'rgb(15 118 110)')
  await page.goto('/me') // the default tenant's console, with a cookie of another tenant
  await page.getByRole('heading', { name: 'Sign in to Guildhall' }).waitFor()
})

test('a tenant that is not there is said to be none', async (t) => {
  const { page } = await world.tab(t)
  await page.goto('/t/nobody-lives-here/sign-in')
  await page.getByText('There is no tenant “nobody-lives-here” here.').waitFor()
})

test('an address that leads nowhere says so, signed in and out', async (t) => {
  const ann = await world.person()
  const { page, open, check } = await world.tab(t, { person: ann })
  for (const path of ['/organizations/nothing-of-this-name', '/admin/users', '/me/nothing']) {
    await open(path)
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  }
  await check()
})

test('every place can be reached by keyboard, and the focus is where the reader is', async (t) => {
  const ann = await world.person()
  const { page, open } = await world.tab(t, { person: ann })
  await open('/me')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the content')
  const devices = page.getByRole('link', { name: 'Devices' })
  await devices.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
})

test('on a phone the places open from a bar, and nothing runs out of the page', async (t) => {
  const ann = await world.person()
  const { page, open, check } = await world.tab(t, { person: ann, width: 390 })
  await open('/organizations')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await check()
})
