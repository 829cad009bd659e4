/**
 * The client: how the console asks the API. It sends the cookie of the session, which no script can read, and names the tenant.
 *
 *   const organization = await ask(api.GET('/api/organizations/{orgId}', { params: { path: { orgId } } }))
 */
import createClient from 'openapi-fetch'
import type { components, paths } from '../../client/src/openapi.d.ts'
import { tenantSlug } from './base.ts'
import { noteNoResponse, noteResponse } from './connection.ts'
import { idempotency } from './idempotency.ts'
import { Refusal } from './refusal.ts'
import type { Versioned } from './versions.ts'

/** The shapes of the API, by their names in its document. */
export type Schemas = components['schemas']

/** After so many milliseconds nobody waits for an answer any more. The service itself gives up a request after 30 seconds. */
const patience = { reading: 15_000, changing: 35_000 }

export const api = createClient<paths>({
  querySerializer: { array: { style: 'form', explode: false } }, // as `a,b`
  fetch: send,
})

/** @throws Refusal offline, unreachable or unanswered */
async function send(request: Request): Promise<Response> {
  const isRead = request.method === 'GET'
  // Asked before sending: once a request is under way, losing the connection does not tell whether the service has done it.
  const isOffline = !navigator.onLine
  const limit = AbortSignal.timeout(isRead ? patience.reading : patience.changing)
  try {
    const response = await fetch(request, { signal: limit })
    noteResponse()
    return response
  } catch {
    if (limit.aborted) throw Refusal.unanswered(isRead)
    noteNoResponse()
    throw isOffline ? Refusal.offline(isRead) : Refusal.unreachable(isRead)
  }
}

const tenantHeader = 'Guildhall-Tenant'
let named = tenantSlug

/** From now on every request is about this tenant: the cookie of another one's session says nothing here. */
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

/** On requests about another tenant than this one. */
export function asTenant(slug: string) {
  return { [tenantHeader]: slug }
}

/** On requests that start a session: the token comes as a cookie instead of in the body. */
export const asCookie = { header: { 'Guildhall-Session': 'cookie' } } as const

/**
 * The body of an answer, with the tag of its version.
 *
 * @throws Refusal when the answer is none of those that were asked for
 */
export async function ask<Body>(
  call: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<Versioned<Body>> {
  const { data, error, response } = await call
  if (!response.ok) throw Refusal.from(error, response)
  const etag = response.headers.get('etag')
  // openapi-fetch leaves the body out only where the answer has none
  return (etag === null ? data : { ...data, etag }) as Versioned<Body>
}
