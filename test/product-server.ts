/** A product that signs people in with Guildhall by openid-client, and has sessions of its own: for each organization that it is asked about. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as client from 'openid-client'
import { getTenantBySlug } from '../src/features/tenants/tenants.ts'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { requestApplication } from './application-requests.ts'
import { partsOf } from './jwt.ts'
import { listenLocally } from './listening.ts'
import type { Json, World } from './world.ts'

/** Somebody who is signed in at the product. */
interface Guest {
  readonly claims: Json
  readonly tokens: client.TokenEndpointResponse
}

interface ProductServer {
  /** `/` says who is there, in an organization with `?organization=…`; `/start` signs in, `/leave` signs out. */
  readonly origin: string
  /** Its sessions, by the values of their cookies. */
  readonly guests: ReadonlyMap<string, Guest>
}

/** @param tenant its slug @param fields of the application, which is named Acme */
export async function startProductServer(
  world: World,
  { tenant = 'default', ...fields }: Json & { readonly tenant?: string } = {},
): Promise<ProductServer> {
  const guests = new Map<string, Guest>()
  /** Sign-ins under way, by their `state`. */
  const begun = new Map<string, { readonly verifier: string; readonly organization: string }>()
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      response.statusCode = 400
      show(response, `This failed: ${error.message}`)
    })
  })
  const origin = await listenLocally(server)
  const { application, secret } = await requestApplication(await world.tenantAdmin(tenant), {
    redirectUris: [`${origin}/callback`],
    postLogoutUris: [`${origin}/`],
    startUrl: `${origin}/start`,
    backChannelLogoutUri: `${origin}/ended`,
    scopes: ['openid', 'profile', 'api'],
    ...fields,
  })
  const { id } = await getTenantBySlug(world.database, tenant)
  const config = await client.discovery(
    new URL(`${world.app.config.publicUrl}/api/tenants/${uuidToTenantId(id)}`),
    application.id,
    undefined,
    secret === null ? client.None() : client.ClientSecretBasic(secret),
    { execute: [client.allowInsecureRequests] }, // tests have no TLS
  )

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(`${request.url}`, origin)
    const organization = url.searchParams.get('organization') ?? ''
    const key = new RegExp(`acme-${organization}=(\\w+)`).exec(request.headers.cookie ?? '')?.[1] ?? ''
    const guest = guests.get(key)
    switch (url.pathname) {
      case '/start': {
        const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()]
        begun.set(state, { verifier, organization })
        const asked = {
          redirect_uri: `${origin}/callback`,
          scope: 'openid profile api',
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          ...(organization !== '' && { organization }),
        }
        return lead(response, client.buildAuthorizationUrl(config, asked))
      }
      case '/callback': {
        const state = url.searchParams.get('state') ?? ''
        const { verifier, organization: asked } = begun.get(state) ?? { verifier: '', organization: '' }
        begun.delete(state)
        const checks = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true }
        const tokens = await client.authorizationCodeGrant(config, url, checks)
        const own = randomBytes(16).toString('hex')
        guests.set(own, { claims: tokens.claims() as Json, tokens }) // expected above
        response.setHeader('set-cookie', `acme-${asked}=${own}; HttpOnly`)
        return lead(response, new URL(asked === '' ? '/' : `/?organization=${asked}`, origin))
      }
      case '/leave': {
        guests.delete(key)
        const asked = { id_token_hint: guest?.tokens.id_token ?? '', post_logout_redirect_uri: `${origin}/` }
        return lead(response, client.buildEndSessionUrl(config, asked))
      }
      case '/ended': {
        const { sid } = partsOf(new URLSearchParams(await text(request)).get('logout_token') ?? '').claims
        for (const [each, { claims }] of guests) if (claims.sid === sid) guests.delete(each)
        response.writeHead(204).end()
        return
      }
      default: {
        const { name, org } = guest?.claims ?? {}
        show(response, guest ? `Hello ${name}${org ? ` in ${org.name}, ${org.role}` : ''}` : 'Nobody is here')
      }
    }
  }
  return { origin, guests }
}

function lead(response: ServerResponse, to: URL): void {
  response.writeHead(302, { location: to.href }).end()
}

function show(response: ServerResponse, heading: string): void {
  response.setHeader('content-type', 'text/html')
  response.end(`<title>Acme</title><link rel=icon href="data:,"><h1>${heading}</h1>
    <a href=/start>Sign in with Guildhall</a> <a href=/leave>Sign out</a>`)
}
