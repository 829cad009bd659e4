import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { type Double, signsWith, startProviderDouble } from '../../../test/provider-double.ts'
import { timeout } from '../../../test/timeout.ts'
import { Outbound } from '../../platform/outbound/outbound.ts'
import { type Callback, Exchange } from './exchange.ts'
import type { FailureReason, ProviderFailure } from './failures.ts'
import type { Provider } from './kinds.ts'

const double = await startProviderDouble()
const redirectUri = 'https://accounts.example.com/sign-in/callback/idp_1'
const provider: Provider = {
  type: 'oidc',
  clientId: 'guildhall',
  clientSecret: 'a secret of the client',
  issuer: double.origin,
  microsoftTenant: null,
  trustsEmail: true,
}
let exchange: Exchange

beforeEach(() => {
  double.reset()
  exchange = new Exchange(new Outbound(['127.0.0.1']).fetch)
})

/** Signs in, with a callback that `change` has changed. */
async function signIn(change: (callback: Callback) => Callback = (callback) => callback, by = provider) {
  const begun = await exchange.beginSignIn(by, { redirectUri })
  return exchange.exchangeCode(by, begun, change(double.signIn(begun.url)))
}

function failsWith(work: Promise<unknown>, reason: FailureReason) {
  return assert.rejects(work, (error: ProviderFailure) => {
    assert.deepEqual([error.name, error.reason, error.cause], ['ProviderFailure', reason, undefined])
    return true
  })
}

test('a person signs in with a code, and the exchange tells who it is', async () => {
  assert.deepEqual(await signIn(), {
    issuer: double.origin,
    subject: 'ann',
    email: 'ann@example.com',
    emailBelieved: true,
    name: 'Ann',
  })
})

test('the URL carries state, nonce and an S256 challenge, new for each sign-in', async () => {
  const [one, other] = [
    await exchange.beginSignIn(provider, { redirectUri }),
    await exchange.beginSignIn(provider, { redirectUri }),
  ]
  const { challenge, ...sent } = Object.fromEntries(
    [...new URL(one.url).searchParams].map(([name, value]) => [name === 'code_challenge' ? 'challenge' : name, value]),
  )

  assert.deepEqual(sent, {
    response_type: 'code',
    client_id: 'guildhall',
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: one.state,
    nonce: one.nonce,
    code_challenge_method: 'S256',
  })
  assert.ok(challenge && !one.url.includes(one.verifier))
  for (const each of ['state', 'nonce', 'verifier'] as const) {
    assert.match(one[each], /^[\w-]{43}$/)
    assert.notEqual(one[each], other[each])
  }
})

test('metadata and keys are fetched once for many sign-ins', async () => {
  await signIn()
  await signIn()
  assert.deepEqual(double.calls, ['/.well-known/openid-configuration', '/token', '/keys', '/token'])
})

test('an unknown key is looked for at most once a minute', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  await signIn()
  double.header = { alg: 'RS256', kid: 'second' }
  await failsWith(signIn(), 'bad_token')
  await failsWith(signIn(), 'bad_token')
  assert.equal(double.calls.filter((path) => path === '/keys').length, 1)

  t.mock.timers.tick(61_000)
  double.keys = double.keys.map((key) => ({ ...key, kid: 'second' }))
  assert.equal((await signIn()).subject, 'ann')
  assert.equal(double.calls.filter((path) => path === '/keys').length, 2)
})

