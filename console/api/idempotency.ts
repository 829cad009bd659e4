/**
 * Idempotency: what is sent again, because no answer came, is done once (draft-ietf-httpapi-idempotency-key-header-07).
 *
 * A key is of one submission. It is sent once more only with the very same request, and only while nobody knows what became of it.
 */
import type { Middleware } from 'openapi-fetch'
import type { paths } from '../../client/src/openapi.d.ts'

/** The paths whose POST takes a key. */
export const keyedPaths = [
  '/api/organizations',
  '/api/organizations/{orgId}/invites',
  '/api/organizations/{orgId}/invites/{inviteId}/resend',
  '/api/organizations/{orgId}/transfer',
  '/api/admin/organizations/{orgId}/transfer',
  '/api/admin/users',
] as const satisfies readonly (keyof paths)[]

const header = 'Idempotency-Key'
/** After so many milliseconds the same words are meant anew. */
const patience = 5 * 60_000

/** What was sent and not answered yet. */
const open = new Map<string, { readonly key: string; readonly sentAt: number }>()

export const idempotency: Middleware = {
  async onRequest({ request, schemaPath }) {
    const takesKey = request.method === 'POST' && keyedPaths.some((path) => path === schemaPath)
    if (!takesKey) return
    for (const [sent, { sentAt }] of open) if (Date.now() - sentAt > patience) open.delete(sent)
    const sent = `${request.url}\n${await request.clone().text()}`
    const { key } = open.get(sent) ?? { key: crypto.randomUUID() }
    open.set(sent, { key, sentAt: Date.now() })
    request.headers.set(header, `"${key}"`)
    return request
  },
  onResponse({ request, response }) {
    // 409 may say that the first one is still under way; what nothing came of may be sent with the same key again.
    if (response.status >= 500 || response.status === 409) return
    for (const [sent, { key }] of open) if (request.headers.get(header) === `"${key}"`) open.delete(sent)
  },
}
