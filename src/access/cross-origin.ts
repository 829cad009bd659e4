/**
 * Cross-origin requests (CORS, WHATWG Fetch): pages of other origins may use the API with a token, never with the cookie, and only
 * from origins that the operator has named for the tenant.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Database, statement } from '../database/database.ts'
import type { App } from '../http/server.ts'
import { cookieName } from './authentication.ts'
import { hostSlug, namedTenant } from './tenancy.ts'
import { readToken } from './tokens.ts'

/** What scripts may read, beside what they always may. */
const exposed = 'ETag, Link, Location, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy, Idempotent-Replayed'

/** Lets pages of a tenant's origins read its answers, refusals too, and answers what their browsers ask beforehand. */
export function allowOrigins(app: App): void {
  const isKnown = rememberOrigins(app.database)
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith('/api/')) return
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || isOwn(request, origin) || request.cookies[cookieName(request)] !== undefined) return
    const isAsked = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    // When a browser asks beforehand, nothing says yet whose tenant it will be, and the request itself is judged.
    if (!(await isKnown(origin)) || !(isAsked || (await isAllowed(request, origin)))) return
    reply.header('access-control-allow-origin', origin)
    if (isAsked) return answerBeforehand(reply)
    reply.header('access-control-expose-headers', exposed)
  })
}

/** A page of this service asks nobody's leave. */
function isOwn({ server, protocol, host }: FastifyRequest, origin: string): boolean {
  return origin === server.config.publicUrl || origin === `${protocol}://${host}`
}

/**
 * Asks whether any tenant names an origin. Origins that were made up come before any rate, so they must not cost a look-up each: all
 * that there are are read once a second at most.
 */
function rememberOrigins(database: Database): (origin: string) => Promise<boolean> {
  let reading: Promise<Set<string>> | undefined
  let readAt = 0
  const read = async () => {
    readAt = performance.now()
    const rows = await database.acrossTenants(
      (sql) => sql<{ origin: string }>`select distinct unnest(allowed_origins) as origin from tenants`,
    )
    return new Set(rows.map(({ origin }) => origin))
  }
  return async (origin) => {
    if (!reading || performance.now() - readAt > 1000) {
      const attempt = read()
      attempt.catch(() => {
        if (reading === attempt) reading = undefined
      })
      reading = attempt
    }
    return (await reading).has(origin)
  }
}

async function isAllowed(request: FastifyRequest, origin: string): Promise<boolean> {
  const token = request.sessionToken
  const ofRequest = token
    ? statement`t.id = ${readToken(token).tenant}`
    : statement`t.slug = coalesce(${hostSlug(request)}, ${namedTenant(request) ?? 'default'})`
  const found = await request.server.database.acrossTenants(
    (sql) => sql`select from tenants t where ${origin} = any(t.allowed_origins) and ${ofRequest}`,
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