test('metadata are fetched again after ten minutes', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  await signIn()
  t.mock.timers.tick(601_000)
  await signIn()
  assert.equal(double.calls.filter((path) => path.endsWith('openid-configuration')).length, 2)
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const short = generateKeyPairSync('rsa', { modulusLength: 1024 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')

function uses(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  alg: string,
): Partial<Double> {
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'own' }
  const metadata = { id_token_signing_alg_values_supported: [alg] }
  return { header: { alg, kid: 'own' }, keys: [jwk], signs: signsWith(privateKey), metadata }
}

for (const [alg, key] of [
  ['RS256', rsa],
  ['ES256', ec],
  ['EdDSA', ed],
  ['Ed25519', ed],
] as const) {
  test(`an ID token that is signed with ${alg} is accepted`, async () => {
    Object.assign(double, uses(key, alg))
    assert.equal((await signIn()).subject, 'ann')
  })
}

const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
const announced = ['RS256', 'HS256', 'none']

for (const [what, hostile] of [
  ['that is signed with another key', { ...uses(rsa, 'RS256'), signs: signsWith(other.privateKey) }],
  ['without a signature', { header: { alg: 'none' }, signs: () => '' }],
  [
    'without a signature, which the metadata announce',
    { header: { alg: 'none' }, signs: () => '', metadata: { id_token_signing_alg_values_supported: announced } },
  ],
  [
    'that is signed with HS256 and the public key',
    {
      ...uses(rsa, 'RS256'),
      metadata: { id_token_signing_alg_values_supported: announced },
      header: { alg: 'HS256', kid: 'own' },
      signs: (input: string) => createHmac('sha256', publicPem).update(input).digest('base64url'),
    },
  ],
  ['that is signed with RSA of 1024 bits', uses(short, 'RS256')],
  ['with another algorithm than the metadata announce', { ...uses(ec, 'ES256'), metadata: {} }],
  ['with a critical extension', { header: { alg: 'RS256', kid: 'first', crit: ['x'], x: 1 } }],
  ['of another issuer', { claims: { sub: 'ann', iss: 'https://accounts.example.org' } }],
  ['for another client', { claims: { sub: 'ann', aud: 'another' } }],
  ['for several clients, without the authorized one', { claims: { sub: 'ann', aud: ['guildhall', 'another'] } }],
  ['with another authorized party', { claims: { sub: 'ann', azp: 'another' } }],
  ['that has expired', { claims: { sub: 'ann', exp: Math.floor(Date.now() / 1000) - 60 } }],
  ['that never expires', { claims: { sub: 'ann', exp: undefined } }],
  ['with another nonce', { claims: { sub: 'ann', nonce: 'x'.repeat(43) } }],
  ['without a nonce', { claims: { sub: 'ann', nonce: undefined } }],
  ['without a subject', { claims: { email: 'ann@example.com' } }],
  ['with an empty subject', { claims: { sub: '' } }],
  ['with a subject that no database stores', { claims: { sub: 'ann\u0000' } }],
  ['with a subject of 256 characters', { claims: { sub: 'x'.repeat(256) } }],
] as const) {
  test(`an ID token ${what} is refused`, async () => {
    Object.assign(double, hostile)
    await failsWith(signIn(), 'bad_token')
  })
}

test('a code is good for the sign-in that it was made for, and once', async () => {
  const [one, two] = [
    await exchange.beginSignIn(provider, { redirectUri }),
    await exchange.beginSignIn(provider, { redirectUri }),
  ]
  const callback = double.signIn(one.url)
  await failsWith(exchange.exchangeCode(provider, two, { ...callback, state: two.state }), 'bad_token')
  const fresh = double.signIn(one.url)
  await exchange.exchangeCode(provider, one, fresh)
  await failsWith(exchange.exchangeCode(provider, one, fresh), 'bad_token')
})

test('a callback with another state sends nothing', async () => {
  await failsWith(
    signIn((callback) => ({ ...callback, state: 'x'.repeat(43) })),
    'denied',
  )
  assert.ok(!double.calls.includes('/token'))
})

test('a callback of another issuer sends nothing (RFC 9207)', async () => {
  for (const iss of ['https://accounts.example.org', `${double.origin}/`, ''])
    await failsWith(
      signIn((callback) => ({ ...callback, iss })),
      'bad_token',
    )
  assert.ok(!double.calls.includes('/token'))
})

test('a callback without the issuer is refused if the provider announces it', async () => {
  double.metadata = { authorization_response_iss_parameter_supported: true }
  await failsWith(signIn(), 'bad_token')
  assert.ok(!double.calls.includes('/token'))
  assert.equal((await signIn((callback) => ({ ...callback, iss: double.origin }))).subject, 'ann')
})

for (const [error, reason] of [
  ['access_denied', 'denied'],
  ['login_required', 'denied'],
  ['unauthorized_client', 'bad_client'],
  ['server_error', 'unreachable'],
] as const) {
  test(`a callback with the error ${error} fails as ${reason}`, async () => {
    await failsWith(
      signIn(({ state }) => ({ error, state })),
      reason,
    )
  })
}

test('a callback with neither code nor error is refused', async () => {
  await failsWith(
    signIn(({ state }) => ({ state })),
    'bad_token',
  )
})

for (const [what, refusal, reason] of [
  ['a wrong secret', { body: { error: 'invalid_client' } }, 'bad_client'],
  ['a spent code', { body: { error: 'invalid_grant' } }, 'bad_token'],
  ['tokens without an ID token', { status: 200, body: { access_token: 'x', token_type: 'Bearer' } }, 'bad_token'],
  ['an outage', { status: 503, body: {} }, 'unreachable'],
  ['too many requests', { status: 429, body: {} }, 'unreachable'],
] as const) {
  test(`a token endpoint that tells ${what} fails as ${reason}`, async () => {
    double.refusal = refusal
    await failsWith(signIn(), reason)
  })
}

for (const [what, metadata] of [
  ['another issuer', { issuer: 'https://accounts.example.org' }],
  ['the issuer with a slash', { issuer: `${double.origin}/` }],
  ['no signature that is safe', { id_token_signing_alg_values_supported: ['HS256', 'none'] }],
  ['no page to sign in', { authorization_endpoint: undefined }],
  ['a script instead of a page', { authorization_endpoint: 'javascript:alert(1)' }],
  ['a page with a very long URL', { authorization_endpoint: `${double.origin}/${'a'.repeat(2_000)}` }],
] as const) {
  test(`metadata with ${what} are refused, and fetched again next time`, async () => {
    double.metadata = metadata
    await failsWith(exchange.beginSignIn(provider, { redirectUri }), 'bad_metadata')
    double.metadata = {}
    assert.ok((await exchange.beginSignIn(provider, { redirectUri })).url.startsWith(double.origin))
  })
}

for (const [what, intercepts] of [
  ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['answers without end', (response) => response.end('x'.repeat(300_000))],
  ['says nothing', () => {}],
  ['hangs up', (response) => response.destroy()],
] as const satisfies [string, (response: import('node:http').ServerResponse) => void][]) {
  for (const path of ['/.well-known/openid-configuration', '/token', '/keys']) {
    test(`a provider that ${what} at ${path} is unreachable`, async (t) => {
      // Silence ends when the double has been asked.
      const longest = timeout
      const ends: (() => void)[] = []
      const { setTimeout } = globalThis
      t.mock.method(globalThis, 'setTimeout', (work: () => void, delay?: number, ...rest: []) => {
        if (delay === longest) ends.push(work)
        return setTimeout(work, delay, ...rest)
      })
      exchange = new Exchange(new Outbound(['127.0.0.1'], { headers: longest, all: 2 * longest }).fetch)
      let isAsked = false
      double.intercepts = (called, response) => {
        if (called !== path) return false
        isAsked = true
        intercepts(response)
        if (what === 'says nothing') ends.at(-1)?.()
        return true
      }
      await failsWith(signIn(), 'unreachable')
      assert.ok(isAsked)
    })
  }
}

test('an endpoint in a private network is unreachable, though the issuer is public', async () => {
  double.metadata = { token_endpoint: 'https://10.0.0.1/token', jwks_uri: 'http://127.0.0.2/keys' }
  await failsWith(signIn(), 'unreachable')
})

test('the client secret goes where the provider accepts it', async () => {
  await signIn()
  assert.match(double.authorization ?? '', /^Basic /)
  assert.ok(!double.form.has('client_secret'))

  exchange = new Exchange(new Outbound(['127.0.0.1']).fetch)
  double.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
  await signIn()
  assert.deepEqual([double.authorization, double.form.get('client_secret')], [undefined, 'a secret of the client'])

  await signIn(undefined, { ...provider, clientSecret: null })
  assert.deepEqual([double.authorization, double.form.has('client_secret')], [undefined, false])
})

test('an address that the ID token leaves out is read from the user info of the same subject', async () => {
  double.metadata = { userinfo_endpoint: `${double.origin}/user-info` }
  double.claims = { sub: 'ann' }
  double.userInfo = { email: 'Ann@Example.com', email_verified: true, name: 'Ann' }
  const { email, emailBelieved, name } = await signIn()
  assert.deepEqual([email, emailBelieved, name], ['ann@example.com', true, 'Ann'])

  double.userInfo = { sub: 'ben', email: 'ben@example.com', email_verified: true }
  await failsWith(signIn(), 'bad_token')
})

test('whatever else the ID token leaves out is read from the user info, but nothing about another address', async () => {
  double.metadata = { userinfo_endpoint: `${double.origin}/user-info` }
  const info = { email: 'ann@example.com', email_verified: true, name: 'Ann' }
  for (const [claims, userInfo, expected] of [
    [{ email: 'ann@example.com' }, info, [true, 'Ann']],
    [{ email: 'ann@example.com', email_verified: false }, info, [false, 'Ann']],
    [{ email: 'ann@example.com', email_verified: true }, { name: 'Ann' }, [true, 'Ann']],
    [{ email: 'ann@example.com', email_verified: true, given_name: 'A.' }, { email: 'ann@example.com' }, [true, 'A.']],
    [{ email: 'ann@example.com' }, { ...info, email: 'other@example.com' }, [false, 'Ann']],
    [{ email_verified: true }, { ...info, email_verified: false }, [false, 'Ann']],
  ] as const) {
    double.claims = { sub: 'ann', ...claims }
    double.userInfo = userInfo
    const { email, emailBelieved, name } = await signIn()
    assert.deepEqual([email, emailBelieved, name], ['ann@example.com', ...expected], JSON.stringify([claims, userInfo]))
  }
})

test('a claim of the ID token that says nothing is read from the user info', async () => {
  double.metadata = { userinfo_endpoint: `${double.origin}/user-info` }
  const info = { email: 'ann@example.com', email_verified: true, name: 'Ann Lee' }
  const address = { email: 'ann@example.com', email_verified: true }
  const parts = { given_name: 'Ann', family_name: 'Lee' }
  for (const [claims, userInfo] of [
    [{ email: null, email_verified: null, name: null }, info],
    [{ email: '', email_verified: '' }, info],
    [{ email: '  ', email_verified: true, name: 'Ann Lee' }, info],
    [{ email: 42, name: 'Ann Lee' }, info],
    [{ email: 'Ann@Example.com' }, info],
    [{ email: 'ann@example.com', email_verified: 'yes' }, info],
    [{ email: 'ann@example.com', email_verified: 'True', name: 'Ann Lee' }, {}],
    [{ email: 'ann@example.com' }, { ...info, email_verified: 'TRUE' }],
    [{ ...address, name: '' }, info],
    [{ ...address, name: '  ', ...parts }, {}],
    [{ ...address, name: null, ...parts }, {}],
    [{ ...address, name: { first: 'Ann' }, ...parts }, {}],
    [{ ...address, name: 'x'.repeat(101), ...parts }, {}],
    [{ ...address, family_name: 'Lee' }, parts],
    [{ ...address, given_name: null, family_name: 'Lee' }, parts],
    [
      { ...address, given_name: 'Ann', family_name: '' },
      { name: null, ...parts },
    ],
  ] as const) {
    double.claims = { sub: 'ann', ...claims }
    double.userInfo = userInfo
    const { email, emailBelieved, name } = await signIn()
    assert.deepEqual([email, emailBelieved, name], ['ann@example.com', true, 'Ann Lee'], JSON.stringify(claims))
  }
})

test('an address that the ID token calls unverified stays so, also in capitals', async () => {
  double.metadata = { userinfo_endpoint: `${double.origin}/user-info` }
  double.userInfo = { email: 'ann@example.com', email_verified: true, name: 'Ann' }
  for (const verified of [false, 'false', 'False']) {
    double.claims = { sub: 'ann', email: 'ann@example.com', email_verified: verified }
    assert.equal((await signIn()).emailBelieved, false)
  }
})

test('if the user info cannot be read, somebody whose token has an address signs in, unverified and without a name at worst', async () => {
  double.metadata = { userinfo_endpoint: `${double.origin}/user-info` }
  double.intercepts = (called, response) => {
    if (called === '/user-info') response.writeHead(500).end()
    return called === '/user-info'
  }
  for (const [claims, expected] of [
    [{ email_verified: true }, [true, null]],
    [{ name: 'Ann' }, [false, 'Ann']],
    [{}, [false, null]],
  ] as const) {
    double.claims = { sub: 'ann', email: 'ann@example.com', ...claims }
    const { email, emailBelieved, name } = await signIn()
    assert.deepEqual([email, emailBelieved, name], ['ann@example.com', ...expected])
  }
  double.claims = { sub: 'ann', email: null, name: 'Ann' }
  await failsWith(signIn(), 'unreachable')
})

test('a provider that is not trusted is not asked whether an address is verified', async () => {
  double.metadata = { userinfo_endpoint: `${double.origin}/user-info` }
  double.claims = { sub: 'ann', email: 'ann@example.com', name: 'Ann' }
  const { email, emailBelieved } = await signIn(undefined, { ...provider, trustsEmail: false })
  assert.deepEqual([email, emailBelieved], ['ann@example.com', false])
  assert.ok(!double.calls.includes('/user-info'))
})

test('somebody with a given and a family name alone has a name', async () => {
  for (const [parts, expected] of [
    [{ given_name: 'Ann', family_name: 'Lee' }, 'Ann Lee'],
    [{ given_name: 'Ann', family_name: ' ' }, 'Ann'],
    [{ family_name: 'Lee' }, 'Lee'],
    [{ name: 'Annie', given_name: 'Ann', family_name: 'Lee' }, 'Annie'],
    [{ given_name: 7, family_name: {} }, null],
  ] as const) {
    double.claims = { sub: 'ann', email: 'ann@example.com', email_verified: true, ...parts }
    assert.equal((await signIn()).name, expected)
  }
})

test('what is no address and no name is left out', async () => {
  for (const [email, name] of [
    [undefined, undefined],
    ['nonsense', '\u202eAnn'],
    [42, { first: 'Ann' }],
    [`${'x'.repeat(10_000)}@example.com`, 'x'.repeat(101)],
  ]) {
    double.claims = { sub: 'ann', email, email_verified: true, name }
    const person = await signIn()
    assert.deepEqual([person.email, person.emailBelieved, person.name], [null, false, null])
  }
})

test('an address is believed if the provider is trusted and says so', async () => {
  for (const [verified, trustsEmail, believed] of [
    [true, true, true],
    [true, false, false],
    [false, true, false],
    ['true', true, true],
    ['true', false, false],
    ['false', true, false],
    ['yes', true, false],
    [1, true, false],
    [undefined, true, false],
  ] as const) {
    double.claims = { sub: 'ann', email: 'ann@example.com', email_verified: verified }
    assert.equal((await signIn(undefined, { ...provider, trustsEmail })).emailBelieved, believed)
  }
})
