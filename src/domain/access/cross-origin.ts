/**
 * Cross-origin requests (CORS, WHATWG Fetch): pages of other origins may use the API with a token, never with the cookie, and only
 * from origins that the operator has named for the tenant.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../platform/database/database.ts'
import { snapshotOf } from '../../platform/database/snapshots.ts'
import { hostOf } from '../../platform/http/address.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { cookieName } from './authentication.ts'
import { listDomains, namedTenant } from './tenancy.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether pages of every origin may read what the route answers, because it is public. */
    isOpenToOrigins?: boolean
  }
}

/** What scripts may read, beside what they always may. */
const exposed =
  'ETag, Link, Location, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy, Idempotent-Replayed, WWW-Authenticate'

/**
 * Lets pages of a tenant's origins read its answers, refusals too, and answers what their browsers ask beforehand. All this comes before
 * any rate, so that 429 can be read as well: no request may cost a look-up of its own.
 */
export function allowOrigins(app: App): void {
  const readOrigins = snapshotOf(() => listOrigins(app.database))
  const readDomains = snapshotOf(() => app.database.acrossTenants(listDomains))
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith('/api/')) return
    if (request.routeOptions.config.isOpenToOrigins) {
      reply.header('access-control-allow-origin', '*')
      return
    }
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || isOwn(request, origin) || request.cookies[cookieName(request)] !== undefined) return
    const tenants = (await readOrigins()).get(origin)
    if (!tenants) return
    const isAsked = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    // When a browser asks beforehand, nothing says yet whose tenant it will be, and the request itself is judged.
    if (!isAsked && !(await isOfOne(request, tenants, readDomains))) return
    reply.header('access-control-allow-origin', origin)
    if (isAsked) return answerBeforehand(reply)
    reply.header('access-control-expose-headers', exposed)
  })
}

/** A page of this service asks nobody's leave. */
function isOwn({ server, protocol, host }: FastifyRequest, origin: string): boolean {
  return origin === server.config.publicUrl || origin === `${protocol}://${host}`
}

interface TenantOrigin {
  readonly origin: string
  readonly id: string
  readonly slug: string
}

/** @returns by origin the tenants that name it */
async function listOrigins(database: Database): Promise<Map<string, TenantOrigin[]>> {
  const rows = await database.acrossTenants(
    (sql) => sql<TenantOrigin>`select origin, id, slug from tenants, unnest(allowed_origins) as origin`,
  )
  return Map.groupBy(rows, ({ origin }) => origin)
}

/** Whether one of the tenants is the one that the request is about: that of its path, of its credential, or else of its host or header. */
async function isOfOne(
  request: FastifyRequest,
  tenants: readonly TenantOrigin[],
  readDomains: () => ReturnType<typeof listDomains>,
): Promise<boolean> {
  const { token } = request
  const { tenantId } = request.params as { tenantId?: string }
  if (tenantId !== undefined) return tenants.some(({ id }) => uuidToTenantId(id) === tenantId)
  if (token) return tenants.some(({ id }) => id === token.tenant)
  const own = (await readDomains()).get(hostOf(request)) ?? namedTenant(request) ?? 'default'
  return tenants.some(({ slug }) => slug === own)
}

function answerBeforehand(reply: FastifyReply): FastifyReply {
  return reply
    .status(204)
    .headers({
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Guildhall-Tenant, Idempotency-Key, If-Match',
      'access-control-max-age': '600',
    })
    .send()
}
