/** Routes: which there are, and what a path or a method answers that none of them has: 404, or 405 with `Allow` (RFC 9110, 15.5.6). */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import FindMyWay from 'find-my-way'
import { Problem } from './problems.ts'
import { type App, routerOptions } from './server.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the features have registered. */
    readonly routes: readonly RouteOptions[]
    /** The paths of all routes, whatever their methods, as routes for GET. What is stored of each are its methods, for `Allow`. */
    readonly knownPaths: FindMyWay.Instance<FindMyWay.HTTPVersion.V1>
    /** The page for an address that there is not. */
    showUnknown: ((request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) | undefined
  }
}

/** @returns the routes, as they are registered from now on */
export function collectRoutes(app: App): readonly RouteOptions[] {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  app.decorate('knownPaths', FindMyWay(routerOptions))
  app.decorate('showUnknown', undefined)
  app.setNotFoundHandler(refuseUnknownPaths)
  return routes
}

/** Answers what meets no route, once it is counted, and before anything else of it is looked at. */
export function refuseUnknown(app: App): void {
  app.addHook('onRequest', refuseUnknownPaths)
}

/**
 * A path that is known under other methods answers 405 with `Allow`. Where a browser asks beforehand (OPTIONS) there is a route, for
 * what else is told to other origins (domain/access/cross-origin.ts); any other method meets no route, and `refuseUnknownPaths`.
 */
export function refuseOtherMethods(app: App, routes: readonly RouteOptions[]): void {
  for (const [url, ofUrl] of Map.groupBy(routes, ({ url }) => url)) {
    const allow = ofUrl
      .flatMap(({ method }) => method)
      .sort()
      .join(', ')
    app.knownPaths.on('GET', url, () => {}, allow)
    const handler = async () => {
      throw methodNotAllowed(allow)
    }
    app.route({ method: 'OPTIONS', url, handler, schema: { hide: true }, config: { access: 'anyone' } })
  }
}

async function refuseUnknownPaths(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (!request.is404) return
  const { showUnknown, knownPaths } = request.server
  const known = knownPaths.find('GET', request.url)
  if (known) throw methodNotAllowed(known.store)
  // Somebody typed an address; programs ask for no page.
  const isTyped = request.method === 'GET' && /\btext\/html\b/.test(request.headers.accept ?? '')
  if (!showUnknown || !isTyped || request.url.startsWith('/api/')) throw new Problem('not_found')
  return reply.send(await showUnknown(request, reply.status(404)))
}

function methodNotAllowed(allow: string): Problem {
  return new Problem('method_not_allowed', {}, { allow })
}
