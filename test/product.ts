/** A product of a tenant: an application with a server on loopback, to which people come back. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { requestApplication } from './application-requests.ts'
import { challenge, queryOf } from './authorizations.ts'
import { listenLocally } from './listening.ts'
import type { Json, World } from './world.ts'

type Parameters = Readonly<Record<string, string | undefined>>

export interface Product {
  readonly id: string
  readonly origin: string
  readonly issuer: string
  readonly redirectUri: string
  /** Where it sends a browser to sign in. @param parameters beside the usual ones */
  signIn(parameters?: Parameters): string
  /** Where it sends a browser to sign out. */
  signOut(parameters?: Parameters): string
}

/**
 * Makes an application of the default tenant. Below its origin each path is a page with the heading "Acme".
 *
 * @param fields of the application; its home, if it is to be that
 */
export async function startProduct(world: World, fields: Json = {}): Promise<Product> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<title>Acme</title><link rel=icon href="data:,"><h1>Acme</h1><p>${request.method}</p>`)
  })
  const origin = await listenLocally(server)
  const redirectUri = `${origin}/callback`
  const { application } = await requestApplication(await world.tenantAdmin(), {
    redirectUris: [redirectUri],
    postLogoutUris: [`${origin}/goodbye`],
    startUrl: `${origin}/start`,
    ...fields,
  })
  const path = `/api/tenants/${uuidToTenantId(world.tenantId)}`
  const usual = {
    client_id: application.id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: 'the state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  return {
    id: application.id,
    origin,
    issuer: world.app.config.publicUrl + path,
    redirectUri,
    signIn: (parameters) => `${path}/authorize?${queryOf({ ...usual, ...parameters })}`,
    signOut: (parameters) => `${path}/end-session?${queryOf({ client_id: application.id, ...parameters })}`,
  }
}

/** What a browser has brought back to a product. */
export function broughtBack(url: string): Record<string, string> {
  const { searchParams } = new URL(url)
  assert.equal(searchParams.get('state'), 'the state', url)
  return Object.fromEntries(searchParams)
}
