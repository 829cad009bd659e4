/** The console's weight: how many requests load a page, and how many bytes the first page is. How fast that is, npm run bench says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../test/browser.ts'

const world = await createConsoleWorld()

test('the page to sign in is loaded by at most 12 requests, with at most 200 kB', async (t) => {
  const { page, open } = await world.tab(t)
  const requests = listen(page)
  await open('/sign-in')
  await page.waitForLoadState('networkidle')

  assert.ok(requests.length <= 12, requests.join('\n'))
  const sizes = await Promise.all(requests.map(async (path) => [path, await sizeOf(path)] as const))
  const sum = sizes.reduce((total, [, size]) => total + size, 0)
  assert.ok(sum > 50_000 && sum <= 200_000, `${sum}: ${sizes.map((pair) => pair.join(' ')).join('\n')}`)
})

test('each page of a signed-in user is loaded by at most 24 requests', async (t) => {
  const tess = await world.tenantAdmin()
  const { body: acme } = await tess.post('/api/organizations', { name: 'Acme' })
  const { page, open } = await world.tab(t, { person: tess })
  const requests = listen(page)
  const own = ['', '/members', '/links', '/activity', '/settings'].map((path) => `/organizations/${acme.slug}${path}`)
  const admin = ['users', 'organizations', 'access', 'applications', 'providers', 'activity', 'settings']
  const me = ['/me', '/me/security', '/me/devices', '/me/activity', '/me/invitations']
  const many: string[] = []
  for (const path of ['/organizations', ...own, ...me, ...admin.map((name) => `/admin/${name}`)]) {
    requests.length = 0
    await open(path)
    await page.waitForLoadState('networkidle')
    if (requests.length > 24) many.push(`${path} ${requests.length}: ${requests.join(' ')}`)
  }
  assert.deepEqual(many, [])
})

/** @returns a list to which the paths of the service are added that a page asks for, also those that its browser has kept */
function listen(page: Page): string[] {
  const requests: string[] = []
  page.on('request', (request) => void requests.push(new URL(request.url()).pathname))
  return requests
}

/** How many bytes the body is that a browser gets. */
async function sizeOf(path: string): Promise<number> {
  const headers = { 'accept-encoding': 'gzip, deflate, br' }
  return (await world.app.inject({ url: path, headers })).rawPayload.length
}
