/**
 * Cross-origin requests (CORS, WHATWG Fetch): pages of other origins may use the API with a token, never with the cookie, and only
 * from origins that the operator has named for the tenant.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { statement } from '../database/database.ts'
import type { App } from '../http/server.ts'
import { cookieName } from './authentication.ts'
import { hostSlug, namedTenant } from './tenancy.ts'
import { readToken } from './tokens.ts'

/** What scripts may read, beside what they always may. */
const exposed = 'ETag, Link, Location, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy, Idempotent-Replayed'

/** Lets pages of a tenant's origins read its answers, refusals too, and answers what their browsers ask beforehand. */
export function allowOrigins(app: App): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith('/api/')) return
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || isOwn(request, origin) || request.cookies[cookieName(request)] !== undefined) return
    const isAsked = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!(await isAllowed(request, origin, isAsked))) return
    reply.header('access-control-allow-origin', origin)
    if (isAsked) return answerBeforehand(reply)
    reply.header('access-control-expose-headers', exposed)
  })
}

/** A page of this service asks nobody's leave. */
function isOwn({ server, protocol, host }: FastifyRequest, origin: string): boolean {
  return origin === server.config.publicUrl || origin === `${protocol}://${host}`
}

/** @param isAsked whether the browser asks beforehand: then nothing says yet whose tenant it will be, and the request itself is judged */
async function isAllowed(request: FastifyRequest, origin: string, isAsked: boolean): Promise<boolean> {
  const token = request.sessionToken
  const ofRequest = token
    ? statement`t.id = ${readToken(token).tenant}`
    : statement`t.slug = coalesce(${hostSlug(request)}, ${namedTenant(request) ?? 'default'})`
  const found = await request.server.database.acrossTenants(
    (sql) => sql`
      select from tenants t
      where ${origin} = any(t.allowed_origins) and ${isAsked ? statement`true` : ofRequest}
      limit 1`,
  )
  return found.length > 0
}

function answerBeforehand(reply: FastifyReply): FastifyReply {
  return reply
    .status(204)
    .headers({
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Guildhall-Tenant, Idempotency-Key, If-Match',
      'access-control-max-age': '600',
    })
    .send()
}
