/**
 * The modules of OpenID's certification plans for providers, each by its name: Basic, Config, RP-Initiated Logout and Back-Channel Logout.
 *
 * Every request has PKCE besides, which the official suite sends in one module alone. docs/security/openid.md says how to run the suite, and
 * what is refused and why.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLocalJWKSet, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { challenge } from './authorizations.ts'
import { earlier } from './earlier.ts'
import { postForm, verifier } from './grants.ts'
import { partsOf } from './jwt.ts'
import { startReceiver } from './logouts.ts'
import { root } from './processes.ts'
import { Browser, callback, createPublicWorld, goodbye, type Registered, register } from './relying-party.ts'
import { until } from './smtp.ts'
import { type Answer, Client, type Json, type Person } from './world.ts'

const world = await createPublicWorld()
const receiver = await startReceiver()
const acme = await register(world, { backChannelLogoutUri: `${receiver.origin}/acme` })
const { publicUrl } = world.app.config
const path = acme.issuer.slice(publicUrl.length)
const { body: metadata } = await world.nobody.get(`${path}/.well-known/openid-configuration`)
const keys = createLocalJWKSet((await world.nobody.get(`${path}/jwks.json`)).body)

type Parameters = Readonly<Record<string, string | undefined>>

/** What a module does with parameters of its own. */
const all: Parameters = {
  client_id: acme.id,
  redirect_uri: callback,
  response_type: 'code',
  scope: 'openid',
  state: 's'.repeat(128),
  nonce: 'the nonce',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}

/** The address of a request. @param parameters those beside the usual ones; undefined leaves one out */
function ask(parameters: Parameters = {}): string {
  return `${metadata.authorization_endpoint}?${formOf({ ...all, ...parameters })}`
}

function formOf(parameters: Parameters): URLSearchParams {
  return new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}

/** A person who is signed in in a browser. */
async function visitor(): Promise<{ readonly ann: Person; readonly browser: Browser }> {
  const [ann, browser] = [await world.person(), new Browser(world)]
  await browser.signIn(ann)
  return { ann, browser }
}

/** What the application gets from the authorization endpoint. */
function answerIn(back: URL): Json {
  assert.equal(back.origin + back.pathname, callback)
  const answer = Object.fromEntries(back.searchParams)
  assert.deepEqual([answer.state, answer.iss], [all.state, acme.issuer])
  return answer
}

/** The code of a sign-in for which nothing is missing. */
async function codeOf(browser: Browser, parameters?: Parameters): Promise<string> {
  const { code, ...rest } = answerIn(await browser.open(ask(parameters)))
  assert.deepEqual(Object.keys(rest).sort(), ['iss', 'state'])
  return code
}

const toToken = ({ id, secret }: Registered, form: Parameters): Promise<Answer> =>
  postForm(world.nobody, `${path}/token`, form, {
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  })

function exchange(code: string): Promise<Answer> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier }
  return toToken(acme, form)
}

/** Tokens for a code, with their standard checks. */
async function tokensOf(answer: Answer | Promise<Answer>): Promise<Json & { claims: JWTPayload }> {
  const { status, body, headers } = await answer
  assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'], JSON.stringify(body))
  assert.ok(body.token_type === 'Bearer' && body.expires_in > 0 && body.access_token)
  const options = { issuer: acme.issuer, audience: acme.id, algorithms: ['RS256'], maxTokenAge: '1 hour' }
  return { ...body, claims: (await jwtVerify(body.id_token, keys, options)).payload }
}

/** A sign-in for which nothing is missing. */
async function signIn(browser: Browser, parameters?: Parameters) {
  return tokensOf(exchange(await codeOf(browser, parameters)))
}

function userinfo(token: string): Promise<Answer> {
  return new Client(world, { authorization: `Bearer ${token}` }).get(`${path}/userinfo`)
}

/** The error of a request that is refused by a redirect. */
async function refusal(browser: Browser, parameters: Parameters): Promise<string> {
  const { error, code } = answerIn(await browser.open(ask(parameters)))
  assert.equal(code, undefined)
  return error
}

