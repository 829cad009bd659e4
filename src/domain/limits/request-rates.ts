/**
 * Request rates: how many requests anybody may send at all. Counted in each process for itself, so that no read pays a write; what
 * must hold across processes has rates of its own (rates.ts).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { addressOf, networkOf } from '../../platform/http/address.ts'
import { announceRates, type Outcome } from '../../platform/http/rates.ts'
import type { App } from '../../platform/http/server.ts'
import type { Rate } from '../../platform/settings/config.ts'
import { ApiProblem } from '../problems.ts'
import { limits } from './limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The network that answers for the token, until a door has found its session. */
    surety: string | undefined
    /** For the doors, which alone know whether the token's session lives. */
    noteSession(lives: boolean): void
  }
}

/** How many sessions are remembered, those that served last: a few megabytes. */
const mostServed = 50_000

/**
 * Counts each request: one with a session for that session, any other for its network, as those for pages and for unknown paths are.
 * Probes are not counted, as each load balancer sends them without pause, nor files that their reader keeps for ever: both are answered
 * from memory, but for one question a second to the database.
 *
 * A token may be made up. Until a door has found its session, each of its requests counts for the network too, beforehand, whatever
 * becomes of it, and is given back once the door has. That measure (`unknown-session`) is as large as the anonymous one and apart
 * from it: nobody without a session can use it up, so that after a restart sessions are not locked out by their neighbours' requests
 * without one. Made-up tokens do use it up; a neighbour's session that has not served since the start then waits until its time is
 * over. Sessions that have served are remembered and need it no more.
 */
export function limitRequests(app: App): void {
  const { limitsOff } = app.config
  app.decorateRequest('surety', undefined)
  if (limitsOff) {
    app.decorateRequest('noteSession', () => {})
    return
  }
  const [anonymous, unknown, requests] = (['anonymous', 'unknown-session', 'requests'] as const).map((policy) => {
    const rate = limits[policy].rateOf(app.config)
    return { policy, rate, limiter: limiterOf(rate) }
  }) as [Counter, Counter, Counter] // one for each
  const served = new Set<string>() // the last to serve at its end

  app.addHook('onRequest', async (request, reply) => {
    const { config } = request.routeOptions
    if (config.isUncounted) return
    const network = networkOf(addressOf(request))
    const session = config.access === 'anyone' || request.is404 ? undefined : sessionOf(request)
    if (session === undefined) return tell(reply, anonymous, await count(anonymous, network))
    if (!served.has(session)) {
      const outcome = await count(unknown, network)
      if (outcome.isOver) {
        await unknown.limiter.reward(network) // what is refused uses up nothing of what others share
        tell(reply, unknown, outcome)
      }
      request.surety = network
      // Nothing is kept of a token that did not serve. Unlike a hook, this comes too when the client has hung up.
      reply.raw.once('close', () => served.has(session) || requests.limiter.delete(session))
    }
    tell(reply, requests, await count(requests, session))
  })

  app.decorateRequest('noteSession', function (this: FastifyRequest, lives: boolean) {
    const session = sessionOf(this)
    if (session === undefined) return
    served.delete(session)
    if (!lives) return
    served.add(session)
    const [oldest] = served
    if (oldest !== undefined && served.size > mostServed) served.delete(oldest)
    if (this.surety === undefined) return
    unknown.limiter.reward(this.surety)
    this.surety = undefined // a door may judge again
  })
}

interface Counter {
  readonly policy: string
  readonly rate: Rate
  readonly limiter: RateLimiterMemory
}

/** @returns the hash of the request's token: what is remembered for long opens nothing */
function sessionOf({ token }: FastifyRequest): string | undefined {
  return token?.hash.toString('base64url')
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
function tell(reply: FastifyReply, { policy, rate }: Counter, outcome: Outcome): void {
  announceRates(reply.request.context, [{ policy, rate, ...outcome }])
  if (outcome.isOver) throw new ApiProblem('rate_limited', { policy }, { 'retry-after': String(outcome.seconds) })
}

function limiterOf({ count, seconds }: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ points: count, duration: seconds })
}
