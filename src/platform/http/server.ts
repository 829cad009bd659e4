/**
 * The server: what every request and every answer has, whatever its route.
 *
 * Order of checks: route 404/405, size and media type 413/415, credential 401, JSON and schema 400; the rest is decided
 * behind a door (domain/access/authorization.ts).
 */

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Server } from 'node:net'
import timers from 'node:timers/promises'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { answered, asked } from '../channels.ts'
import type { Keyring } from '../cryptography.ts'
import type { Database } from '../database/database.ts'
import type { Config } from '../settings/config.ts'
import { proxiesOf } from './address.ts'
import { closeByAnswer, isClosing, markClosing } from './closing.ts'
import { HttpContext } from './context.ts'
import { answerClientError, answerProblem, commonHeaders, newRequestId } from './errors.ts'
import { faultOf } from './faults.ts'
import { formats } from './formats.ts'
import { parseForm } from './forms.ts'
import { logForm, logOfRequest, onStandardOutput } from './log.ts'
import { checkMediaType, checkPictureHead } from './media-types.ts'
import { invalidHeader, invalidRequest, type Problem } from './problems.ts'
import { checkQueryEncoding, refuseQuery } from './query.ts'
import { Rates } from './rates.ts'
import { buildSerializer } from './serialization.ts'
import { buildValidator, hasOptionalBody, parseBody, refuseBody, takesBody } from './validation.ts'

/** What the process gives to every part of the house. */
export interface Resources {
  readonly config: Config
  readonly database: Database
  readonly keyring: Keyring
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  FastifyReply['raw'],
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyInstance extends Resources {
    readonly rates: Rates
    /** Whether it was asked to stop. */
    readonly isStopping: boolean
    /** Aborts when it waits for nothing but the requests that it has begun to answer. */
    readonly ending: AbortSignal
    /** The problem that the violation of a constraint causes, by the constraint's name. */
    readonly problemOfConstraint: (constraint: string) => Problem | undefined
  }
  interface FastifyRequest {
    /** What it was answered with, where that is a problem. */
    problem: string | undefined
    /** What it is about, of a closed list, for metrics. A handler sets it if the route alone does not say it. */
    about: string | undefined
    /** The kind of credential that came with it, of a closed list, for metrics. */
    credentialKind: string | undefined
  }
}

const bodyLimit = 64 * 1024
const requestTimeout = 30_000
/** In milliseconds: more than the minute after which most proxies close a connection that they keep. */
const longestSilence = 72_000
export const routerOptions = { maxParamLength: 200, caseSensitive: true }

/** Fastify asks for compilers again for each route. One of each is enough, and each new one would read all shared schemas again. */
function compilers() {
  let validator: ReturnType<typeof buildValidator> | undefined
  let serializer: ReturnType<typeof buildSerializer> | undefined
  return {
    buildValidator: (shared: unknown) => (validator ??= buildValidator(shared)),
    buildSerializer: (shared: unknown, options?: Parameters<typeof buildSerializer>[1]) =>
      (serializer ??= buildSerializer(shared, options)),
  }
}

