/**
 * The exchange with a provider: from the URL where a person signs in to who that person is (OAuth 2.0 code flow with PKCE, OpenID
 * Connect Core 1.0, RFC 9700).
 *
 * 1. `beginSignIn` makes state, nonce and verifier, and the URL with the first two and the hash of the third.
 * 2. The provider sends the browser back with a code, the state and, if it can, its issuer (RFC 9207).
 * 3. `exchangeCode` compares state, page and issuer, sends code and verifier, and checks the ID token: signature, issuer, audience, authorized
 *    party, expiry, nonce. Tokens are used here and dropped.
 *
 * Invariant: each sign-in has one state, nonce and verifier of its own. That they are used once is for the caller to see to. No database
 * connection may be held during a call, which takes up to 30 seconds.
 */
import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  ResponseBodyError,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi'
import { randomSecret, sha256 } from '../../platform/cryptography.ts'
import { OutboundError, type OutboundFetch } from '../../platform/outbound/outbound.ts'
import { ProviderFailure } from './failures.ts'
import { gitHubMetadata, readGitHubPerson } from './github.ts'
import { keysThrough } from './key-sets.ts'
import { kinds as allKinds, type Claims, type Kinds, type OpenIdKind, type Provider } from './kinds.ts'
import { callsThrough, type Metadata, MetadataStore } from './metadata.ts'
import { addressIn, isName, type ProvenPerson, toPerson } from './proven-person.ts'

/** What a sign-in must remember until the browser comes back. */
export interface Remembered {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** What the browser came back with: query parameters, and the page that received them. */
export interface Callback {
  readonly code?: string
  readonly error?: string
  readonly state: string
  readonly iss?: string
  /** Of the page to which it came back. */
  readonly redirectUri?: string
}

/** Who is asked for claims, and whether an address in them is believed if it is verified. */
interface Asked {
  readonly metadata: Metadata
  readonly client: Client
  readonly believes: (claims: Claims) => boolean
}

export class Exchange {
  readonly #kinds: Kinds
  readonly #calls: ReturnType<typeof callsThrough>
  readonly #keyCalls: ReturnType<typeof callsThrough>
  readonly #metadata: MetadataStore

  constructor(fetch: OutboundFetch, kinds: Kinds = allKinds) {
    this.#kinds = kinds
    this.#calls = callsThrough(fetch)
    this.#keyCalls = keysThrough(this.#calls)
    this.#metadata = new MetadataStore(this.#calls)
  }

  /** @returns the URL to send the browser to, and what to remember @throws ProviderFailure unreachable, bad_metadata */
  async beginSignIn(
    provider: Provider,
    { redirectUri }: { readonly redirectUri: string },
  ): Promise<{ readonly url: string } & Remembered> {
    const [state, nonce, verifier] = [randomSecret('provider'), randomSecret('provider'), randomSecret('provider')]
    const { authorization_endpoint } = await this.#metadataOf(provider)
    const url = new URL(authorization_endpoint ?? '') // metadata without one are refused
    const kind = this.#kinds[provider.type]
    const parameters = {
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: redirectUri,
      scope: kind.scope,
      state,
      ...(kind.protocol === 'openid' && { nonce }),
      code_challenge: sha256(verifier).toString('base64url'),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return { url: url.href, redirectUri, state, nonce, verifier }
  }

  /** @throws ProviderFailure */
  async exchangeCode(provider: Provider, remembered: Remembered, callback: Callback): Promise<ProvenPerson> {
    const metadata = await this.#metadataOf(provider)
    try {
      const kind = this.#kinds[provider.type]
      const client: Client = { client_id: provider.clientId }
      const isLate = kind.protocol === 'openid' && kind.issuerFor !== undefined
      const checked = readCallback(metadata, client, remembered, callback, isLate)
      const answer = await authorizationCodeGrantRequest(
        metadata,
        client,
        authenticationOf(provider, metadata, kind.protocol === 'openid' ? kind.secretIn : 'body'),
        checked,
        remembered.redirectUri,
        remembered.verifier,
        this.#calls,
      )
      if (kind.protocol === 'github')
        return toPerson(await readGitHubPerson(kind, metadata, client, answer, this.#calls))
      const believes = (claims: Claims) => kind.believes(claims, provider)
      const claims = await this.#readIdToken({ metadata, client, believes }, answer, remembered.nonce)
      if (isLate && callback.iss !== undefined && callback.iss !== claims.iss) throw new ProviderFailure('bad_token')
      return toPerson(claimed(kind, provider, claims))
    } catch (error) {
      throw toFailure(error)
    }
  }

  async #metadataOf(provider: Provider): Promise<Metadata> {
    const kind = this.#kinds[provider.type]
    return kind.protocol === 'github' ? gitHubMetadata(kind) : this.#metadata.get(kind, provider)
  }

  /** @returns the claims of the ID token, with those of the user info that it lacks */
  async #readIdToken({ metadata, client, believes }: Asked, answer: Response, nonce: string): Promise<Claims> {
    const tokens = await processAuthorizationCodeResponse(metadata, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await validateApplicationLevelSignature(metadata, answer, this.#keyCalls)
    const proven = getValidatedIdTokenClaims(tokens)
    if (!proven || (proven.azp !== undefined && proven.azp !== client.client_id)) throw new ProviderFailure('bad_token')
    const claims = withoutBlank(proven)
    const { email, email_verified, name, given_name, family_name } = claims
    const hasName = name !== undefined || (given_name !== undefined && family_name !== undefined)
    // Where the address is not believed anyway, it makes no difference whether it is verified.
    const isJudged = email_verified !== undefined || !believes(claims)
    if ((email !== undefined && isJudged && hasName) || !metadata.userinfo_endpoint) return claims
    try {
      const info = await userInfoRequest(metadata, client, tokens.access_token, this.#calls)
      return complete(claims, withoutBlank(await processUserInfoResponse(metadata, client, proven.sub, info)))
    } catch (error) {
      if (email !== undefined) return claims // somebody can sign in without a name, and with an address that is not verified
      throw error
    }
  }
}

/** Whether a claim about a person says something. */
const says: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['email', (value: unknown) => typeof value === 'string' && value.trim() !== ''],
  // Some providers write it as text.
  [
    'email_verified',
    (value: unknown) => typeof value === 'boolean' || (typeof value === 'string' && /^(true|false)$/i.test(value)),
  ],
  ['name', isName],
  ['given_name', isName],
  ['family_name', isName],
])

/** Some providers send claims that they do not know as null, as blank text or in another type. */
function withoutBlank(claims: Claims): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([claim, value]) => says.get(claim)?.(value) ?? true))
}

