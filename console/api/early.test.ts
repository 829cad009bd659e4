/** Responses that came before the console's code. How they come is tested in a browser (console.test.ts). */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { takeEarly } from './early.ts'

const url = 'https://guildhall.example/api/tenant'

/** As theme/opening.ts leaves it. */
function comeEarly(tenant?: string): Response {
  const response = new Response('{}', { headers: tenant === undefined ? {} : { 'guildhall-tenant': tenant } })
  Object.assign(globalThis, { window: { early: { '/api/tenant': Promise.resolve(response) } } })
  return response
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'window')
})

test('a response that came early is taken once, by the request that it answers', async () => {
  const response = comeEarly()
  for (const other of [new Request(`${url}?x=1`), new Request(url, { method: 'POST' }), new Request(`${url}/x`)])
    assert.equal(await takeEarly(other), undefined)
  assert.equal(await takeEarly(new Request(url)), response)
  assert.equal(await takeEarly(new Request(url)), undefined)
})

test('a response that came early for one tenant is not taken for another', async () => {
  const to = (tenant: string) => new Request(url, { headers: { 'Guildhall-Tenant': tenant } })
  const response = comeEarly('acme')
  assert.equal(await takeEarly(to('acme')), response)
  comeEarly('acme')
  assert.equal(await takeEarly(to('other')), undefined)
  comeEarly()
  assert.equal(await takeEarly(to('other')), undefined)
})
