/**
 * Request rates: how many requests anybody may send at all. Counted in each process for itself, so that no read pays a write; what
 * must hold across processes has rates of its own (rates.ts).
 */
import type { FastifyRequest, RouteOptions } from 'fastify'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { addressOf, networkOf } from '../../platform/http/address.ts'
import { answerProblem } from '../../platform/http/errors.ts'
import { Problem } from '../../platform/http/problems.ts'
import { announceRates, type Outcome } from '../../platform/http/rates.ts'
import type { App } from '../../platform/http/server.ts'
import type { Rate } from '../../platform/settings/reader.ts'
import type { KnownToken } from '../access/authentication.ts'
import { ApiProblem } from '../problems.ts'
import { limits } from './limits.ts'

/** Whose requests are counted with a credential, and in which measure. Both secrets of a key count as one. */
interface Sender {
  readonly policy: 'requests' | 'key' | 'tenant-key'
  /** The id of the session, the key or the grant. */
  readonly id: string
}

/** A network that a request was counted for, until its sender is known. */
interface Surety {
  readonly counter: Counter
  readonly network: string
  readonly outcome: Outcome
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is for applications. Who has sent a request is known in its handler, which calls `noteApplication`. */
    isForApplications?: true
    /** Whether the route serves pictures that were uploaded, of which one page may show a hundred. */
    isPicture?: true
  }
  interface FastifyRequest {
    /**
     * Counts a request for the application that has sent it; for its network, if the application has no secret, since anybody may be it.
     *
     * @param found undefined: the request has proven nothing
     * @throws Problem rate_limited
     */
    noteApplication(found: { readonly id: string; readonly hasSecret: boolean } | undefined): Promise<void>
    /** Undefined: no network answers for it, or its sender is known. */
    surety: Surety | undefined
    /** For the doors, which alone know whether a credential lives. @param found undefined: it does not */
    noteSender(found: Sender | undefined): void
  }
}

/** How many credentials are remembered, those that served last: some ten megabytes. */
const mostServed = 50_000

/**
 * Counts each request: one with a credential for its session or key, any other for its network, as those for pages and for unknown paths
 * are. Pictures that were uploaded have a measure of their own: pages that show many keep nobody from signing in. Probes are not counted, as each load balancer sends them without pause, nor files that their reader keeps for ever: both are answered
 * from memory, but for one question a second to the database.
 *
 * A credential may be made up. Until a door has found it, each of its requests counts for the network too, beforehand, whatever becomes of
 * it, and is given back once the door has. That measure (`unknown-session`, `unknown-key`) is as large as the anonymous one and apart from
 * it: nobody without a credential can use it up, so that after a restart sessions are not locked out by their neighbours' requests without
 * one. Made-up credentials do use it up; a neighbour's that has not served since the start then waits until its time is over. Credentials
 * that have served are remembered and need it no more.
 *
 * Until then it also counts under its own text, whose count goes with the request. Which measure is a key's, only the door knows: it begins
 * as one of a person.
 *
 * An application with a secret is known once its body was read, and the secret was found. Until then a request of a route for applications
 * counts for the network in `unknown-application`, where wrong secrets stay. This measure refuses only what has proven nothing: nobody’s wrong
 * secrets keep a right one from being served. So each secret is looked up, also beyond the rate.
 */