/** Lets the last sign-in of a person be longer ago. */
function age({ id }: Person, seconds: number): Promise<unknown> {
  return world.postgres.query(
    `update sessions set authenticated_at = ${earlier('coalesce(authenticated_at, created_at)', 'make_interval(secs => $2)')}
     where user_id = $1`,
    [id, seconds],
  )
}

/** A sign-in that asks the person of a session to confirm it. @returns the tokens before and after */
async function confirmFor(parameters: Parameters) {
  const { ann, browser } = await visitor()
  await age(ann, 3_600)
  const before = await signIn(browser)
  const page = await browser.open(ask(parameters))
  assert.equal(await browser.step(page), 'confirm')
  await browser.confirm()
  await age(ann, -60) // however long the next request takes
  const { code } = answerIn(await browser.goOn(page))
  return { before, after: await tokensOf(exchange(code)) }
}

/** A sign-in without a page, like another one before. */
async function sameAgain(first: Parameters, second: (before: Json) => Parameters): Promise<void> {
  const { browser } = await visitor()
  const before = await signIn(browser, first)
  const after = await signIn(browser, second(before))
  assert.deepEqual(
    [after.claims.sub, after.claims.auth_time, after.claims.sid],
    [before.claims.sub, before.claims.auth_time, before.claims.sid],
  )
}

/** Nothing of a request may be in the way of a sign-in. */
const succeeds = (parameters: Parameters) => async () => {
  const { ann, browser } = await visitor()
  const { claims, access_token } = await signIn(browser, parameters)
  assert.deepEqual([claims.sub, claims.nonce], [ann.id, 'nonce' in parameters ? parameters.nonce : all.nonce])
  const { status, body } = await userinfo(access_token)
  assert.deepEqual([status, body.sub], [200, ann.id])
}

/** The scope is none of ours. The suite skips the module, because the metadata does not list it. */
const hasNoScope = (scope: string) => async () => {
  const { browser } = await visitor()
  assert.equal(await refusal(browser, { scope: `openid ${scope}` }), 'invalid_scope')
  assert.ok(scope.split(' ').some((each) => !metadata.scopes_supported.includes(each)))
}

