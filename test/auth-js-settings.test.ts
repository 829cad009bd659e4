/** Auth.js with the configuration that docs/build/frameworks.md shows for Next.js and SvelteKit, as it is written there. */
import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { beforeEach, test } from 'node:test'
import { Auth, type AuthConfig } from '@auth/core'
import { getToken } from '@auth/core/jwt'
import { readDocument } from './documents.ts'
import { Browser, createPublicWorld, register, site } from './relying-party.ts'
import type { Json, Person } from './world.ts'

const world = await createPublicWorld()
const { blocks } = readDocument('docs/build/frameworks.md')
const written = ['// auth.ts', '// src/auth.ts'].map(
  (beginning) => blocks.find(({ text }) => text.startsWith(beginning))?.text ?? assert.fail(beginning),
)
const secret = 'a secret that is only used in tests'

/** The clock and the network of the product. */
const product: { passed: number; answer: (() => Promise<Response>) | undefined } = { passed: 0, answer: undefined }
const clock = { now: () => Date.now() + product.passed }
const reach: typeof fetch = (...request) => (product.answer ?? fetch)(...request)
const minutes = 60_000

/** @returns the configuration that a file of the document passes to Auth.js */
function configurationIn(text: string, application: { id: string; secret: string | null; issuer: string }): AuthConfig {
  const code = stripTypeScriptTypes(text)
    .replace(/^import .*$/gm, '')
    .replace(/^export const .* = \w+\(/m, 'return (')
    .replace('https://accounts.example.com/api/tenants/ten_…', application.issuer)
    .replace('app_…', application.id)
  const run = new Function('process', 'env', 'Date', 'fetch', code)
  const env = { CLIENT_SECRET: application.secret }
  return { ...run({ env }, env, clock, reach), basePath: '/api/auth', trustHost: true, secret }
}

/** A product in which somebody is signed in, in a browser of its own. */
async function enter(person?: Person) {
  const application = await register(world, { redirectUris: [`${site}/api/auth/callback/guildhall`] })
  const [text = assert.fail()] = written
  const config = configurationIn(text, application)
  const jar = new Map<string, string>()
  const cookie = () => [...jar].map((pair) => pair.join('=')).join('; ')
  const send = async (address: URL | string, form?: Record<string, string>): Promise<Response> => {
    const body = form && { method: 'POST', body: new URLSearchParams(form) }
    const response = await Auth(new Request(new URL(address, site), { headers: { cookie: cookie() }, ...body }), config)
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  const [ann, browser] = [person ?? (await world.person()), new Browser(world)]
  const { csrfToken }: Json = await (await send('/api/auth/csrf')).json()
  const begun = await send('/api/auth/signin/guildhall', { csrfToken, callbackUrl: `${site}/home` })
  const page = await browser.open(`${begun.headers.get('location')}`)
  assert.equal(await browser.step(page), 'sign_in')
  await browser.signIn(ann)
  await send(await browser.goOn(page))
  return {
    ann,
    session: async (): Promise<Json> => (await send('/api/auth/session')).json(),
    /** What the sign-out of the document reads, on the server. */
    token: () => getToken({ req: { headers: { cookie: cookie() } }, secret, secureCookie: false }),
  }
}

beforeEach(() => Object.assign(product, { passed: 0, answer: undefined }))

test('both frameworks have the same configuration', () => {
  const application = { id: 'app_x', secret: 'x', issuer: 'https://accounts.example.com/api/tenants/ten_x' }
  const shown = written.map((text) => {
    const { providers, callbacks } = configurationIn(text, application)
    return { providers, callbacks: `${callbacks?.jwt} ${callbacks?.session}` }
  })
  assert.deepEqual(shown[0], shown[1])
})

test('scripts of a page read who it is, and no token; the server reads the ID token for the sign-out', async () => {
  const { ann, session, token } = await enter()

  const shown = await session()

  assert.deepEqual([shown.userId, shown.acr], [ann.id, 'aal1'])
  assert.doesNotMatch(JSON.stringify(shown), /ey[JI]|gh[a-z]_/)
  assert.match(`${(await token())?.idToken}`, /^eyJ/)
})

test('a person who is suspended is out after five minutes, and others stay', async () => {
  const [tess, bob] = [await world.tenantAdmin(), await enter()]
  const { ann, session } = await enter()
  await tess.patch(`/api/admin/users/${ann.id}`, { status: 'suspended' })

  product.passed = 4 * minutes
  assert.equal((await session()).userId, ann.id, 'it is not asked at each request')
  product.passed = 5 * minutes

  assert.equal(await session(), null)
  assert.equal((await bob.session()).userId, bob.ann.id)
  assert.equal(await session(), null)
})

for (const [what, answer] of [
  ['Guildhall cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
  ['Guildhall asks the product to wait', async () => Response.json({ code: 'rate_limited' }, { status: 429 })],
  ['a proxy refuses the product', async () => new Response('<h1>Forbidden</h1>', { status: 403 })],
  ['a proxy answers with a page of its own', async () => new Response('<h1>Welcome</h1>')],
] satisfies [string, () => Promise<Response>][])
  test(`while ${what}, people stay, and the product asks again after half a minute`, async () => {
    const { ann, session } = await enter()
    await ann.delete('/api/users/me/devices') // all others
    product.passed = 5 * minutes

    product.answer = answer
    assert.equal((await session()).userId, ann.id)
    product.answer = () => assert.fail('asked again at once')
    assert.equal((await session()).userId, ann.id)
    product.answer = undefined
    product.passed += minutes / 2

    assert.equal(await session(), null)
  })
