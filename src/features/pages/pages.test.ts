/** The pages beside the console's, as a browser would ask for them: what is served, and under what policy. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../../test/world.ts'
import { problems } from '../../domain/problems.ts'

const world = await createWorld()
const pages = ['/docs', '/docs/problems']

const get = (path: string, headers: Record<string, string> = {}) => fetch(world.url + path, { headers })

for (const page of pages) {
  test(`${page} loads nothing from elsewhere and runs no inline script`, async () => {
    const answer = await get(page)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.match(policy, /base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/)
    assert.doesNotMatch(policy, /http|\*|unsafe-eval|script-src[^;]*unsafe/)
    assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin')

    const html = await answer.text()
    assert.doesNotMatch(html, /<script>|<style|\son[a-z]+=|\sstyle=/)
    for (const [, url = ''] of html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)) {
      assert.match(url, /^\/(?!\/)/)
      const asset = await get(url)
      await asset.arrayBuffer()
      assert.equal(asset.status, 200, url)
      assert.match(
        asset.headers.get('content-type') ?? '',
        /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
        url,
      )
    }
  })
}
test('the page of problems has an anchor for every code', async () => {
  const html = await (await get('/docs/problems')).text()
  for (const code of Object.keys(problems)) assert.ok(html.includes(`id="${code}"`), code)
})

test("each page has Guildhall's logo as a plain drawing", async () => {
  const mark = await get('/pages/favicon.svg')
  assert.deepEqual([mark.status, mark.headers.get('content-type')], [200, 'image/svg+xml'])
  assert.doesNotMatch(await mark.text(), /<script|<style|href|url\(|\son[a-z]+=/)
  for (const page of pages) {
    assert.match(await (await get(page)).text(), /<link rel="icon" href="\/pages\/favicon\.svg" /, page)
  }
})

test('the OpenAPI document is served, and does not list the pages', async () => {
  const document = (await (await get('/openapi.json')).json()) as { openapi: string; paths: object }
  assert.equal(document.openapi, '3.1.1')
  assert.deepEqual(
    Object.keys(document.paths).filter((path) => !/^\/(api\/|livez$|readyz$)/.test(path)),
    [],
  )
})

test('an unchanged page is not sent again', async () => {
  const first = await get('/docs/problems')
  await first.arrayBuffer()
  const second = await get('/docs/problems', { 'if-none-match': first.headers.get('etag') ?? '' })
  assert.equal(second.status, 304)
  assert.equal(await second.text(), '')
})

test('the script of the reference is the same with and without gzip', async () => {
  const [zipped, plain] = await Promise.all([
    get('/docs/scalar.js', { 'accept-encoding': 'gzip' }),
    get('/docs/scalar.js', { 'accept-encoding': 'identity' }),
  ])
  assert.equal(zipped.headers.get('content-encoding'), 'gzip')
  assert.equal(plain.headers.get('content-encoding'), null)
  const text = await plain.text()
  assert.ok(text.includes('createApiReference'))
  assert.equal(await zipped.text(), text)
})

test('pages answer other methods with 405', async () => {
  const answer = await fetch(`${world.url}/docs`, { method: 'POST' })
  assert.equal(answer.status, 405)
  assert.equal(answer.headers.get('allow'), 'GET, HEAD')
})
