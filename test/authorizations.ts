/** Sign-ins to applications, as a browser goes through them: a tenant with an application, and a person whose session is a cookie. */
import assert from 'node:assert/strict'
import type { ApplicationScope } from '../src/domain/applications/applications.ts'
import type { AuthorizationRequest } from '../src/domain/applications/requests.ts'
import { sealRequest } from '../src/domain/applications/sealed-requests.ts'
import type { SignOutRequest } from '../src/domain/applications/sign-out-requests.ts'
import { newId, uuidToTenantId } from '../src/platform/http/schemas.ts'
import type { Described } from './sign-in-requests.ts'
import { type Answer, type Json, Person, type World } from './world.ts'

export const callback = 'https://app.example.com/callback'
export const goodbye = 'https://app.example.com/goodbye'
/** The challenge of RFC 7636, appendix B. */
export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

interface ApplicationOptions {
  readonly kind?: 'server' | 'browser' | 'native'
  readonly redirectUris?: readonly string[]
  readonly scopes?: readonly ApplicationScope[]
  readonly requireVerifiedEmail?: boolean
  readonly chooseOrganization?: boolean
}

/** An application of a tenant, written past the API. @param tenant its uuid @returns the id */
export async function storeApplication(
  { postgres }: World,
  tenant: string,
  {
    kind = 'server',
    redirectUris = [callback],
    scopes = ['openid', 'profile', 'email', 'offline_access'],
    requireVerifiedEmail = true,
    chooseOrganization = false,
  }: ApplicationOptions = {},
): Promise<string> {
  const id = newId('app')
  await postgres.query(
    `insert into applications (tenant_id, id, name, kind, start_url, redirect_uris, post_logout_uris, scopes,
       require_verified_email, choose_organization)
     values ($1, $2, 'Acme', $3, 'https://app.example.com/', $4, $5, $6, $7, $8)`,
    [tenant, id, kind, redirectUris, [goodbye], scopes, requireVerifiedEmail, chooseOrganization],
  )
  return id
}

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** A place where people sign in to an application. */
export interface Scene {
  readonly slug: string
  /** The uuid of the tenant. */
  readonly tenant: string
  readonly issuer: string
  /** Where the tenant’s pages are. */
  readonly base: string
  readonly applicationId: string
  readonly ann: Person
  /** The address of a request with parameters beside the usual ones, or without those that are undefined. */
  address(parameters?: Parameters): string
  /** Sends the browser of a person there. @param person null: nobody is signed in */
  visit(parameters?: Parameters, person?: Person | null, headers?: Record<string, string>): Promise<Visit>
  /** Sends what the page sends. */
  post(path: string, body: object, person?: Person | null, headers?: Record<string, string>): Promise<Answer>
  /** The sealed request with which the page is opened. */
  requestOf(parameters?: Parameters, person?: Person | null): Promise<string>
  /** An ID token of the application. */
  idToken(claims: Json): Promise<string>
}

export interface Visit {
  readonly status: number
  readonly location: string
  /** What the application gets. */
  readonly answer: Readonly<Record<string, string>>
  /** What our page gets. */
  readonly request: string
  readonly response: Answer
}

export async function makeScene(
  world: World,
  { verified = true, ...options }: ApplicationOptions & { readonly verified?: boolean } = {},
): Promise<Scene> {
  const { id: tenant, slug } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug, verified })
  const applicationId = await storeApplication(world, tenant, options)
  return sceneOf(world, { slug, tenant, ann, applicationId, redirectUri: options.redirectUris?.[0] ?? callback })
}

