/**
 * Signing in and out with Guildhall, over OpenID Connect: the code flow with PKCE, by `openid-client`.
 *
 * 1. `begin` sends the browser to Guildhall. The browser keeps what `finish` needs in a cookie.
 * 2. Guildhall's pages ask for what is missing (a password, a second factor, a verified address), and send the browser back.
 * 3. `finish` exchanges the code for tokens, with which a session of Notes begins (sessions.ts).
 * 4. The session ends when the person signs out, or when Guildhall says that its own has ended (`readLogout`).
 */
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { Problem } from './problems.ts'

/** What Guildhall knows of Notes, an application of the kind `server`. */
export interface Registration {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** A person who has signed in. The tokens never leave the server. */
export interface SignedIn {
  /** The id of the user (`user_…`), which never changes. */
  readonly sub: string
  /** The id of their session at Guildhall. */
  readonly sid: string
  readonly idToken: string
  /** The slug of the organization that the sign-in was for. */
  readonly organization: string | undefined
  accessToken: string
  /** When to get another access token, in milliseconds. */
  refreshAt: number
  refreshToken: string
}

/** What is known of a sign-in until the browser comes back. */
export interface Begun {
  readonly verifier: string
  readonly state: string
}

/** What has ended: a session of Guildhall; without `sid`, all sessions of a person whose account was deleted. */
export interface Logout {
  readonly sub: string
  readonly sid: string | undefined
}

export type SignIn = Awaited<ReturnType<typeof openSignIn>>

/** `api` is for calling Guildhall as the person, and `offline_access` for going on after the hour that an access token lasts. */
export const scopes = ['openid', 'offline_access', 'api'] as const

/**
 * How long to wait for an answer, in seconds: a third of the time in which Guildhall answers a refresh again. So if an answer is lost, the
 * second try comes in time. After the 30 seconds that `openid-client` waits by itself, the token would count as stolen.
 */
const patience = 10

/**
 * @param origin of Notes
 * @throws Error if Guildhall does not answer at the issuer
 */
export async function openSignIn({ issuer, clientId, clientSecret }: Registration, origin: string) {
  const execute = new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : [] // on this machine
  const guildhall = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute,
    timeout: patience,
  })
  const { authorization_endpoint: pages = issuer, jwks_uri: jwks = '' } = guildhall.serverMetadata()
  const keys = createRemoteJWKSet(new URL(jwks))
  return {
    /** The address of Guildhall's API. */
    api: issuer.replace(/\/api\/tenants\/.*$/, ''),
    /** The origin of the pages on which people are signed in. */
    accounts: new URL(pages).origin,

    /**
     * @param asked the parameters of `/sign-in`: `organization`, as in Guildhall's link after an invitation; `second-factor`, if a policy
     *   asks for one; `new`, to begin with a sign-up. Anybody can change them: Guildhall decides at each request what the session may do.
     */
    async begin(asked: URLSearchParams): Promise<{ url: string; begun: Begun }> {
      const begun = { verifier: client.randomPKCECodeVerifier(), state: client.randomState() }
      const organization = asked.get('organization')
      const { href } = client.buildAuthorizationUrl(guildhall, {
        redirect_uri: `${origin}/callback`,
        scope: scopes.join(' '),
        state: begun.state,
        code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
        ...(organization && { organization }),
        ...(asked.has('second-factor') && { acr_values: 'aal2' }),
        ...(asked.has('new') && { prompt: 'create' }),
      })
      return { url: href, begun }
    },

    /**
     * @param url the address at which the browser came back
     * @throws AuthorizationResponseError if the person cancelled, or Guildhall refused the request
     */
    async finish(url: URL, { verifier, state }: Begun): Promise<SignedIn> {
      const checks = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true }
      const tokens = await client.authorizationCodeGrant(guildhall, url, checks)
      const { sub = '', sid, org }: Partial<client.IDToken> = tokens.claims() ?? {}
      const { slug } = Object(org)
      return { sub, sid: `${sid}`, idToken: `${tokens.id_token}`, organization: slug, ...kept(tokens) }
    },

    /**
     * The access token of a person, refreshed if it ends soon. Requests may refresh at once, and a refresh is sent again if its answer was
     * lost: Guildhall gives all of them the same refresh token.
     *
     * @throws Problem unauthenticated, unavailable
     */
    async tokenOf(person: SignedIn): Promise<string> {
      if (Date.now() < person.refreshAt) return person.accessToken
      const refresh = () => client.refreshTokenGrant(guildhall, person.refreshToken)
      const again = (error: unknown) => {
        if (error instanceof client.ResponseBodyError) throw error // an answer, which another try does not change
        return refresh()
      }
      const refuse = (error: unknown) => {
        // The session has ended, or a policy asks for more: another sign-in leads through it.
        if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant')
          throw new Problem(401, 'unauthenticated', 'Your session has ended. Please sign in again.')
        console.error(error)
        throw new Problem(503, 'unavailable', 'Your session cannot be checked now. Try again soon.')
      }
      const tokens = await refresh().catch(again).catch(refuse)
      return Object.assign(person, kept(tokens)).accessToken
    },

    /** Where to send a browser whose session of Notes has ended, so that it signs out at Guildhall, too, and comes back. */
    endOf({ idToken }: SignedIn): string {
      return client.buildEndSessionUrl(guildhall, { id_token_hint: idToken, post_logout_redirect_uri: `${origin}/` })
        .href
    },

    /**
     * Reads what Guildhall posts to `/back-channel` when a session ends: because the person signs out elsewhere, is suspended, changes the
     * password and so on.
     *
     * @throws Problem invalid_request for anything else
     */
    async readLogout(body: string): Promise<Logout> {
      const token = new URLSearchParams(body).get('logout_token') ?? ''
      const checks = { issuer, audience: clientId, typ: 'logout+jwt', requiredClaims: ['sub', 'exp', 'events'] }
      const { payload } = await jwtVerify(token, keys, checks).catch(() => {
        throw new Problem(400, 'invalid_request', 'This is no logout token for Notes.')
      })
      const { sub = '', sid } = payload
      return { sub, sid: sid === undefined ? undefined : `${sid}` }
    },
  }
}

/** What a session keeps of a token response. */
function kept(tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers) {
  const seconds = (tokens.expiresIn() ?? 0) - 60
  return {
    accessToken: tokens.access_token,
    refreshAt: Date.now() + seconds * 1000,
    refreshToken: `${tokens.refresh_token}`,
  }
}