/** @param log `false` for silence */
export function createServer(
  resources: Resources,
  log: { level: string } | false,
  problemOfConstraint: App['problemOfConstraint'] = () => undefined,
): App {
  const { config } = resources
  const isProxy = proxiesOf(config.trustProxy)
  const app = Fastify({
    logger: log && { ...onStandardOutput(), ...log, ...logForm },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: logOfRequest,
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: config.trustProxy.length > 0 && isProxy,
    bodyLimit,
    requestTimeout,
    // Silence in both directions: a client that does not read its answers, or sends no request. No request of ours is silent for so long.
    connectionTimeout: longestSilence,
    keepAliveTimeout: longestSilence,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // while it stops, what arrives on open connections is still answered
    pluginTimeout: 0, // Fastify applies it to `preClose` too: after it, `close()` would never settle
    exposeHeadRoutes: true,
    // Checked when they come in, not when they go out.
    serializerOpts: { ajv: { formats: Object.fromEntries(Object.keys(formats).map((name) => [name, true])) } },
    schemaController: { compilersFactory: compilers() },
    routerOptions,
    // refuseNoHost says it as a problem. Node's own look-out for slow requests comes only every 30 seconds.
    http: { requireHostHeader: false, headersTimeout: requestTimeout, connectionsCheckingInterval: 2_000 },
    // What fails before there is a route, such as a path that cannot be decoded: no hook has run, and this request believes no proxy.
    frameworkErrors: (error, request, reply) => {
      const isForwarded =
        isProxy(request.socket.remoteAddress) && /\bhttps$/.test(`${request.headers['x-forwarded-proto']}`)
      setHeaders(request as FastifyRequest, reply as FastifyReply, isForwarded)
      closeByAnswer(request as FastifyRequest, reply as FastifyReply, app.isStopping)
      answerProblem(error, request as FastifyRequest, reply as FastifyReply)
    },
    clientErrorHandler: answerClientError,
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App // of Fastify's overloads TypeScript picks the one for HTTP/2

  app.decorate('config', { getter: () => resources.config })
  app.decorate('database', { getter: () => resources.database })
  app.decorate('keyring', { getter: () => resources.keyring })
  app.decorate('rates', new Rates(resources.database, resources.keyring, config.limitsOff))
  app.decorate('problemOfConstraint', { getter: () => problemOfConstraint })
  app.decorateRequest('problem', undefined)
  app.decorateRequest('about', undefined)
  app.decorateRequest('credentialKind', undefined)
  app.addHook('onClose', () => app.rates.close())

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  // An expectation that is none of HTTP's is passed over (RFC 9110, 10.1.1); Node would answer it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  tellOfRequests(app)
  app.decorateRequest('context')
  app.addHook('onRequest', async (request, reply) => {
    request.context = new HttpContext(request, reply)
    setHeaders(request, reply)
  })
  app.addHook('onRequest', refuseNoHost)
  app.addHook('onRequest', refuseRepeated)
  logResponses(app)
  closeConnections(app)
  app.setErrorHandler(answerProblem)
  return app
}

/** 415: the first check of a body, before anybody asks who sends it. */
export function checkMediaTypes(app: App): void {
  app.addHook('preValidation', async (request) => {
    if (request.routeOptions.config.takesPicture) checkPictureHead(request)
    else checkMediaType(request, takesBody(request.routeOptions))
  })
}

/** 400 for what is no JSON at all, or no form where the route takes one; the schema follows. */
export function parseBodies(app: App): void {
  app.addHook('preValidation', async (request) => {
    const bytes = request.body as Buffer | undefined // until here; undefined for a picture
    const { config, bodyLimit: most = bodyLimit } = request.routeOptions
    const { takesForm, takesPicture } = config
    const body = takesForm ? parseForm(bytes) : takesPicture ? undefined : parseBody(bytes, most > bodyLimit)
    if (takesBody(request.routeOptions)) {
      if (body === undefined && !hasOptionalBody(request.routeOptions))
        throw invalidRequest([faultOf('', 'required', 'A body in JSON is needed.')])
      request.body = body === undefined ? {} : body
    } else {
      refuseBody(body)
      request.body = undefined
    }
    const { query, routeOptions } = request
    if (!routeOptions.schema?.hide) checkQueryEncoding(request.raw.url ?? '')
    // A route without query parameters takes none; pages take what links and mail programs add.
    if (!routeOptions.schema?.querystring && !routeOptions.schema?.hide) refuseQuery(query)
  })
}

function setHeaders(request: FastifyRequest, reply: FastifyReply, isTls = request.protocol === 'https'): void {
  reply.headers(commonHeaders(request.id))
  if (isTls) reply.header('strict-transport-security', 'max-age=63072000; includeSubDomains')
}

/** One host, and no other in the request's target (RFC 9112, 3.2): of two, a proxy may have looked at one and we at the other. */
async function refuseNoHost({ headers, raw }: FastifyRequest): Promise<void> {
  const isNeeded = raw.httpVersion !== '1.0' || headers.host !== undefined
  const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name))
  const [, named = headers.host] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(raw.url ?? '') ?? []
  const isOne = hosts.length === 1 && named?.toLowerCase() === headers.host?.toLowerCase()
  const isHost = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(headers.host ?? '')
  if (((isOne && isHost) || !isNeeded) && !isClosing(raw.socket)) return
  markClosing(raw.socket)
  throw invalidHeader('One header `Host` is needed, with a name or an address, and no other host in the first line.', {
    connection: 'close',
  })
}

