/**
 * The client: how the console asks the API. It sends the cookie of the session, which no script can read, and names the tenant.
 *
 *   const organization = await ask(api.GET('/api/organizations/{orgId}', { params: { path: { orgId } } }))
 */
import createClient from 'openapi-fetch'
import type { components, paths } from '../../client/src/openapi.d.ts'
import { tenantSlug } from './base.ts'
import { confirmFor, countRenewals } from './confirmation.ts'
import { countLosses, noteNoResponse, noteResponse } from './connection.ts'
import { takeEarly } from './early.ts'
import { idempotency } from './idempotency.ts'
import { Refusal } from './refusal.ts'
import type { Versioned } from './versions.ts'

/** The schemas of the API, by their names in the OpenAPI document. */
export type Schemas = components['schemas']
export type { Body } from '../../client/src/api.ts'

/** Milliseconds until a request is aborted. The service itself aborts a request after 30 seconds. */
const timeouts = { read: 15_000, change: 35_000 }

export const api = createClient<paths>({
  querySerializer: { array: { style: 'form', explode: false } }, // as `a,b`
  fetch: sendConfirmed,
})

/**
 * Sends a request, and again after the user has confirmed it: first to be there, then with a second factor if the API wants that too.
 * A read is also sent again if the user has confirmed another request while it was under way.
 */
async function sendConfirmed(request: Request): Promise<Response> {
  const before = countRenewals()
  const body = await request.clone().arrayBuffer() // a request's own body can be sent once
  const sendOnce = () => send(new Request(request, body.byteLength === 0 ? {} : { body }))
  let response = await sendOnce()
  const isOvertaken = response.status === 401 && request.method === 'GET' && countRenewals() > before
  if (isOvertaken) response = await sendOnce()
  for (let asked = 0; asked < 2 && (await confirmFor(response)); asked++) response = await sendOnce()
  return response
}

/**
 * Invariant: a response is done with only when its body is whole. A connection that is lost in the body is a refusal, like one that is lost
 * before the headers, and the idempotency key of the request is kept.
 *
 * @throws Refusal offline, unreachable, unanswered or no_cookies
 */
async function send(request: Request): Promise<Response> {
  if (request.headers.has(sessionHeader) && !navigator.cookieEnabled) throw Refusal.withoutCookies()
  const isRead = request.method === 'GET'
  // Asked before sending: once a request is under way, losing the connection does not tell whether the service has done it.
  let isOffline = !navigator.onLine
  const lossesBefore = countLosses()
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), isRead ? timeouts.read : timeouts.change)
  try {
    const response = (await takeEarly(request)) ?? (await fetch(request, { signal: limit.signal }))
    isOffline = false // a service on the same machine can be reached while the browser is offline
    // A long list takes its time, once it has begun. Its button says if it ended before it was whole (parts/csv.tsx).
    const isFile = request.headers.get('accept') === asCsv.headers.accept
    const answer = isFile ? response : await readWhole(response)
    noteResponse(lossesBefore)
    return answer
  } catch {
    if (limit.signal.aborted) throw Refusal.unanswered(isRead)
    noteNoResponse()
    throw isOffline ? Refusal.offline(isRead) : Refusal.unreachable(isRead)
  } finally {
    clearTimeout(timer)
  }
}

/** @returns the same response, with its body read */
async function readWhole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer()
  return new Response(body.byteLength === 0 ? null : body, response) // with some statuses, a body may not even be empty
}

const sessionHeader = 'Guildhall-Session'
const tenantHeader = 'Guildhall-Tenant'
let named = tenantSlug

/** Every later request names this tenant, so that the cookie of another tenant's session is not taken for this one's. */
export function nameTenant(slug: string): void {
  named = slug
}

api.use({
  onRequest({ request }) {
    if (named !== undefined && !request.headers.has(tenantHeader)) request.headers.set(tenantHeader, named)
    return request
  },
})
api.use(idempotency)

/** The header of a request about another tenant. */
export function asTenant(slug: string) {
  return { [tenantHeader]: slug }
}

/**
 * The parameters of a request that starts a session, whose response then sets a cookie instead of returning the token, or of one that reads
 * the cookie of the device.
 */
export const asCookie = { header: { [sessionHeader]: 'cookie' } } as const

/** A picture as the body of a request. */
export function sentAs(picture: Blob) {
  return {
    body: picture as unknown as string, // the document has bytes as text
    bodySerializer: () => picture,
    headers: { 'content-type': picture.type },
  }
}

/** What a request says that wants a list in whole, as a file: `api.GET(path, { params, ...asCsv })`. */
export const asCsv = { headers: { accept: 'text/csv' }, parseAs: 'blob' } as const

/**
 * The body of a response, with its ETag.
 *
 * @throws Refusal when the status is not 2xx
 */
export async function ask<Body>(
  call: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<Versioned<Body>> {
  const { data, error, response } = await call
  if (!response.ok) throw Refusal.from(error, response)
  const etag = response.headers.get('etag')
  // openapi-fetch omits the body only if the response has none
  return (etag === null ? data : { ...data, etag }) as Versioned<Body>
}
