/**
 * A double of a sign-in provider on loopback: honest by default, and hostile where a test says so.
 *
 * It is an OpenID provider below any path, so that it stands in for Google and Microsoft, and has GitHub's endpoints beside that. An honest
 * one checks what a provider must: code, redirect URI and verifier, each code once.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Callback } from '../src/domain/providers/exchange.ts'
import { listenLocally } from './listening.ts'

type Json = Record<string, unknown>

/** What a test may change. */
export interface Behaviour {
  /** Of the person who signs in. */
  claims: Json
  /** Of the user info, beside `sub`. */
  userInfo: Json
  /** Of metadata and ID tokens. */
  issuer: string
  metadata: Json
  header: Json
  keys: Json[]
  signs: (input: string) => string
  /** GitHub's API. */
  user: unknown
  emails: unknown
  /** The answer of the token endpoint instead of tokens, with status 400 if it is not given. */
  refusal: { readonly status?: number; readonly body: Json } | undefined
  /** Changes what a browser brings back. */
  changes: (back: URLSearchParams) => void
  /** Answers instead of the double. @returns whether it did */
  intercepts: (path: string, response: ServerResponse) => boolean
}

export interface Double extends Behaviour {
  readonly origin: string
  /** Paths that were called, in order. */
  readonly calls: string[]
  /** The form that the token endpoint received last, and its header `authorization`. */
  form: URLSearchParams
  authorization: string | undefined
  /** Honest again. */
  reset(): void
  /** What a browser brings back from an authorization URL. */
  signIn(url: string): Callback & { readonly code: string }
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

export function signsWith(key: KeyObject): (input: string) => string {
  return (input) => {
    if (key.asymmetricKeyType === 'ed25519') return sign(null, Buffer.from(input), key).toString('base64url')
    return sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  }
}

/** Call it once in a test file. */
export async function startProviderDouble(): Promise<Double> {
  const codes = new Map<string, URLSearchParams>()
  const server = createServer((request, response) => {
    answer(double, codes, request, response).catch(() => response.destroy())
  })
  const origin = await listenLocally(server)
  const honest = (): Behaviour => ({
    claims: { sub: 'ann', email: 'ann@example.com', email_verified: true, name: 'Ann' },
    userInfo: {},
    issuer: origin,
    metadata: {},
    header: { alg: 'RS256', kid: 'first' },
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig' }],
    signs: signsWith(privateKey),
    user: { id: 4711, login: 'ann', name: 'Ann' },
    emails: [{ email: 'ann@example.com', primary: true, verified: true }],
    refusal: undefined,
    changes: () => {},
    intercepts: () => false,
  })
  const double: Double = {
    ...honest(),
    origin,
    calls: [],
    form: new URLSearchParams(),
    authorization: undefined,
    reset() {
      Object.assign(double, honest())
      double.calls.length = 0
    },
    signIn(url) {
      const asked = new URL(url).searchParams
      const code = randomBytes(8).toString('hex')
      codes.set(code, asked)
      return { code, state: asked.get('state') ?? '' }
    },
  }
  return double
}

async function answer(
  double: Double,
  codes: Map<string, URLSearchParams>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin, issuer } = double
  const { href, pathname: path } = new URL(request.url ?? '/', origin)
  const send = (body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  double.calls.push(path)
  if (double.intercepts(path, response)) return
  if (path.endsWith('/.well-known/openid-configuration'))
    send({
      issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      ...double.metadata,
    })
  else if (path === '/authorize') {
    // A browser comes here; tests without one call signIn() themselves.
    const back = new URLSearchParams({ ...double.signIn(href) })
    double.changes(back)
    response.writeHead(302, { location: `${new URL(href).searchParams.get('redirect_uri')}?${back}` }).end()
  } else if (path === '/keys') send({ keys: double.keys })
  else if (path === '/user-info') send({ sub: double.claims.sub, ...double.userInfo })
  else if (path === '/user') send(double.user)
  else if (path === '/user/emails') send(double.emails, Array.isArray(double.emails) ? 200 : 403)
  else if (path === '/token' || path === '/login/oauth/access_token') {
    double.form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    double.authorization = request.headers.authorization
    const { refusal } = double
    if (refusal) send(refusal.body, refusal.status ?? 400)
    else grant(double, codes, send)
  } else send({}, 404)
}

/** Answers tokens for a code, if code, redirect URI and verifier fit together. */
function grant(double: Double, codes: Map<string, URLSearchParams>, send: (body: Json, status?: number) => void): void {
  const { form, issuer } = double
  const code = form.get('code') ?? ''
  const asked = codes.get(code)
  codes.delete(code)
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  if (asked?.get('code_challenge') !== challenge || asked.get('redirect_uri') !== form.get('redirect_uri')) {
    send({ error: 'invalid_grant' }, 400)
    return
  }
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: asked.get('client_id'),
    iat: now,
    exp: now + 60,
    nonce: asked.get('nonce'),
    ...double.claims,
  }
  const encode = (part: Json) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const input = `${encode(double.header)}.${encode(claims)}`
  const idToken = asked.has('nonce') ? { id_token: `${input}.${double.signs(input)}` } : {}
  send({ access_token: 'an access token', token_type: 'Bearer', ...idToken })
}
