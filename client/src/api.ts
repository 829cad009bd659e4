/** Api: sends a typed request, and returns its answer or throws its error. */
import createClient, { type Client, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch'
import type { DeviceStore } from './device.ts'
import { type ErrorCode, errorOf, GuildhallError } from './errors.ts'
import type { components, operations, paths } from './openapi.d.ts'
import { idempotencyKey, send, type Transport } from './transport.ts'

/** The shapes of the service, under their names in its OpenAPI document. */
type Schemas = components['schemas']
export type User = Schemas['User']
export type Device = Schemas['Device']
export type Attempt = Schemas['Attempt']
export type Factor = Schemas['Factor']
/** What `navigator.credentials.get` and `create` answer, after `toJSON()`. */
export type PasskeyAssertion = Schemas['AssertionCredential']
export type PasskeyRegistration = Schemas['RegistrationCredential']
export type Identity = Schemas['Identity']
export type Tenant = Schemas['Tenant']
export type Provider = Schemas['Provider']
/** An application of the tenant, into which its people sign in. */
export type Application = Schemas['Application']
/** An application and its new secret, which is shown once. */
export type ApplicationWithSecret = Schemas['ApplicationWithSecret']
export type TenantSettings = Schemas['TenantSettings']
export type Organization = Schemas['Organization']
export type Member = Schemas['Member']
export type Invitation = Schemas['Invitation']
export type Maker = Schemas['Maker']
export type AuditEntry = Schemas['AuditEntry']
/** A change, as the feed of events shows it. Its `type` says what `data` has. */
export type Event = Schemas['Event']
export type Deleted = Schemas['Deleted']
export type Role = Member['role']
/** A role of the product that a member has. */
export type Grant = Schemas['Grant']
/** A member with everything that they may do. */
export type MemberDetails = Schemas['MemberDetails']
/** A role that a member can have: what it contains, and whether the caller may grant it. */
export type RoleDetails = Schemas['Role']
/** A link to join. */
export type Link = Schemas['Link']
/** A key of a person, an organization or the tenant. */
export type Key = Schemas['Key']
/** A key and its new secret, which is shown once. */
export type KeyWithSecret = Schemas['KeyWithSecret']
/** A webhook, by which events of the tenant or of an organization are sent. */
export type Webhook = Schemas['Webhook']
/** A webhook and its new secret, which is shown once. */
export type WebhookWithSecret = Schemas['WebhookWithSecret']
/** What a webhook has sent, or could not send. */
export type Delivery = Schemas['Delivery']
type CallerShape = Schemas['Caller']
/** Who sends a request, and what they may do in an organization now: a person by a session or a key, or a key that is no person’s. */
export type CallerDetails<Permission extends string = string> = Pick<CallerShape, 'organization'> & {
  permissions: Permission[]
} & (
    | {
        type: 'user'
        user: NonNullable<CallerShape['user']>
        session: NonNullable<CallerShape['session']>
        application: CallerShape['application']
        key: null
      }
    | {
        type: 'user'
        user: NonNullable<CallerShape['user']>
        session: null
        application: null
        key: NonNullable<CallerShape['key']>
      }
    | { type: 'key'; user: null; session: null; application: null; key: NonNullable<CallerShape['key']> }
  )
/** All permissions and roles, the built-in ones first. */
export type AccessModel = Schemas['AccessModel']

/** The body of an operation, under the operation's id in the document. */
export type Body<Name extends keyof operations> =
  NonNullable<operations[Name]['requestBody']> extends {
    content: { 'application/json': infer Sent }
  }
    ? Sent
    : never
/** Such a body, with the permissions that you have named, or any. */
export type Asked<Name extends keyof operations, Permission extends string> = Omit<Body<Name>, 'permissions'> & {
  permissions?: NoInfer<Permission>[]
}
/** The answer of an operation, under the operation's id in the document. */
export type Answer<Name extends keyof operations, Status extends number = 200> = operations[Name] extends {
  responses: Record<Status, { content: { 'application/json': infer Received } }>
}
  ? Received
  : never
/** The filters of a list. */
export type Filters<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>

/** With the `ETag` of this version; undefined if an intermediary has removed it. */
export type Versioned<Thing> = Thing & { readonly etag: string | undefined }

export interface RequestOptions {
  /** Aborts the request, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface ChangeOptions extends RequestOptions {
  /** The `etag` that you read. If the resource has changed since, the request is refused (`version_mismatch`). */
  readonly ifMatch?: string | undefined
}

export interface OnceOptions extends RequestOptions {
  /**
   * Requests with the same key take effect once within 24 hours. By default each call has a key of its own, which covers the client's own
   * retries.
   */
  readonly idempotencyKey?: string | undefined
}

export interface Connection {
  readonly url: string
  readonly tenant: string | undefined
  readonly token: TokenSource | undefined
  /** Whether the browser's cookie is the credential. Otherwise cookies are neither sent nor stored. */
  readonly cookies: boolean
  /** Undefined: the device stays unknown, or the browser's cookie identifies it. */
  readonly device: DeviceStore | undefined
  readonly transport: Transport
}

export type TokenSource = string | (() => string | undefined | Promise<string | undefined>)

export interface Api extends Client<paths> {
  /** The header of requests that start a session, or read the cookie of the device. */
  readonly session: { readonly 'Guildhall-Session'?: 'cookie' }
  readonly device: DeviceStore | undefined
}

export function connect({ url, tenant, token, cookies, device, transport }: Connection): Api {
  const client = createClient<paths>({
    baseUrl: url,
    querySerializer,
    pathSerializer,
    redirect: 'manual',
    // A platform without cookies or a cache lacks the property.
    ...(!cookies && 'credentials' in Request.prototype && { credentials: 'omit' }),
    ...('cache' in Request.prototype && { cache: 'no-store' }),
    fetch: (request) =>
      send(request, transport, async () => {
        if (tenant !== undefined) request.headers.set('Guildhall-Tenant', headerOf('tenant', tenant, 'tenant_mismatch'))
        const bearer = typeof token === 'function' ? await readFrom(token) : token
        if (bearer !== undefined) request.headers.set('Authorization', credentialsOf(bearer))
      }),
  })
  return { ...client, session: cookies ? { 'Guildhall-Session': 'cookie' } : {}, device }
}

/** The `cause` is what a source of tokens has thrown: the caller gets it as it is. */
class SourceError extends Error {}

/** @throws SourceError */
async function readFrom(source: Exclude<TokenSource, string>): Promise<string | undefined> {
  try {
    return await source()
  } catch (cause) {
    throw new SourceError('The source of tokens failed.', { cause })
  }
}

function notSent(code: ErrorCode, why: string, status = 400): GuildhallError {
  return new GuildhallError(code, `${why} Nothing was sent.`, { status })
}

/**
 * A token that no header can hold is refused here, because the platform's error would quote it.
 *
 * @throws GuildhallError unauthenticated
 */
function credentialsOf(token: string): string {
  if (/^[\x21-\x7e]*$/.test(token)) return `Bearer ${token}`
  throw notSent('unauthenticated', 'The token contains invalid characters.', 401)
}

/** @throws GuildhallError if no header can hold the value */
function headerOf(name: string, value: string, code: ErrorCode): string {
  const text = value.trim() // as the platform does
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text
  throw notSent(code, `\`${name}\` contains invalid characters.`)
}

const serializeQuery = createQuerySerializer({ array: { style: 'form', explode: false } }) // sends lists as `a,b`

/** Where a list begins, and how it is shown: each may be undefined, since the list is the same without it. */
const ofPage = ['cursor', 'after', 'limit', 'includeTotal', 'sort']

export const listFilters = ['action', 'email', 'id', 'types']

/** A body in which null, which the service refuses, is in the place of what is undefined: that would not be sent, and its absence means more. */
export function complete<Body extends object>(body: Body): Body {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? null])) as Body // but for null
}

