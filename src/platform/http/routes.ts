/** Routes: the list of all routes, and the answers to unknown paths (404) and methods (405 with `Allow`; RFC 9110, 15.5.6). */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import FindMyWay from 'find-my-way'
import { type Problem, RequestProblem } from './problems.ts'
import { type App, routerOptions } from './server.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** All registered routes. */
    readonly routes: readonly RouteOptions[]
    /** The paths of all routes, stored as routes of GET. The store of each is the value of `Allow`. */
    readonly knownPaths: FindMyWay.Instance<FindMyWay.HTTPVersion.V1>
    /** Renders the HTML page for an unknown address. Undefined: there is none. */
    showUnknown: ((request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) | undefined
  }
}

/**
 * Collects the routes, and refuses requests without a route before any other hook runs.
 *
 * @returns the routes that are registered after this call; the list grows
 */
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
 * Answers a known path with an unknown method with 405 and `Allow`. OPTIONS gets a route for each path, because CORS preflight requests need
 * one (domain/access/cross-origin.ts). Other unknown methods have no route and reach `refuseUnknownPaths`.
 */
export function refuseOtherMethods(app: App, routes: readonly RouteOptions[]): void {
  const parametric = routes
    .filter(({ url }) => url.includes(':'))
    .map(({ url, method }) => ({ url, method, pattern: new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`) }))
  for (const [url, ofUrl] of Map.groupBy(routes, ({ url }) => url)) {
    const allow = ofUrl
      .flatMap(({ method }) => method)
      .sort()
      .join(', ')
    app.knownPaths.on('GET', url, () => {}, allow)
    const refuse = async () => {
      throw methodNotAllowed(allow)
    }
    // In a hook: the body and the credential are judged before the handler.
    const hidden = {
      url,
      onRequest: refuse,
      handler: refuse,
      schema: { hide: true },
      config: { access: 'anyone' },
    } as const
    app.route({ ...hidden, method: 'OPTIONS' })
    // A path with an id may stand beside this one: `/factors/:factorId` would take `/factors/setup` for its own.
    const others = parametric.filter((other) => other.url !== url && other.pattern.test(url))
    for (const method of new Set(others.flatMap(({ method }) => method)))
      if (!ofUrl.some((own) => [own.method].flat().includes(method)) && method !== 'HEAD')
        app.route({ ...hidden, method })
  }
}

async function refuseUnknownPaths(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (!request.is404) return
  const { showUnknown, knownPaths } = request.server
  const known = knownPaths.find('GET', request.url)
  if (known) throw methodNotAllowed(known.store)
  // A browser gets a page, and a program gets a problem.
  const wantsPage = request.method === 'GET' && /\btext\/html\b/.test(request.headers.accept ?? '')
  if (!showUnknown || !wantsPage || request.url.startsWith('/api/')) throw new RequestProblem('not_found')
  return reply.send(await showUnknown(request, reply.status(404)))
}

function methodNotAllowed(allow: string): Problem {
  return new RequestProblem('method_not_allowed', {}, { allow })
}
