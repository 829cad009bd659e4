import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { Outbound } from '../../platform/outbound/outbound.ts'
import { type Callback, Exchange } from './exchange.ts'
import type { FailureReason } from './failures.ts'
import { kinds, makeKinds, type Provider } from './kinds.ts'

const double = await startProviderDouble()
const { origin } = double
const doubles = makeKinds({ google: origin, microsoft: origin, github: origin, gitHubApi: origin })
const redirectUri = 'https://accounts.example.com/sign-in/callback/idp_1'
const home = '11111111-2222-4333-8444-555555555555'
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad'
let exchange: Exchange

beforeEach(() => {
  double.reset()
  exchange = new Exchange(new Outbound(['127.0.0.1']).fetch, doubles)
})

function providerOf(type: Provider['type'], microsoftTenant: string | null = null): Provider {
  return { type, clientId: 'guildhall', clientSecret: 'secret', issuer: null, microsoftTenant, trustsEmail: true }
}

async function signIn(provider: Provider, change: (callback: Callback) => Callback = (callback) => callback) {
  const begun = await exchange.beginSignIn(provider, { redirectUri })
  return exchange.exchangeCode(provider, begun, change(double.signIn(begun.url)))
}

function failsWith(work: Promise<unknown>, reason: FailureReason) {
  return assert.rejects(work, (error: { reason?: string }) => error.reason === reason)
}

test('Google is believed for addresses of Gmail and of its customers’ own domains', async () => {
  for (const [email, hd, believed] of [
    ['ann@gmail.com', undefined, true],
    ['ann@example.com', 'example.com', true],
    ['ann@example.com', undefined, false],
    ['ann@notgmail.com', undefined, false],
    ['ann@example.com', '', false],
  ]) {
    double.claims = { sub: '1', email, email_verified: true, hd }
    assert.equal((await signIn(providerOf('google'))).emailBelieved, believed, `${email} ${hd}`)
  }
  double.claims = { sub: '1', email: 'ann@gmail.com', email_verified: false }
  assert.equal((await signIn(providerOf('google'))).emailBelieved, false)
})

for (const [tenant, metadataIssuer, tid, accepted] of [
  ['common', '{tenantid}', home, true],
  ['common', '{tenantid}', consumers, true],
  [null, '{tenantid}', home, true],
  ['organizations', '{tenantid}', home, true],
  ['organizations', '{tenantid}', consumers, false],
  ['consumers', consumers, consumers, true],
  ['consumers', consumers, home, false],
  [home, home, home, true],
  [home, home, consumers, false],
  ['common', '{tenantid}', '../evil', false],
  ['common', '{tenantid}', undefined, false],
] as const) {
  const how = accepted ? 'accepted' : 'refused'
  test(`a token of the Microsoft tenant ${tid} is ${how} where ${tenant} may sign in`, async () => {
    double.issuer = `${origin}/${metadataIssuer}/v2.0`
    double.claims = { sub: '1', tid, iss: `${origin}/${tid}/v2.0`, email: 'ann@example.com', email_verified: true }
    const signed = signIn(providerOf('microsoft', tenant))
    if (!accepted) return failsWith(signed, 'bad_token')
    const { issuer, email, emailBelieved } = await signed
    assert.deepEqual([issuer, email, emailBelieved], [`${origin}/${tid}/v2.0`, 'ann@example.com', false])
  })
}

test('a Microsoft token whose issuer is not that of its tenant is refused', async () => {
  double.issuer = `${origin}/{tenantid}/v2.0`
  for (const iss of [`${origin}/${consumers}/v2.0`, `${origin}/{tenantid}/v2.0`]) {
    double.claims = { sub: '1', tid: home, iss }
    await failsWith(signIn(providerOf('microsoft', 'common')), 'bad_token')
  }
})

test('Microsoft, which never says that an address is verified, is not asked for that, and its user info may fail', async () => {
  double.issuer = `${origin}/{tenantid}/v2.0`
  double.metadata = { userinfo_endpoint: `${origin}/user-info` }
  double.claims = { sub: '1', tid: home, iss: `${origin}/${home}/v2.0`, email: 'ann@example.com', name: 'Ann' }
  const common = providerOf('microsoft', 'common')
  assert.equal((await signIn(common)).email, 'ann@example.com')
  assert.ok(!double.calls.includes('/user-info'))

  double.claims = { ...double.claims, name: null }
  double.intercepts = (called, response) => {
    if (called === '/user-info') response.writeHead(403).end()
    return called === '/user-info'
  }
  const { email, emailBelieved, name } = await signIn(common)
  assert.deepEqual([email, emailBelieved, name], ['ann@example.com', false, null])
  assert.ok(double.calls.includes('/user-info'))
})

test('an issuer in Microsoft’s callback must be that of the token', async () => {
  double.issuer = `${origin}/{tenantid}/v2.0`
  double.claims = { sub: '1', tid: home, iss: `${origin}/${home}/v2.0` }
  const common = providerOf('microsoft', 'common')
  assert.equal((await signIn(common, (callback) => ({ ...callback, iss: `${origin}/${home}/v2.0` }))).subject, '1')
  await failsWith(
    signIn(common, (callback) => ({ ...callback, iss: `${origin}/${consumers}/v2.0` })),
    'bad_token',
  )
})

test('GitHub’s subject is the number of the account, and its address the verified primary one', async () => {
  double.emails = [
    { email: 'other@example.com', primary: false, verified: true },
    { email: 'Ann@example.com', primary: true, verified: true },
  ]
  assert.deepEqual(await signIn(providerOf('github')), {
    issuer: origin,
    subject: '4711',
    email: 'ann@example.com',
    emailBelieved: true,
    name: 'Ann',
  })
  assert.deepEqual(double.calls, ['/login/oauth/access_token', '/user', '/user/emails'])
  assert.equal(kinds.github.issuer, 'https://github.com')
})

test('GitHub gets a challenge and its own scopes', async () => {
  const { searchParams, pathname } = new URL((await exchange.beginSignIn(providerOf('github'), { redirectUri })).url)
  assert.deepEqual(
    [pathname, searchParams.get('scope'), searchParams.get('code_challenge_method'), searchParams.has('nonce')],
    ['/login/oauth/authorize', 'read:user user:email', 'S256', false],
  )
})

test('an address that GitHub has not verified, or does not show, is none', async () => {
  for (const emails of [[{ email: 'ann@example.com', primary: true, verified: false }], [], { message: 'Forbidden' }]) {
    double.emails = emails
    const { email, emailBelieved } = await signIn(providerOf('github'))
    assert.deepEqual([email, emailBelieved], [null, false])
  }
})

test('GitHub’s errors have status 200, and are errors', async () => {
  for (const [error, reason] of [
    ['bad_verification_code', 'bad_token'],
    ['incorrect_client_credentials', 'bad_client'],
  ] as const) {
    double.refusal = { status: 200, body: { error } }
    await failsWith(signIn(providerOf('github')), reason)
  }
})

test('an account of GitHub without a number, or a callback of another issuer, is refused', async () => {
  await failsWith(
    signIn(providerOf('github'), (callback) => ({ ...callback, iss: 'https://accounts.example.org' })),
    'bad_token',
  )
  for (const user of [{}, { id: '4711' }, { id: 1.5 }, null]) {
    double.user = user
    await failsWith(signIn(providerOf('github')), 'bad_token')
  }
})
