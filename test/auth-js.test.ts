/** Auth.js, with Guildhall as a provider that it does not know, as its documentation has it: a product on a server whose session is a cookie. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Auth, type AuthConfig } from '@auth/core'
import { Browser, createPublicWorld, goodbye, register, site } from './relying-party.ts'
import { enrol } from './sign-in.ts'
import type { Json } from './world.ts'

const world = await createPublicWorld()

/** A product, and the cookies that a browser has of it. */
async function startProduct() {
  const { id, secret, issuer } = await register(world, { redirectUris: [`${site}/auth/callback/guildhall`] })
  const metadata: Json = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()
  const jar = new Map<string, string>()
  let passed = 0

  /** @returns the tokens of the product's session, refreshed if the access token is over, by the guide to refresh tokens */
  const rotate: NonNullable<AuthConfig['callbacks']>['jwt'] = async ({ token, account, profile }) => {
    if (account)
      return {
        ...token,
        sub: account.providerAccountId,
        refresh: account.refresh_token,
        idToken: account.id_token,
        end: account.expires_at,
        acr: profile?.acr,
      }
    if (Date.now() + passed < Number(token.end) * 1_000) return token
    const answer = await fetch(metadata.token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: id,
        client_secret: `${secret}`,
        grant_type: 'refresh_token',
        refresh_token: `${token.refresh}`,
      }),
    })
    const tokens: Json = await answer.json()
    if (!answer.ok) return { ...token, error: tokens.error }
    const end = Math.floor((Date.now() + passed) / 1_000) + tokens.expires_in
    return { ...token, refresh: tokens.refresh_token, end }
  }

  const config: AuthConfig = {
    basePath: '/auth',
    trustHost: true,
    secret: 'a secret that is only used in tests',
    logger: { error: () => {} }, // one test is refused
    providers: [
      {
        id: 'guildhall',
        name: 'Guildhall',
        type: 'oidc',
        issuer,
        clientId: id,
        clientSecret: `${secret}`,
        authorization: { params: { scope: 'openid profile email offline_access' } },
        checks: ['pkce', 'state', 'nonce'],
      },
    ],
    callbacks: {
      jwt: rotate,
      session: ({ session, token: { sub, refresh, idToken, acr, error } }) =>
        Object.assign(session, { userId: sub, refresh, idToken, acr, error }),
    },
  }

  async function send(address: URL | string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const request = new Request(new URL(address, site), {
      headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    const response = await Auth(request, config)
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Sends the form of a page of Auth.js. @returns where it leads */
  async function submit(path: string): Promise<URL> {
    const { csrfToken }: Json = await (await send('/auth/csrf')).json()
    const response = await send(path, { csrfToken, callbackUrl: `${site}/home` })
    return new URL(`${response.headers.get('location')}`, site)
  }

  return {
    metadata,
    /** Begins a sign-in. @param parameters more ones of the request @returns where to send the browser */
    begin: (parameters: Readonly<Record<string, string>> = {}) =>
      submit(`/auth/signin/guildhall?${new URLSearchParams(parameters)}`),
    /** Takes the browser back. @returns where it goes then */
    finish: async (back: URL) => `${(await send(back)).headers.get('location')}`,
    session: async (): Promise<Json> => (await send('/auth/session')).json(),
    signOut: () => submit('/auth/signout'),
    /** Lets an hour pass, for this product. */
    wait: () => {
      passed += 3_600_000
    },
  }
}

/** A product in which somebody is signed in. */
async function signIn() {
  const [ann, browser, product] = [await world.person(), new Browser(world), await startProduct()]
  const page = await browser.open(await product.begin())
  assert.equal(await browser.step(page), 'sign_in')
  const signedIn = await browser.signIn(ann)
  assert.equal(await product.finish(await browser.goOn(page)), `${site}/home`)
  return { ann, signedIn, browser, product }
}

test('a stranger signs in, and the product has a session that goes on by refresh tokens', async () => {
  const { ann, product } = await signIn()
  const first = await product.session()
  assert.deepEqual([first.userId, first.user.name, first.user.email, first.acr], [ann.id, 'Ann', ann.email, 'aal1'])

  product.wait()
  const second = await product.session()
  product.wait()
  const third = await product.session()

  assert.equal(new Set([first.refresh, second.refresh, third.refresh]).size, 3)
  assert.deepEqual([second.error, third.error], [undefined, undefined])
  assert.equal(third.userId, ann.id)
})

test('a sign-in that the person cancels leads back to the sign-in page of the product', async () => {
  const [browser, product] = [new Browser(world), await startProduct()]
  const page = await browser.open(await product.begin())

  const back = await browser.cancelUrl(page)

  assert.match(await product.finish(back), /\/auth\/signin\?error=OAuthCallbackError$/)
  assert.equal(await product.session(), null)
})

test('the product asks for a second factor when it needs one', async () => {
  const { signedIn, browser, product } = await signIn()

  const page = await browser.open(await product.begin({ acr_values: 'aal2' }))
  assert.equal(await browser.step(page), 'second_factor')
  await enrol(world, signedIn)
  await product.finish(await browser.goOn(page))

  assert.equal((await product.session()).acr, 'aal2')
})

test('the product signs out of itself and of Guildhall', async () => {
  const { browser, product } = await signIn()
  const { idToken } = await product.session()

  await product.signOut()
  const address = new URL(product.metadata.end_session_endpoint)
  address.search = `${new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: goodbye })}`
  const page = await browser.open(address)

  assert.equal(await browser.isAsked(page), false)
  assert.equal(`${await browser.signOut(page)}`, goodbye)
  assert.equal(await product.session(), null)
  assert.equal(await browser.isSignedIn(), false)
})

test('after the person has signed out at Guildhall, the product learns it at the next refresh', async () => {
  const { ann, product } = await signIn()
  await ann.delete('/api/users/me/devices') // all others

  product.wait()

  assert.equal((await product.session()).error, 'invalid_grant')
})
