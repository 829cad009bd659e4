/** openid-client, as its documentation has it: a product on a server, from discovery to the end of the session. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { startReceiver } from './logouts.ts'
import { Browser, callback, createPublicWorld, goodbye, register } from './relying-party.ts'
import { enrol } from './sign-in.ts'
import { until } from './smtp.ts'

const world = await createPublicWorld()
const receiver = await startReceiver()

/** A product that sends its secret in one of the two ways. @param name the path at which it is told of ends */
async function startProduct(name: string, authentication = client.ClientSecretBasic) {
  const registered = await register(world, { backChannelLogoutUri: `${receiver.origin}/${name}` })
  const { issuer, id, secret } = registered
  const config = await client.discovery(new URL(issuer), id, undefined, authentication(`${secret}`), {
    execute: [client.allowInsecureRequests], // tests have no TLS
  })

  /** Begins a sign-in. @returns where to send the browser, and how to go on when it is back */
  async function begin(parameters: Readonly<Record<string, string>> = {}) {
    const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid profile email offline_access',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...parameters,
    })
    const finish = (back: URL) =>
      client.authorizationCodeGrant(config, back, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(parameters.max_age !== undefined && { maxAge: Number(parameters.max_age) }),
      })
    return { url, finish }
  }

  /** Signs in the person of a browser, who has to do nothing. */
  async function signIn(browser: Browser) {
    const { url, finish } = await begin()
    const tokens = await finish(await browser.open(url))
    const claims = tokens.claims()
    assert.ok(claims && tokens.refresh_token && tokens.id_token, 'all tokens came')
    return { access: tokens.access_token, refresh: tokens.refresh_token, idToken: tokens.id_token, claims }
  }

  /** The claims of the newest logout token that the product has got. */
  async function toldOf() {
    const { token } = await until(() => receiver.to(name)[0], 'a logout token')
    const keys = createRemoteJWKSet(new URL(`${config.serverMetadata().jwks_uri}`))
    return (await jwtVerify(token, keys, { issuer, audience: id, typ: 'logout+jwt' })).payload
  }

  return { ...registered, config, begin, signIn, toldOf }
}

for (const [name, authentication] of Object.entries({
  'in the body': client.ClientSecretPost,
  'by HTTP Basic': client.ClientSecretBasic,
})) {
  test(`a stranger signs in, and the product knows who it is and goes on without the browser: secret ${name}`, async () => {
    const [ann, browser] = [await world.person(), new Browser(world)]
    const { config, begin } = await startProduct('sign-in', authentication)
    const { url, finish } = await begin({ login_hint: ann.email })

    const page = await browser.open(url)
    assert.equal(await browser.step(page), 'sign_in')
    await browser.signIn(ann)
    const tokens = await finish(await browser.goOn(page))

    const claims = tokens.claims()
    assert.deepEqual(
      [claims?.sub, claims?.name, claims?.email, claims?.email_verified, claims?.acr, claims?.amr],
      [ann.id, 'Ann', ann.email, true, 'aal1', ['pwd']],
    )
    const information = await client.fetchUserInfo(config, tokens.access_token, ann.id)
    assert.deepEqual([information.name, information.email], ['Ann', ann.email])
    await ann.patch('/api/users/me', { name: 'Ann Archer' })
    const refreshed = await client.refreshTokenGrant(config, `${tokens.refresh_token}`)
    assert.notEqual(refreshed.refresh_token, tokens.refresh_token)
    assert.deepEqual([refreshed.claims()?.sub, refreshed.claims()?.name], [ann.id, 'Ann Archer'])
    assert.equal(refreshed.claims()?.auth_time, claims?.auth_time)
  })
}

test('a person who is signed in comes to the product without a page', async () => {
  const [ann, browser] = [await world.person(), new Browser(world)]
  const { begin } = await startProduct('silent')
  await browser.signIn(ann)

  const { url, finish } = await begin({ prompt: 'none' })

  assert.equal((await finish(await browser.open(url))).claims()?.sub, ann.id)
})

