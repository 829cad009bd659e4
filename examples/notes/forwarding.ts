/**
 * Forwarding: the page's requests to Guildhall's API, which our server sends on with the person's access token.
 *
 * Guildhall decides about each of them, by the rights that the person has at that moment.
 */
import type { IncomingMessage } from 'node:http'
import { readBody } from './bodies.ts'
import { Problem } from './problems.ts'

/** Where the page finds Guildhall: the client adds `/api/…`. */
export const forwarded = '/guildhall'

/** What the page needs. Nothing else is sent on, so that nobody can use our server for requests without a session. */
const open = /^\/api\/(?:users\/me(?:\/invites)?|invites\/[\w-]+\/accept|organizations(?:\/.+)?|check)$/
const requestHeaders = ['content-type', 'idempotency-key', 'if-match']
const responseHeaders = ['content-type', 'etag', 'retry-after']
/** In milliseconds. */
const timeout = 30_000

/** @param api the address of Guildhall's API @throws Problem */
export async function forward(request: IncomingMessage, { pathname, search }: URL, api: string, token: string) {
  const path = pathname.slice(forwarded.length)
  if (!open.test(path)) throw new Problem(404, 'not_found', 'Notes does not need this of Guildhall.')
  const headers = new Headers({ authorization: `Bearer ${token}` })
  for (const name of requestHeaders) {
    const value = request.headers[name]
    if (value !== undefined) headers.set(name, String(value))
  }
  const { method = 'GET' } = request
  const body = method === 'GET' ? '' : await readBody(request)
  const signal = AbortSignal.timeout(timeout)
  const sent = { method, headers, redirect: 'manual', signal, ...(body && { body }) } as const
  const response = await fetch(api + path + search, sent).catch((error) => {
    console.error(error)
    throw new Problem(503, 'unavailable', 'Guildhall cannot be reached now. Try again soon.')
  })
  const shown = responseHeaders.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  return { status: response.status, headers: Object.fromEntries(shown), content: await response.text() }
}