/** Of two such fields Node keeps the first, and a proxy may have looked at the other (RFC 9110, 5.3). */
const singleFields = /^(authorization|content-type)$/i

async function refuseRepeated({ raw }: FastifyRequest): Promise<void> {
  const names = raw.rawHeaders.filter((name, index) => index % 2 === 0 && singleFields.test(name))
  const repeated = names.find((name, index) => names.slice(0, index).some((other) => other.length === name.length))
  if (repeated !== undefined) throw invalidHeader(`Only one header \`${repeated}\` is allowed.`)
}

/**
 * Closes connections by their answers: after a body that was not read and may have no end, and while we stop. Otherwise open connections
 * would hold us up until they time out. New ones are accepted for as long as proxies need to notice.
 */
function closeConnections(app: App): void {
  let stopping = false
  const ending = new AbortController()
  app.decorate('isStopping', { getter: () => stopping })
  app.decorate('ending', { getter: () => ending.signal })
  app.addHook('preClose', async () => {
    stopping = true
    // A start that failed never listened, and no proxy has to notice. Called on the module, where tests can hold it open.
    if (app.config.shutdownDelay > 0 && app.server.listening) await timers.setTimeout(app.config.shutdownDelay * 1_000)
    ending.abort()
    if (app.server.listening) await takeNoMore(app)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    closeByAnswer(request, reply, stopping)
    done()
  })
}

/**
 * Takes no more connections, and waits until those that are open have ended. Node's own close would at once end what is idle, while a
 * request may be on its way there.
 */
async function takeNoMore({ server }: App): Promise<void> {
  const ended = once(server, 'close')
  Server.prototype.close.call(server)
  const timer = globalThis.setTimeout(() => server.closeIdleConnections(), 500)
  await ended
  clearTimeout(timer)
}

/** Publishes each request to metrics and traces, when it comes and when it is over. */
function tellOfRequests(app: App): void {
  app.addHook('onRequest', ({ raw, id, method }, _reply, done) => {
    if (!asked.hasSubscribers) return done()
    const { traceparent } = raw.headers
    asked.runStores({ request: raw, id, method, traceparent: traceparent?.toString() }, () => done())
  })
  app.addHook('onResponse', (request, { statusCode: status, elapsedTime: ms }, done) => {
    const { raw, method, routeOptions, about, credentialKind: credential, problem } = request
    if (answered.hasSubscribers)
      answered.publish({ request: raw, method, route: routeOptions.url, status, ms, about, credential, problem })
    done()
  })
}

/** The route and never the URL: what people type into paths and queries is not ours to keep. */
function logResponses(app: App): void {
  // Nothing in these lines is personal, and to look for it in each would cost more than all the rest of them.
  const log = app.log.child({}, { redact: [] })
  app.addHook('onResponse', async ({ id, method, routeOptions }, { statusCode, elapsedTime }) => {
    const [route, ms] = [routeOptions.url ?? 'none', Math.round(elapsedTime)]
    log.info({ requestId: id, method, route, status: statusCode, ms }, 'answered')
  })
}
