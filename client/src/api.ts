/** Api: a request, typed by the document of the service, and what came of it. */
import createClient, { type Client, defaultPathSerializer } from 'openapi-fetch'
import { errorOf, GuildhallError } from './errors.ts'
import type { components, operations, paths } from './openapi.d.ts'
import { idempotencyKey, send, type Transport } from './transport.ts'

/** The shapes of the service, by their names in its document. */
type Schemas = components['schemas']
export type User = Schemas['User']
export type Device = Schemas['Device']
export type Tenant = Schemas['Tenant']
export type TenantSettings = Schemas['TenantSettings']
export type Organization = Schemas['Organization']
export type Member = Schemas['Member']
export type Invitation = Schemas['Invitation']
export type AuditEntry = Schemas['AuditEntry']
export type Deleted = Schemas['Deleted']
export type Role = Member['role']

/** The body that an operation takes, by its name in the document. */
export type Body<Name extends keyof operations> = operations[Name] extends {
  requestBody: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never
/** What a list can be asked for. */
export type Filters<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>

/** With the tag of the version that was read or made; none where something between us and the service has taken it away. */
export type Versioned<Thing> = Thing & { readonly etag: string | undefined }

export interface RequestOptions {
  /** Ends the request: it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface ChangeOptions extends RequestOptions {
  /** The `etag` of what is to be changed, as it was read: it is changed in that version, or not at all (`version_mismatch`). */
  readonly ifMatch?: string | undefined
}

export interface OnceOptions extends RequestOptions {
  /**
   * The same for what is meant to be done once, for 24 hours. Without one each call has its own, which covers what the client itself
   * sends again.
   */
  readonly idempotencyKey?: string | undefined
}

export interface Connection {
  readonly url: string
  readonly tenant: string | undefined
  readonly token: TokenSource | undefined
  /** Whether the browser's cookie says who asks; else cookies are neither sent nor taken. */
  readonly cookies: boolean
  readonly transport: Transport
}

export type TokenSource = string | (() => string | undefined | Promise<string | undefined>)

export interface Api extends Client<paths> {
  /** Goes with what starts a session. */
  readonly session: { readonly 'Guildhall-Session'?: 'cookie' }
}

export function connect({ url, tenant, token, cookies, transport }: Connection): Api {
  const client = createClient<paths>({
    baseUrl: url,
    headers: { 'Guildhall-Tenant': tenant },
    querySerializer: { array: { style: 'form', explode: false } }, // as `a,b`
    pathSerializer,
    redirect: 'manual',
    // What no platform may do by itself. Where it has no cookies, or no cache, a request does not know the word.
    ...(!cookies && 'credentials' in Request.prototype && { credentials: 'omit' }),
    ...('cache' in Request.prototype && { cache: 'no-store' }),
    fetch: async (request) => {
      const bearer = typeof token === 'function' ? await token() : token
      if (bearer !== undefined) request.headers.set('Authorization', credentialsOf(bearer))
      return send(request, transport)
    },
  })
  return { ...client, session: cookies ? { 'Guildhall-Session': 'cookie' } : {} }
}

/**
 * What no header can have is no token, and the platform's own error would quote it.
 *
 * @throws GuildhallError unauthenticated
 */
function credentialsOf(token: string): string {
  if (/^[\x21-\x7e]*$/.test(token)) return `Bearer ${token}`
  throw new GuildhallError('unauthenticated', 'The token is none: it has what no token has. Nothing was sent.', {
    status: 401,
  })
}

/** Half of a character, of which no address can be made. */
const half = /\p{Surrogate}/u

/** Some names mean another place than one in the folder that they stand in, and with them it would be another request. */
function pathSerializer(path: string, names: Record<string, unknown>): string {
  for (const [parameter, name] of Object.entries(names))
    if (typeof name !== 'string' || /^\.{0,2}$/.test(name) || half.test(name))
      throw new GuildhallError('invalid_id', `\`${parameter}\` is no id: ${JSON.stringify(name)}. Nothing was sent.`, {
        status: 400,
      })
  return defaultPathSerializer(path, names)
}

interface Answered<Body> {
  readonly data?: Body
  readonly error?: unknown
  readonly response: Response
}

/**
 * The body of an answer.
 *
 * @throws GuildhallError when the answer is a refusal, or none
 */
export async function ask<Body>(call: Promise<Answered<Body>>): Promise<Body> {
  return (await succeed(call)).data
}

/** The same with the tag of its version. */
export async function askVersioned<Body extends object>(call: Promise<Answered<Body>>): Promise<Versioned<Body>> {
  const { data, response } = await succeed(call)
  return { ...data, etag: response.headers.get('etag') ?? undefined }
}

async function succeed<Body>(call: Promise<Answered<Body>>): Promise<{ data: Body; response: Response }> {
  const { data, error, response } = await call.catch((reason: unknown) => {
    if (reason instanceof URIError)
      throw new GuildhallError('invalid_request', 'A filter has half of a character. Nothing was sent.', {
        status: 400,
      })
    if (!(reason instanceof SyntaxError)) throw reason
    throw new GuildhallError('unexpected', 'What answered is not Guildhall: it sends no JSON.', { cause: reason })
  })
  if (!response.ok) throw errorOf(error, response)
  if ((data === undefined || data === null) && response.status !== 204)
    throw new GuildhallError('unexpected', 'What answered is not Guildhall: it sends nothing.')
  return { data: data as Body, response } // undefined where the answer has none
}

export function signalOf({ signal }: RequestOptions): { signal: AbortSignal | null } {
  return { signal: signal ?? null }
}

export function tagOf({ ifMatch }: ChangeOptions): { 'If-Match'?: string } {
  return ifMatch === undefined ? {} : { 'If-Match': ifMatch }
}

export function keyOf({ idempotencyKey: own = newKey() }: OnceOptions): { [idempotencyKey]: string } {
  return { [idempotencyKey]: `"${own.replace(/["\\]/g, '\\$&')}"` }
}

/** 128 random bits. (`randomUUID` is missing on pages without TLS.) */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