const basic: Record<string, () => Promise<void>> = {
  'oidcc-server': async () => {
    const { ann, browser } = await visitor()
    const { claims, access_token } = await signIn(browser)
    assert.deepEqual([claims.sub, claims.nonce, claims.name], [ann.id, all.nonce, undefined])
    assert.deepEqual((await userinfo(access_token)).body, { sub: ann.id })
  },
  'oidcc-response-type-missing': async () => {
    const { browser } = await visitor()
    assert.equal(await refusal(browser, { response_type: undefined }), 'unsupported_response_type')
  },
  'oidcc-idtoken-signature': async () => {
    const { browser } = await visitor()
    const { id_token } = await signIn(browser)
    const { alg, kid } = partsOf(id_token).header
    assert.ok(alg === 'RS256' && kid)
  },
  'oidcc-idtoken-unsigned': async () => assert.deepEqual(metadata.id_token_signing_alg_values_supported, ['RS256']),
  'oidcc-userinfo-get': succeeds({}),
  'oidcc-userinfo-post-header': async () => {
    const { ann, browser } = await visitor()
    const { access_token } = await signIn(browser)
    const answer = await new Client(world, { authorization: `Bearer ${access_token}` }).post(`${path}/userinfo`)
    assert.deepEqual([answer.status, answer.body], [200, { sub: ann.id }])
  },
  'oidcc-userinfo-post-body': async () => {
    const { browser } = await visitor()
    const { access_token } = await signIn(browser)
    assert.equal((await postForm(world.nobody, `${path}/userinfo`, { access_token })).status, 401)
  },
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': succeeds({ nonce: undefined }),
  'oidcc-scope-profile': async () => {
    const { browser } = await visitor()
    const { body } = await userinfo((await signIn(browser, { scope: 'openid profile' })).access_token)
    assert.deepEqual([body.name, typeof body.updated_at, body.email], ['Ann', 'number', undefined])
  },
  'oidcc-scope-email': async () => {
    const { ann, browser } = await visitor()
    const { body } = await userinfo((await signIn(browser, { scope: 'openid email' })).access_token)
    assert.deepEqual(body, { sub: ann.id, email: ann.email, email_verified: true })
  },
  'oidcc-scope-address': hasNoScope('address'),
  'oidcc-scope-phone': hasNoScope('phone'),
  'oidcc-scope-all': hasNoScope('profile email address phone'),
  'oidcc-alternate-happy-flow': async () => {
    const { ann, browser } = await visitor()
    const reversed = Object.entries({ ...all, scope: 'email profile openid' }).reverse()
    const back = await browser.open(`${metadata.authorization_endpoint}?${formOf(Object.fromEntries(reversed))}`)
    const { claims } = await tokensOf(exchange(answerIn(back).code))
    assert.deepEqual([claims.sub, claims.name, claims.email], [ann.id, 'Ann', ann.email])
  },
  'oidcc-display-page': succeeds({ display: 'page' }),
  'oidcc-display-popup': succeeds({ display: 'popup' }),
  'oidcc-prompt-login': async () => {
    const { before, after } = await confirmFor({ prompt: 'login' })
    assert.ok(Number(after.claims.auth_time) > Number(before.claims.auth_time))
  },
  'oidcc-prompt-none-not-logged-in': async () =>
    assert.equal(await refusal(new Browser(world), { prompt: 'none' }), 'login_required'),
  'oidcc-prompt-none-logged-in': () => sameAgain({}, () => ({ prompt: 'none' })),
  'oidcc-max-age-1': async () => {
    const { before, after } = await confirmFor({ max_age: '1' })
    assert.ok(Number(after.claims.auth_time) > Number(before.claims.auth_time))
  },
  'oidcc-max-age-10000': () => sameAgain({ max_age: '15000' }, () => ({ max_age: '10000' })),
  'oidcc-ensure-request-with-unknown-parameter-succeeds': succeeds({ extra: 'foobar' }),
  'oidcc-id-token-hint': () => sameAgain({}, ({ id_token }) => ({ prompt: 'none', id_token_hint: id_token })),
  'oidcc-login-hint': succeeds({ login_hint: 'buffy@example.com' }),
  'oidcc-ui-locales': succeeds({ ui_locales: 'se' }),
  'oidcc-claims-locales': succeeds({ claims_locales: 'se' }),
  'oidcc-ensure-request-with-acr-values-succeeds': async () => {
    const { browser } = await visitor()
    assert.deepEqual(metadata.acr_values_supported, ['aal1', 'aal2'])
    assert.equal((await signIn(browser, { acr_values: 'aal1 aal2' })).claims.acr, 'aal1')
  },
  'oidcc-codereuse': async () => {
    const { browser } = await visitor()
    const code = await codeOf(browser)
    await tokensOf(exchange(code))
    const { status, body } = await exchange(code)
    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  },
  'oidcc-codereuse-30seconds': async () => {
    const { browser } = await visitor()
    const code = await codeOf(browser)
    const { access_token } = await tokensOf(exchange(code))
    assert.equal((await userinfo(access_token)).status, 200)
    assert.equal((await exchange(code)).body.error, 'invalid_grant')
    assert.equal((await userinfo(access_token)).status, 401)
  },
  'oidcc-ensure-registered-redirect-uri': async () => {
    const address = ask({ redirect_uri: `${callback}/another` }).slice(publicUrl.length)
    const { status, headers } = await world.nobody.get(address, { accept: 'text/html' })
    assert.deepEqual([status, headers.get('location')], [400, null])
    assert.match(`${headers.get('content-type')}`, /^text\/html/)
  },
  'oidcc-ensure-post-request-succeeds': async () => {
    const { ann, browser } = await visitor()
    const form = Object.fromEntries(formOf(all))
    const endpoint = metadata.authorization_endpoint.slice(publicUrl.length)
    const { status, headers } = await postForm(world.nobody, endpoint, form, { 'sec-fetch-site': 'cross-site' })
    assert.equal(status, 303)
    const back = await browser.open(new URL(`${headers.get('location')}`, metadata.authorization_endpoint))
    assert.equal((await tokensOf(exchange(answerIn(back).code))).claims.sub, ann.id)
  },
  'oidcc-server-client-secret-post': async () => {
    const { ann, browser } = await visitor()
    const form = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier }
    const client = { client_id: acme.id, client_secret: `${acme.secret}` }
    const code = await codeOf(browser)
    const answer = await postForm(world.nobody, `${path}/token`, { ...form, ...client, code })
    assert.equal((await tokensOf(answer)).claims.sub, ann.id)
  },
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': async () => {
    const { browser } = await visitor()
    const error = await refusal(browser, { request_uri: 'https://app.example.com/request.jwt' })
    assert.deepEqual([error, metadata.request_uri_parameter_supported], ['request_uri_not_supported', false])
  },
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': async () => {
    const { browser } = await visitor()
    const error = await refusal(browser, { request: unsigned({ ...all }) })
    assert.deepEqual([error, metadata.request_parameter_supported], ['request_not_supported', false])
  },
  'oidcc-claims-essential': succeeds({ claims: JSON.stringify({ userinfo: { name: { essential: true } } }) }),
  'oidcc-ensure-request-object-with-redirect-uri': async () => {
    const address = ask({ redirect_uri: `${callback}/another`, request: unsigned({ ...all }) })
    const { status, headers } = await world.nobody.get(address.slice(publicUrl.length))
    assert.deepEqual([status, headers.get('location')], [400, null])
  },
  'oidcc-refresh-token': async () => {
    const { browser } = await visitor()
    const other = await register(world)
    const { claims, refresh_token } = await signIn(browser, { scope: 'openid offline_access', prompt: 'consent' })
    const form = { grant_type: 'refresh_token', refresh_token }
    const stolen = await toToken(other, form)
    assert.deepEqual([stolen.status, stolen.body.error], [400, 'invalid_grant'])
    const refreshed = await tokensOf(toToken(acme, form))
    assert.deepEqual([refreshed.claims.sub, refreshed.claims.auth_time], [claims.sub, claims.auth_time])
    assert.equal((await userinfo(refreshed.access_token)).status, 200)
  },
  'oidcc-ensure-request-with-valid-pkce-succeeds': async () => {
    const { browser } = await visitor()
    await signIn(browser)
    assert.equal(await refusal(browser, { code_challenge: undefined }), 'invalid_request')
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256'])
  },
}

