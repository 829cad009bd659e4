/** Applications for tests that hold grants: their secrets, codes for a person’s session, and requests to the token endpoint. */

import { newToken } from '../src/domain/access/tokens.ts'
import type { ApplicationKind, ApplicationScope } from '../src/domain/applications/applications.ts'
import { sealCode } from '../src/domain/applications/codes.ts'
import { sha256 } from '../src/platform/cryptography.ts'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { callback, storeApplication } from './authorizations.ts'
import type { Described } from './sign-in-requests.ts'
import { type Answer, Client, type Json, type Person, type World } from './world.ts'

export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

type Form = Readonly<Record<string, string | undefined>>

export interface Product {
  readonly id: string
  /** Undefined: a page or a device. */
  readonly secret: string | undefined
  /** `/api/tenants/<id>` */
  readonly path: string
  /** Sends a form to a place below `path`, with what the application says of itself. */
  post(place: string, form: Form, headers?: Record<string, string>): Promise<Answer>
  /** A code for the newest session of a person. */
  code(person: Person, claims?: CodeClaims): Promise<string>
  /** Exchanges a code. */
  exchange(code: string, form?: Form): Promise<Answer>
  refresh(token: string, form?: Form): Promise<Answer>
  /** The tokens for a person’s session. */
  signIn(person: Person, claims?: CodeClaims): Promise<Json>
  /** User information, by an access token. */
  userinfo(token: string): Promise<Answer>
}

interface CodeClaims {
  readonly scopes?: readonly ApplicationScope[]
  readonly organizationId?: string
  readonly nonce?: string
  /** Of PKCE. */
  readonly verifier?: string
  /** Seconds from now. */
  readonly expires?: number
}

interface ProductOptions {
  readonly kind?: ApplicationKind
  readonly scopes?: readonly ApplicationScope[]
  /** The uuid of another tenant. */
  readonly tenant?: string
}

const allScopes = ['openid', 'profile', 'email', 'offline_access'] as const

export async function makeProduct(
  world: World,
  { kind = 'server', scopes = allScopes, tenant = world.tenantId }: ProductOptions = {},
): Promise<Product> {
  const { query } = world.postgres
  const id = await storeApplication(world, tenant, { kind, scopes })
  const made = kind === 'server' ? newToken('ghx', tenant) : undefined
  if (made)
    await query('insert into application_secrets (tenant_id, secret_hash, application_id) values ($1, $2, $3)', [
      tenant,
      made.hash,
      id,
    ])
  const path = `/api/tenants/${uuidToTenantId(tenant)}`
  const credentials = { client_id: id, client_secret: made?.token }

  const application: Product = {
    id,
    secret: made?.token,
    path,
    post: (place, form, headers) => postForm(world.nobody, `${path}/${place}`, { ...credentials, ...form }, headers),
    code: async (person, claims = {}) => {
      const { scopes = allScopes, organizationId = null, nonce = null, expires = 60 } = claims
      const [session] = await query<{ id: string }>(
        'select id from sessions where tenant_id = $1 and token_hash = $2',
        [tenant, sha256(person.token)],
      )
      return sealCode(world.keyring, tenant, {
        sessionId: `${session?.id}`,
        applicationId: id,
        redirectUri: callback,
        challenge: sha256(claims.verifier ?? verifier).toString('base64url'),
        nonce,
        scopes,
        organizationId,
        expiresAt: new Date(Date.now() + expires * 1_000).toISOString(),
      })
    },
    exchange: (code, form) =>
      application.post('token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        code_verifier: verifier,
        ...form,
      }),
    refresh: (token, form) => application.post('token', { grant_type: 'refresh_token', refresh_token: token, ...form }),
    signIn: async (person, claims) => {
      const answer = await application.exchange(await application.code(person, claims))
      if (answer.status !== 200)
        throw new Error(`the exchange answered ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    userinfo: (token) => new Client(world, { authorization: `Bearer ${token}` }).get(`${path}/userinfo`),
  }
  return application
}

/** @returns a request of an application about a grant that is made for it; undefined if the operation is about something else */
export async function grantRequest(world: World, name: string, person: Person): Promise<Described | undefined> {
  const [, place] = /\/tenants\/\{tenantId\}\/(token|revoke|userinfo)$/.exec(name) ?? []
  if (place === undefined) return undefined
  const { id, secret, path, code, signIn } = await makeProduct(world)
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const request = (authorization: string, form?: Record<string, string>): Described => ({
    path: `${path}/${place}`,
    headers: { authorization, ...(form && { 'content-type': formType }) },
    ...(form && { raw: new URLSearchParams(form).toString() }),
  })
  if (place === 'userinfo') return request(`Bearer ${(await signIn(person)).access_token}`)
  if (place === 'revoke') return request(basic, { token: (await signIn(person)).refresh_token })
  const sent = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: verifier }
  return request(basic, { ...sent, code: await code(person) })
}

const formType = 'application/x-www-form-urlencoded'

/** Sends a form, without what is undefined. */
export function postForm(
  client: Client,
  path: string,
  form: Form,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = Object.entries(form).filter((field): field is [string, string] => field[1] !== undefined)
  return client.request(path, {
    method: 'POST',
    raw: new URLSearchParams(sent).toString(),
    headers: { 'content-type': formType, ...headers },
  })
}

/** @returns the status of an answer, with its error if it has one: `[400, 'invalid_grant']` */
export function errorOf({ status, body }: Pick<Answer, 'status' | 'body'>): (number | string)[] {
  return body.error ? [status, body.error] : [status]
}

/** The grants of an application, in the order in which they were made. */
export function grantsOf(
  { postgres }: World,
  { id }: Product,
): Promise<{ id: string; generation: number; ended_at: Date | null }[]> {
  return postgres.query(
    'select id, generation, ended_at from grants where application_id = $1 order by created_at, id',
    [id],
  )
}
