/** The console's weight: how many requests load the page to sign in, and how many bytes it is. How fast that is, npm run bench says. */
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