function sceneOf(
  world: World,
  {
    redirectUri,
    ...place
  }: Pick<Scene, 'slug' | 'tenant' | 'ann' | 'applicationId'> & { readonly redirectUri: string },
): Scene {
  const { publicUrl } = world.app.config
  const tenantId = uuidToTenantId(place.tenant)
  const issuer = `${publicUrl}/api/tenants/${tenantId}`
  const base = `${publicUrl.replace('localhost', '127.0.0.1')}/t/${place.slug}`

  const address = (parameters: Parameters = {}) =>
    `/api/tenants/${tenantId}/authorize?${queryOf({
      client_id: place.applicationId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email',
      state: 'the state',
      nonce: 'the nonce',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...parameters,
    })}`
  const visit: Scene['visit'] = async (parameters, person = place.ann, headers = {}) =>
    readVisit(await world.nobody.get(address(parameters), { ...cookieOf(person), ...headers }))
  return {
    ...place,
    issuer,
    base,
    address,
    visit,
    post: (path, body, person = place.ann, headers = {}) =>
      world.nobody.post(path, body, { ...cookieOf(person), 'sec-fetch-site': 'same-origin', ...headers }),
    requestOf: async (parameters, person) => {
      const { location, request } = await visit(parameters, person)
      assert.ok(location.startsWith(`${base}/authorize?request=ghr_`), location)
      return request
    },
    idToken: (claims) =>
      world.app.signer.sign(place.tenant, undefined, 'JWT', {
        iss: issuer,
        aud: place.applicationId,
        exp: 1,
        ...claims,
      }),
  }
}

export function cookieOf(person: Person | null): Record<string, string> {
  return person ? { cookie: `guildhall=${person.token}` } : {}
}

export function queryOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, values]) =>
    values === undefined ? [] : [values].flat().map((value): [string, string] => [name, value]),
  )
  return new URLSearchParams(pairs).toString()
}

export function readVisit(response: Answer): Visit {
  const location = response.headers.get('location') ?? ''
  const query = location === '' ? [] : new URL(location, 'http://relative.example').searchParams
  const answer = Object.fromEntries(query)
  return { status: response.status, location, answer, request: answer.request ?? '', response }
}

/** Another token of the same session, as after a confirmation. */
export function withToken(world: World, { id, email, name }: Person, token: string): Person {
  return new Person(world, token, { id, email, name }, {})
}

/** Requests of an application, sealed for our pages. @param tenant its uuid */
export async function sealRequests(
  world: World,
  tenant: string,
): Promise<{ readonly authorization: string; readonly signOut: string }> {
  const applicationId = await storeApplication(world, tenant)
  const [clock] = await world.postgres.query<{ now: Date }>('select now()')
  const requestedAt = clock?.now.toISOString() ?? ''
  const authorization: AuthorizationRequest = {
    applicationId,
    requestedAt,
    redirectUri: callback,
    state: 'the state',
    nonce: null,
    challenge,
    scopes: ['openid'],
    subject: null,
    prompts: [],
    maxAge: null,
    isForTwoFactors: false,
    organization: null,
    emailHint: null,
  }
  const signOut: SignOutRequest = { applicationId, requestedAt, returnUri: goodbye, state: null, sessionId: null }
  return {
    authorization: sealRequest(world.keyring, tenant, 'authorize', authorization),
    signOut: sealRequest(world.keyring, tenant, 'sign-out', signOut),
  }
}

/** A request about applications of the default tenant, made for it. @returns undefined if the operation is about something else */
export async function authorizationRequest(world: World, name: string): Promise<Described | undefined> {
  const [method, template = ''] = name.split(' ')
  const isOfPage = template.startsWith('/api/auth/authorize') || template === '/api/auth/sign-out/preview'
  const isOfBrowser = /\{tenantId\}\/(authorize|end-session)$/.test(template)
  if (!isOfPage && !isOfBrowser) return undefined
  const { authorization, signOut } = await sealRequests(world, world.tenantId)
  if (isOfPage) return { body: { request: template.includes('sign-out') ? signOut : authorization } }
  const client_id = await storeApplication(world, world.tenantId)
  const query = queryOf({ client_id, redirect_uri: callback })
  const path = template.replace('{tenantId}', uuidToTenantId(world.tenantId))
  return method === 'GET'
    ? { path: `${path}?${query}` }
    : { path, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
}