/** A filter that is an empty list, undefined or null would not be sent, and so select everything. */
function querySerializer(query: Record<string, unknown>): string {
  for (const [filter, value] of Object.entries(query)) {
    const isList = Array.isArray(value)
    if (isList && !listFilters.includes(filter)) throw notSent('invalid_request', `\`${filter}\` takes one value.`)
    const isEmpty = isList && value.length === 0
    if (isEmpty || ((value ?? undefined) === undefined && !ofPage.includes(filter)))
      throw notSent('invalid_request', `\`${filter}\` is ${isEmpty ? 'an empty list' : value}.`)
  }
  return serializeQuery(query)
}

/** A lone surrogate cannot be part of a URL. */
const half = /\p{Surrogate}/u

/** An empty name, `.` or `..` would change the path, and so call another operation. */
function pathSerializer(path: string, names: Record<string, unknown>): string {
  for (const [parameter, name] of Object.entries(names))
    if (typeof name !== 'string' || /^\.{0,2}$/.test(name) || half.test(name))
      throw notSent('invalid_id', `\`${parameter}\` is not an id: ${JSON.stringify(name)}.`)
  return defaultPathSerializer(path, names)
}

interface Answered<Body> {
  readonly data?: Body
  readonly error?: unknown
  readonly response: Response
}

/**
 * @returns the body of the answer
 * @throws GuildhallError for a refusal, and if no usable answer came
 */
export async function ask<Body>(call: Promise<Answered<Body>>): Promise<Body> {
  return (await succeed(call)).data
}

/** @returns the body with the `etag` of its version */
export async function askVersioned<Body extends object>(call: Promise<Answered<Body>>): Promise<Versioned<Body>> {
  const { data, response } = await succeed(call)
  return { ...data, etag: response.headers.get('etag') ?? undefined }
}

async function succeed<Body>(call: Promise<Answered<Body>>): Promise<{ data: Body; response: Response }> {
  const { data, error, response } = await call.catch((reason: unknown) => {
    if (reason instanceof SourceError) throw reason.cause
    if (reason instanceof URIError) throw notSent('invalid_request', 'A filter contains a lone surrogate.')
    if (!(reason instanceof SyntaxError)) throw reason
    throw new GuildhallError('unexpected', 'The response does not come from Guildhall: it is not JSON.', {
      cause: reason,
    })
  })
  if (!response.ok) throw errorOf(error, response)
  if ((data === undefined || data === null) && response.status !== 204)
    throw new GuildhallError('unexpected', 'The response does not come from Guildhall: it is empty.')
  return { data: data as Body, response } // undefined for a 204
}

export function signalOf({ signal }: RequestOptions): { signal: AbortSignal | null } {
  return { signal: signal ?? null }
}

// These are read while the request is made, so that one that cannot be sent rejects the call.

export function tagOf({ ifMatch }: ChangeOptions): { readonly 'If-Match'?: string } {
  if (ifMatch === undefined) return {}
  return {
    get 'If-Match'() {
      return headerOf('ifMatch', ifMatch, 'invalid_request')
    },
  }
}

export function keyOf({ idempotencyKey: own = newKey() }: OnceOptions): { readonly [idempotencyKey]: string } {
  return {
    get [idempotencyKey]() {
      return headerOf('idempotencyKey', `"${own.replace(/["\\]/g, '\\$&')}"`, 'invalid_request')
    },
  }
}

/** 128 random bits. (`randomUUID` does not exist on pages without TLS.) */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
