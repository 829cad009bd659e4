/**
 * Idempotency: a request that is sent again, because no response came, is done once (draft-ietf-httpapi-idempotency-key-header-07).
 *
 * A key belongs to one submission. It is used again only for the same request, only while the outcome is unknown, and only until another
 * change is done: that may undo it, and the service would answer what was there before.
 */
import type { Middleware } from 'openapi-fetch'
import type { paths } from '../../client/src/openapi.d.ts'

/** The paths whose POST takes a key. */
export const keyedPaths = [
  '/api/organizations',
  '/api/organizations/{orgId}/invites',
  '/api/organizations/{orgId}/invites/bulk',
  '/api/organizations/{orgId}/links',
  '/api/organizations/{orgId}/invites/{inviteId}/resend',
  '/api/organizations/{orgId}/transfer',
  '/api/admin/organizations',
  '/api/admin/organizations/{orgId}/invites',
  '/api/admin/organizations/{orgId}/invites/bulk',
  '/api/admin/organizations/{orgId}/invites/{inviteId}/resend',
  '/api/admin/organizations/{orgId}/members',
  '/api/admin/organizations/{orgId}/transfer',
  '/api/admin/providers',
  '/api/admin/users',
] as const satisfies readonly (keyof paths)[]

const header = 'Idempotency-Key'
/** Milliseconds after which the same request is a new submission. */
const keyLifetime = 5 * 60_000

/** Requests without a response, and their keys. */
const open = new Map<string, { readonly key: string; readonly sentAt: number }>()

export const idempotency: Middleware = {
  async onRequest({ request, schemaPath }) {
    const takesKey = request.method === 'POST' && keyedPaths.some((path) => path === schemaPath)
    if (!takesKey) return
    for (const [sent, { sentAt }] of open) if (Date.now() - sentAt > keyLifetime) open.delete(sent)
    const sent = `${request.url}\n${await request.clone().text()}`
    const { key } = open.get(sent) ?? { key: crypto.randomUUID() }
    open.set(sent, { key, sentAt: Date.now() })
    request.headers.set(header, `"${key}"`)
    return request
  },
  onResponse({ request, response, schemaPath }) {
    if (response.ok && isChange(request, schemaPath)) return open.clear()
    // 409 may mean that the first request is still running. After a 5xx the same key may be used again.
    if (response.status >= 500 || response.status === 409) return
    for (const [sent, { key }] of open) if (request.headers.get(header) === `"${key}"`) open.delete(sent)
  },
}

/** Whether a request may undo another one. Signing in does not, and confirming is a part of the request that asked for it. */
function isChange({ method }: Request, schemaPath: string): boolean {
  return method !== 'GET' && !schemaPath.startsWith('/api/auth/')
}