const configuration: Record<string, () => Promise<void>> = {
  'oidcc-discovery-endpoint-verification': async () => {
    const { issuer, response_types_supported, subject_types_supported, grant_types_supported } = metadata
    assert.equal(issuer, acme.issuer)
    assert.deepEqual([response_types_supported, subject_types_supported], [['code'], ['public']])
    assert.deepEqual(grant_types_supported, ['authorization_code', 'refresh_token'])
    assert.ok(metadata.scopes_supported.includes('openid') && metadata.claims_supported.includes('sub'))
    for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])
      assert.ok(metadata[name].startsWith(`${issuer}/`), name)
    assert.deepEqual(metadata.token_endpoint_auth_methods_supported, [
      'client_secret_basic',
      'client_secret_post',
      'none',
    ])
  },
}

/** A person in the application, and the address that signs them out of it. */
async function signedIn() {
  const { ann, browser } = await visitor()
  const { id_token, claims } = await signIn(browser)
  const usual: Parameters = { id_token_hint: id_token, post_logout_redirect_uri: goodbye, state: all.state }
  const open = (parameters: Parameters = {}) =>
    browser.open(`${metadata.end_session_endpoint}?${formOf({ ...usual, ...parameters })}`)
  return { ann, browser, id_token, claims, open }
}

type SignedIn = Awaited<ReturnType<typeof signedIn>>

