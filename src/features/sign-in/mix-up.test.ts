/** Mix-up (RFC 9700, 4.4): a hostile provider sends the browser on to an honest one, and wants the code that comes back from there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, continueWith } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const [hostile, honest] = [await startProviderDouble(), await startProviderDouble()]
const pages = ['https://app.example.com/hostile', 'https://app.example.com/honest'] as const
const providerId = await addProvider(world, hostile.origin, { redirectUris: [pages[0]] })
const other = await addProvider(world, honest.origin, { redirectUris: [pages[1]] })

const said = ({ status, body }: Answer) => [status, body.code]

/** What a page sends to which the honest provider sent the browser back, with the state of the sign-in at the hostile one. */
async function mixUp({ body }: Answer): Promise<Json> {
  const at = await world.nobody.post('/api/auth/sign-in/provider', { providerId: other, redirectUri: pages[1] })
  const { code } = honest.signIn(at.body.url)
  const state = new URL(body.url).searchParams.get('state')
  return { attempt: body.attempt.token, callback: { code, state, redirectUri: pages[1] } }
}

test('a code that came to the page of another provider is sent to nobody', async () => {
  const begin = (redirectUri?: string) =>
    world.nobody.post('/api/auth/sign-in/provider', { providerId, ...(redirectUri && { redirectUri }) })
  const { attempt = '', callback } = await mixUp(await begin(pages[0]))

  assert.deepEqual(said(await continueWith(world, attempt, { callback })), [403, 'provider_refused'])

  assert.ok(![...hostile.calls, ...honest.calls].includes('/token'), hostile.calls.join())
  const { callbackUrl } = (await (await world.tenantAdmin()).get(`/api/admin/providers/${providerId}`)).body
  hostile.claims = { sub: 'ann', email: 'ann@example.com', email_verified: true }
  for (const [page, redirectUri, status] of [
    [pages[0], pages[0], 201],
    [undefined, callbackUrl, 200],
  ]) {
    const { body } = await begin(page)
    const right = { ...hostile.signIn(body.url), redirectUri }
    const answer = await continueWith(world, body.attempt.token, { callback: right })
    assert.equal(answer.status, status, JSON.stringify(answer.body))
  }
})

test('what came to the page of another provider links nothing', async () => {
  const ann = await world.person()
  hostile.calls.length = 0
  const begun = await ann.post('/api/users/me/identities/start', { providerId, redirectUri: pages[0] })

  assert.deepEqual(said(await ann.post('/api/users/me/identities', await mixUp(begun))), [403, 'provider_refused'])

  assert.ok(!hostile.calls.includes('/token'), hostile.calls.join())
  assert.deepEqual((await ann.get('/api/users/me/identities')).body.data, [])
})
