/** The exchange with two providers that are not ours: `oidc-provider`, which is certified for OpenID Connect. */
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { test } from 'node:test'
// @ts-expect-error: it has no types
import OpenIdProvider from 'oidc-provider'
import { listenLocally } from '../../../test/listening.ts'
import { Outbound } from '../../platform/outbound/outbound.ts'
import { type Callback, Exchange } from './exchange.ts'
import type { ProviderFailure } from './failures.ts'
import type { Provider } from './kinds.ts'

const redirectUri = 'https://accounts.example.com/sign-in/callback/idp_1'
const [one, other] = [await startProvider(), await startProvider()]
const exchange = new Exchange(new Outbound(['127.0.0.1']).fetch)

async function startProvider(): Promise<Provider> {
  let handle: RequestListener = () => {}
  const server = createServer((request, response) => handle(request, response))
  const issuer = await listenLocally(server)
  const client = { client_id: 'guildhall', client_secret: 'a secret of the client', redirect_uris: [redirectUri] }
  const person = { sub: 'ann', email: 'ann@example.com', email_verified: true, name: 'Ann' }
  handle = new OpenIdProvider(issuer, {
    clients: [client],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: () => ({ accountId: 'ann', claims: () => person }),
    pkce: { required: () => true },
  }).callback()
  const { client_id: clientId, client_secret: clientSecret } = client
  return { type: 'oidc', clientId, clientSecret, issuer, microsoftTenant: null, trustsEmail: true }
}

/** Signs in and consents, as in a browser. @returns the query parameters that come back */
async function browse(url: string): Promise<Callback> {
  const jar = new Map<string, string>()
  let answer = await visit(jar, url)
  for (let step = 0; step < 12; step++) {
    const location = answer.headers.get('location')
    if (location?.startsWith(redirectUri))
      return Object.fromEntries(new URL(location).searchParams) as unknown as Callback
    if (location) answer = await visit(jar, new URL(location, answer.url || url).href)
    else {
      const page = await answer.text()
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
      const form = new URLSearchParams({ prompt, login: 'ann', password: 'any' })
      answer = await visit(jar, new URL(action, answer.url).href, form)
    }
  }
  throw new Error('The browser did not come back.')
}

async function visit(jar: Map<string, string>, url: string, form?: URLSearchParams): Promise<Response> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(url, {
    method: form ? 'POST' : 'GET',
    headers: { cookie },
    redirect: 'manual',
    ...(form && { body: form }),
  })
  for (const [, name = '', value = ''] of answer.headers
    .getSetCookie()
    .map((line) => /^([^=]+)=([^;]*)/.exec(line) ?? []))
    jar.set(name, value)
  return answer
}

test('a person signs in at a certified provider', async () => {
  const begun = await exchange.beginSignIn(one, { redirectUri })
  const callback = await browse(begun.url)

  assert.equal(callback.iss, one.issuer)
  assert.deepEqual(await exchange.exchangeCode(one, begun, callback), {
    issuer: one.issuer,
    subject: 'ann',
    email: 'ann@example.com',
    emailBelieved: true,
    name: 'Ann',
  })
})

for (const [what, change, reason] of [
  ['without its issuer', ({ iss: _iss, ...callback }: Callback) => callback, 'bad_token'],
  ['with a code that it did not make', (callback: Callback) => ({ ...callback, code: 'x'.repeat(43) }), 'bad_token'],
] as const) {
  test(`a callback of a certified provider ${what} is refused`, async () => {
    const begun = await exchange.beginSignIn(one, { redirectUri })
    const callback = change(await browse(begun.url))
    await assert.rejects(
      exchange.exchangeCode(one, begun, callback),
      (error: ProviderFailure) => error.reason === reason,
    )
  })
}

test('a code of one provider is not sent to another (RFC 9700, 4.4)', async () => {
  const begun = await exchange.beginSignIn(one, { redirectUri })
  const callback = await browse(begun.url)
  await assert.rejects(
    exchange.exchangeCode(other, begun, callback),
    (error: ProviderFailure) => error.reason === 'bad_token',
  )
  assert.equal((await exchange.exchangeCode(one, begun, callback)).subject, 'ann') // nobody has spent it
})

test('a code is good with its own verifier, and once', async () => {
  const begun = await exchange.beginSignIn(one, { redirectUri })
  const spent = await browse(begun.url)
  await exchange.exchangeCode(one, begun, spent)
  for (const [remembered, callback] of [
    [begun, spent],
    [{ ...begun, verifier: 'x'.repeat(43) }, await browse(begun.url)],
  ] as const)
    await assert.rejects(
      exchange.exchangeCode(one, remembered, callback),
      (error: ProviderFailure) => error.reason === 'bad_token',
    )
})

test('a wrong client secret is reported as such', async () => {
  const wrong = { ...one, clientSecret: 'another secret' }
  const begun = await exchange.beginSignIn(wrong, { redirectUri })
  const callback = await browse(begun.url)
  await assert.rejects(
    exchange.exchangeCode(wrong, begun, callback),
    (error: ProviderFailure) => error.reason === 'bad_client',
  )
})