/** Whether an address is verified is said of that address alone: what the user info says of another one does not count. */
function complete(claims: Claims, info: Claims): Claims {
  const isSame = addressIn(claims.email) === addressIn(info.email)
  const address =
    claims.email === undefined
      ? { email: info.email, email_verified: info.email_verified }
      : { email_verified: claims.email_verified ?? (isSame ? info.email_verified : undefined) }
  return { ...info, ...claims, ...address }
}

/** Some providers give the parts of a name alone (OpenID Connect Core 1.0, 5.1). */
function nameIn({ name, given_name, family_name }: Claims): unknown {
  return name ?? [given_name, family_name].filter((part) => part !== undefined).join(' ')
}

/**
 * Compares state, page and issuer, before anything is sent (RFC 9700, 4.4).
 *
 * No two providers share a page. A provider knows the state of a sign-in that began there, and may send the browser on to another provider
 * with it: then the code comes to the page of the other one, and a provider that sends no issuer does not say that it is its own.
 *
 * @param isLate the issuer depends on the person, so it is compared with that of the ID token
 */
function readCallback(
  metadata: Metadata,
  client: Client,
  remembered: Remembered,
  { code, error, state, iss, redirectUri = remembered.redirectUri }: Callback,
  isLate: boolean,
): URLSearchParams {
  if (state !== remembered.state) throw new ProviderFailure('denied') // the browser that came back has not begun this sign-in
  if (redirectUri !== remembered.redirectUri) throw new ProviderFailure('denied') // it came to the page of another provider
  if (iss === '') throw new ProviderFailure('bad_token')
  const seen = { code, error, state, iss: iss !== undefined && isLate ? metadata.issuer : iss }
  const sent = Object.entries(seen).filter((each): each is [string, string] => each[1] !== undefined)
  return validateAuthResponse(metadata, client, new URLSearchParams(sent), remembered.state)
}

function authenticationOf({ clientSecret }: Provider, metadata: Metadata, preferred: 'header' | 'body'): ClientAuth {
  if (clientSecret === null) return None()
  const accepted = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const [inBody, inHeader] = [accepted.includes('client_secret_post'), accepted.includes('client_secret_basic')]
  const isInBody = inBody && (preferred === 'body' || !inHeader)
  return isInBody ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret)
}

function claimed(kind: OpenIdKind, provider: Provider, claims: Claims): Parameters<typeof toPerson>[0] {
  const { iss, sub, email, email_verified } = claims
  const isVerified = /^true$/i.test(String(email_verified))
  return {
    issuer: iss,
    subject: sub,
    email,
    emailBelieved: isVerified && kind.believes(claims, provider),
    name: nameIn(claims),
  }
}

function toFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (error instanceof OutboundError) return new ProviderFailure('unreachable')
  if (error instanceof WWWAuthenticateChallengeError) return new ProviderFailure('bad_client')
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const isOurs = [
      'invalid_client',
      'unauthorized_client',
      'invalid_scope',
      'invalid_request',
      'redirect_uri_mismatch',
    ]
    if (isOurs.includes(error.error)) return new ProviderFailure('bad_client')
    if (['server_error', 'temporarily_unavailable'].includes(error.error)) return new ProviderFailure('unreachable')
    return new ProviderFailure(error instanceof AuthorizationResponseError ? 'denied' : 'bad_token')
  }
  return new ProviderFailure('bad_token')
}