/** The person is asked, may sign out, and stays with us. */
const staysHere =
  (change: (given: SignedIn) => Parameters | Promise<Parameters>, isAsked = true) =>
  async () => {
    const given = await signedIn()
    const page = await given.open(await change(given))
    assert.equal(await given.browser.isAsked(page), isAsked)
    assert.equal(await given.browser.isSignedIn(), true)
    assert.equal(await given.browser.signOut(page), null)
    assert.equal(await given.browser.isSignedIn(), false)
  }

/** The person is signed out without a question, and comes back. */
async function comesBack({ browser, open }: SignedIn, parameters: Parameters, back: string): Promise<void> {
  const page = await open(parameters)
  assert.equal(await browser.isAsked(page), false)
  assert.equal(`${await browser.signOut(page)}`, back)
  assert.equal(await refusal(browser, { prompt: 'none' }), 'login_required')
}

const rpInitiatedLogout: Record<string, () => Promise<void>> = {
  'oidcc-rp-initiated-logout-discovery-endpoint-verification': async () =>
    assert.equal(metadata.end_session_endpoint, `${acme.issuer}/end-session`),
  'oidcc-rp-initiated-logout': async () => comesBack(await signedIn(), {}, `${goodbye}?state=${all.state}`),
  'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': staysHere(
    () => ({ post_logout_redirect_uri: `${goodbye}/another` }),
    false,
  ),
  'oidcc-rp-initiated-logout-modified-id-token-hint': staysHere(({ claims }) => ({ id_token_hint: unsigned(claims) })),
  'oidcc-rp-initiated-logout-no-id-token-hint': staysHere(() => ({ id_token_hint: undefined })),
  'oidcc-rp-initiated-logout-no-params': staysHere(() => ({
    id_token_hint: undefined,
    post_logout_redirect_uri: undefined,
    state: undefined,
  })),
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': staysHere(
    () => ({ post_logout_redirect_uri: undefined }),
    false,
  ),
  'oidcc-rp-initiated-logout-no-state': async () => comesBack(await signedIn(), { state: undefined }, goodbye),
  'oidcc-rp-initiated-logout-only-state': staysHere(() => ({
    id_token_hint: undefined,
    post_logout_redirect_uri: undefined,
  })),
  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': staysHere(
    () => ({ post_logout_redirect_uri: `${goodbye}?foo=bar` }),
    false,
  ),
  'oidcc-rp-initiated-logout-bad-id-token-hint': staysHere(async ({ claims, id_token }) => ({
    id_token_hint: await new SignJWT(claims)
      .setProtectedHeader({ ...partsOf(id_token).header, alg: 'HS256' })
      .sign(new TextEncoder().encode('a key of somebody else, 32 bytes long')),
  })),
}

const backChannelLogout: Record<string, () => Promise<void>> = {
  'oidcc-backchannel-logout-discovery-endpoint-verification': async () =>
    assert.deepEqual(
      [metadata.backchannel_logout_supported, metadata.backchannel_logout_session_supported],
      [true, true],
    ),
  'oidcc-backchannel-rp-initiated-logout': async () => {
    const given = await signedIn()
    await comesBack(given, {}, `${goodbye}?state=${all.state}`)
    const { sid, sub } = given.claims
    const isOfSession = ({ claims }: { readonly claims: Json }) => claims.sid === sid
    const { token } = await until(() => receiver.to('acme').find(isOfSession), 'the logout token')
    const options = { issuer: acme.issuer, audience: acme.id, algorithms: ['RS256'], typ: 'logout+jwt' }
    const { payload } = await jwtVerify(token, keys, options)
    assert.deepEqual([payload.sub, payload.nonce], [sub, undefined])
    assert.deepEqual(payload.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
  },
}

/** A token that nobody has signed. */
function unsigned(claims: Json): string {
  const part = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(claims)}.`
}

const plans = { ...basic, ...configuration, ...rpInitiatedLogout, ...backChannelLogout }
for (const [name, run] of Object.entries(plans)) test(name, run)

test('docs/security/openid.md names every module once', async () => {
  const document = await readFile(join(root, 'docs/security/openid.md'), 'utf8')
  const named = [...document.matchAll(/^\| `(oidcc-[\w-]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(named, Object.keys(plans))
})
