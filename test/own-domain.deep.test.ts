/**
 * A tenant with a domain of its own, in Chromium: people sign in to its product there, and their cookie stays there.
 *
 * Chromium finds each name below `localhost` on this machine, and treats it as it does https. The service learns the same by a header, as
 * from a proxy.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConsoleWorld } from './browser.ts'
import { startProductServer } from './product-server.ts'
import { password } from './world.ts'

const world = await createConsoleWorld({
  isLocalhost: true,
  worker: false,
  settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Guildhall <no-reply@example.com>' },
})

test('a person signs in to a product at the domain of its tenant, and out again', async (t) => {
  const domain = `login-${randomBytes(4).toString('hex')}.localhost`
  const { port } = new URL(world.app.config.publicUrl)
  const { slug } = await world.tenant({ domains: [domain] })
  const product = await startProductServer(world, { tenant: slug })
  const ann = await world.person('Ann', { tenant: slug })
  const { page, context } = await world.tab(t, { visits: [product.origin, `http://${domain}:${port}`] })
  await context.setExtraHTTPHeaders({ 'x-forwarded-proto': 'https' })

  await page.goto(`${product.origin}/start`)
  await page.getByText('to continue to Acme', { exact: true }).waitFor()
  assert.equal(new URL(page.url()).hostname, domain)
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Hello Ann' }).waitFor()

  const cookies = (await context.cookies()).filter(({ name }) => name.includes('guildhall'))
  assert.ok(cookies.some(({ name }) => name === '__Host-guildhall'))
  for (const cookie of cookies) assert.deepEqual([cookie.domain, cookie.path, cookie.secure], [domain, '/', true])
  await page.goto(`${product.origin}/start`)
  await page.getByRole('heading', { name: 'Hello Ann' }).waitFor() // without a page
  await page.getByRole('link', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Nobody is here' }).waitFor()
  assert.ok(!(await context.cookies()).some(({ name }) => name === '__Host-guildhall'))
})