test('without a session, prompt=none tells the product that somebody must sign in', async () => {
  const { begin } = await startProduct('nobody')
  const { url, finish } = await begin({ prompt: 'none' })

  const back = await new Browser(world).open(url)

  await assert.rejects(finish(back), { error: 'login_required' })
})

test('max_age asks for the password again, and the product sees when it was given', async () => {
  const [ann, browser] = [await world.person(), new Browser(world)]
  const { begin, signIn } = await startProduct('max-age')
  await browser.signIn(ann)
  await world.postgres.query(`update sessions set authenticated_at = now() - interval '1 hour' where user_id = $1`, [
    ann.id,
  ])
  const { claims: before } = await signIn(browser)

  const { url, finish } = await begin({ max_age: '300' })
  const page = await browser.open(url)
  assert.equal(await browser.step(page), 'confirm')
  await browser.confirm()
  const after = (await finish(await browser.goOn(page))).claims()

  assert.ok(Number(after?.auth_time) > Number(before.auth_time))
  assert.deepEqual([after?.sub, after?.sid], [ann.id, before.sid])
})

test('acr_values=aal2 asks for a second factor, and the person adds their first one on the way', async () => {
  const [ann, browser] = [await world.person(), new Browser(world)]
  const { begin, signIn } = await startProduct('step-up')
  const signedIn = await browser.signIn(ann)
  assert.equal((await signIn(browser)).claims.acr, 'aal1')

  const { url, finish } = await begin({ acr_values: 'aal2' })
  const page = await browser.open(url)
  assert.equal(await browser.step(page), 'second_factor')
  await enrol(world, signedIn)
  const claims = (await finish(await browser.goOn(page))).claims()

  assert.deepEqual([claims?.acr, claims?.amr], ['aal2', ['pwd', 'otp', 'mfa']])
})

test('the product signs its person out, and every product of the session is told', async () => {
  const [ann, browser] = [await world.person(), new Browser(world)]
  const [acme, other] = [await startProduct('sign-out'), await startProduct('sign-out-other')]
  await browser.signIn(ann)
  const tokens = await acme.signIn(browser)
  await other.signIn(browser)

  const url = client.buildEndSessionUrl(acme.config, {
    id_token_hint: tokens.idToken,
    post_logout_redirect_uri: goodbye,
    state: 'the state',
  })
  const page = await browser.open(url)
  assert.equal(await browser.isAsked(page), false)
  assert.equal(`${await browser.signOut(page)}`, `${goodbye}?state=the+state`)

  assert.equal(await browser.isSignedIn(), false)
  for (const told of [await acme.toldOf(), await other.toldOf()])
    assert.deepEqual([told.sub, told.sid], [ann.id, tokens.claims.sid])
  await assert.rejects(client.refreshTokenGrant(acme.config, tokens.refresh), { error: 'invalid_grant' })
  await assert.rejects(client.fetchUserInfo(acme.config, tokens.access, ann.id), { status: 401 })
})

test('a person who signs out at Guildhall is signed out of the product', async () => {
  const [ann, browser] = [await world.person(), new Browser(world)]
  const { config, signIn, toldOf } = await startProduct('back-channel')
  await browser.signIn(ann)
  const { claims, refresh } = await signIn(browser)
  await ann.delete(`/api/users/me/devices/${claims.sid}`)

  const told = await toldOf()

  assert.deepEqual([told.sub, told.sid], [ann.id, claims.sid])
  assert.deepEqual(told.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
  await assert.rejects(client.refreshTokenGrant(config, refresh), { error: 'invalid_grant' })
})

test('a product that gives back its token leaves the person signed in', async () => {
  const [ann, browser] = [await world.person(), new Browser(world)]
  const { config, signIn } = await startProduct('revocation')
  await browser.signIn(ann)
  const { access, refresh } = await signIn(browser)

  await client.tokenRevocation(config, refresh)

  await assert.rejects(client.refreshTokenGrant(config, refresh), { error: 'invalid_grant' })
  await assert.rejects(client.fetchUserInfo(config, access, ann.id), { status: 401 })
  assert.equal(await browser.isSignedIn(), true)
  assert.equal((await signIn(browser)).claims.sub, ann.id)
})