export function limitRequests(app: App): void {
  const { limitsOff } = app.config
  app.decorateRequest('surety', undefined)
  if (limitsOff) {
    app.decorateRequest('noteSender', () => {})
    app.decorateRequest('noteApplication', async () => {})
    return
  }
  const counterOf = (policy: keyof typeof limits): Counter => {
    const rate = limits[policy].rateOf(app.config)
    return { policy, rate, limiter: limiterOf(rate) }
  }
  const anonymous = counterOf('anonymous')
  const unknown = {
    session: counterOf('unknown-session'),
    key: counterOf('unknown-key'),
    application: counterOf('unknown-application'),
  }
  const application = counterOf('application')
  const pictures = counterOf('pictures')
  const known = { requests: counterOf('requests'), key: counterOf('key'), 'tenant-key': counterOf('tenant-key') }
  const served = new Map<string, Sender>() // by the hash of the token, the last to serve at its end

  app.addHook('onRoute', (route) => {
    if (route.config?.isForApplications) route.errorHandler = refuseBeyond
  })
  app.addHook('onRequest', async (request, reply) => {
    const { config } = request.routeOptions
    if (config.isUncounted) return
    const network = networkOf(addressOf(request))
    if (config.isPicture) return tell(request, pictures, await count(pictures, network))
    if (config.isForApplications) return vouch(request, unknown.application, network)
    const token = config.access === 'anyone' || request.is404 ? undefined : request.token
    if (token === undefined) return tell(request, anonymous, await count(anonymous, network))
    const hash = hashOf(token)
    const sender = served.get(hash)
    if (sender) return tell(request, known[sender.policy], await count(known[sender.policy], sender.id))

    const { name } = token.kind
    await vouch(request, unknown[name === 'key' ? 'key' : 'session'], network)
    requireSurety(request)
    const own = known[name === 'key' ? 'key' : 'requests']
    // Nothing is kept of a token that did not serve. Unlike a hook, this comes too when the client has hung up.
    reply.raw.once('close', () => own.limiter.delete(hash))
    tell(request, own, await count(own, hash))
  })

  app.decorateRequest('noteSender', function (this: FastifyRequest, found: Sender | undefined) {
    if (this.token === undefined) return
    const hash = hashOf(this.token)
    served.delete(hash)
    if (!found) return
    served.set(hash, found)
    const [oldest] = served.keys()
    if (oldest !== undefined && served.size > mostServed) served.delete(oldest)
    if (this.surety === undefined) return // a door may judge again
    release(this)
    known[found.policy].limiter.penalty(found.id)
  })

  app.decorateRequest('noteApplication', async function (this: FastifyRequest, found) {
    if (!found) return requireSurety(this)
    release(this)
    const [counter, whose] = found.hasSecret ? [application, found.id] : [anonymous, networkOf(addressOf(this))]
    tell(this, counter, await count(counter, whose))
  })
}

/** Counts a request for its network until somebody knows who sends it. */
async function vouch(request: FastifyRequest, counter: Counter, network: string): Promise<void> {
  request.surety = { counter, network, outcome: await count(counter, network) }
}

/** Refuses a request for which its network has no more to give. @throws Problem rate_limited */
function requireSurety(request: FastifyRequest): void {
  const { surety } = request
  if (!surety?.outcome.isOver) return
  release(request) // what is refused uses up nothing of what others share
  tell(request, surety.counter, surety.outcome)
}

/** Answers an error of a route for applications: beyond its rate, a network also learns no fault that was found before the handler ran. */
const refuseBeyond: NonNullable<RouteOptions['errorHandler']> = (error, request, reply) => {
  const status = error instanceof Problem ? error.status : error.statusCode
  try {
    // A failure of ours is answered and logged as what it is.
    if (status && status < 500) requireSurety(request)
  } catch (limited) {
    return answerProblem(limited as Problem, request, reply)
  }
  return answerProblem(error, request, reply)
}

/** Gives back to the network what was counted for it. */
function release(request: FastifyRequest): void {
  const { surety } = request
  request.surety = undefined
  surety?.counter.limiter.reward(surety.network)
}

interface Counter {
  readonly policy: string
  readonly rate: Rate
  readonly limiter: RateLimiterMemory
}

/** What is remembered for long opens nothing. */
function hashOf({ hash }: KnownToken): string {
  return hash.toString('base64url')
}

function count({ limiter }: Counter, whose: string): Promise<Outcome> {
  return limiter.consume(whose).then(
    (told) => outcomeOf(told, false),
    (told: RateLimiterRes) => outcomeOf(told, true),
  )
}

function outcomeOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Outcome {
  return { isOver, left: remainingPoints, seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) }
}

/** @throws Problem rate_limited */
function tell({ context }: FastifyRequest, { policy, rate }: Counter, outcome: Outcome): void {
  announceRates(context, [{ policy, rate, ...outcome }])
  if (outcome.isOver) throw new ApiProblem('rate_limited', { policy }, { 'retry-after': String(outcome.seconds) })
}

function limiterOf({ count, seconds }: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ points: count, duration: seconds })
}
