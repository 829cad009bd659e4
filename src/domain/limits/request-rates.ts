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
import type { KnownToken } from '../access/authentication.ts'
import { ApiProblem } from '../problems.ts'
import { limits } from './limits.ts'

/** Whose requests are counted with a credential, and in which measure. Both secrets of a key count as one. */
interface Sender {
  readonly policy: 'requests' | 'key' | 'tenant-key'
  /** The id of the session or the key. */
  readonly id: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Takes back what its network answers for, until a door has found the credential. */
    surety: (() => unknown) | undefined
    /** For the doors, which alone know whether a credential lives. @param found undefined: it does not */
    noteSender(found: Sender | undefined): void
  }
}

/** How many credentials are remembered, those that served last: some ten megabytes. */
const mostServed = 50_000

/**
 * Counts each request: one with a credential for its session or key, any other for its network, as those for pages and for unknown paths
 * are. Probes are not counted, as each load balancer sends them without pause, nor files that their reader keeps for ever: both are answered
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
 */
export function limitRequests(app: App): void {
  const { limitsOff } = app.config
  app.decorateRequest('surety', undefined)
  if (limitsOff) {
    app.decorateRequest('noteSender', () => {})
    return
  }
  const counterOf = (policy: keyof typeof limits): Counter => {
    const rate = limits[policy].rateOf(app.config)
    return { policy, rate, limiter: limiterOf(rate) }
  }
  const anonymous = counterOf('anonymous')
  const unknown = { session: counterOf('unknown-session'), key: counterOf('unknown-key') }
  const known = { requests: counterOf('requests'), key: counterOf('key'), 'tenant-key': counterOf('tenant-key') }
  const served = new Map<string, Sender>() // by the hash of the token, the last to serve at its end

  app.addHook('onRequest', async (request, reply) => {
    const { config } = request.routeOptions
    if (config.isUncounted) return
    const network = networkOf(addressOf(request))
    const token = config.access === 'anyone' || request.is404 ? undefined : request.token
    if (token === undefined) return tell(reply, anonymous, await count(anonymous, network))
    const hash = hashOf(token)
    const sender = served.get(hash)
    if (sender) return tell(reply, known[sender.policy], await count(known[sender.policy], sender.id))

    const { name } = token.kind
    const outcome = await count(unknown[name], network)
    if (outcome.isOver) {
      await unknown[name].limiter.reward(network) // what is refused uses up nothing of what others share
      tell(reply, unknown[name], outcome)
    }
    request.surety = () => unknown[name].limiter.reward(network)
    const own = known[name === 'session' ? 'requests' : 'key']
    // Nothing is kept of a token that did not serve. Unlike a hook, this comes too when the client has hung up.
    reply.raw.once('close', () => own.limiter.delete(hash))
    tell(reply, own, await count(own, hash))
  })

  app.decorateRequest('noteSender', function (this: FastifyRequest, found: Sender | undefined) {
    if (this.token === undefined) return
    const hash = hashOf(this.token)
    served.delete(hash)
    if (!found) return
    served.set(hash, found)
    const [oldest] = served.keys()
    if (oldest !== undefined && served.size > mostServed) served.delete(oldest)
    if (this.surety === undefined) return
    this.surety()
    this.surety = undefined // a door may judge again
    known[found.policy].limiter.penalty(found.id)
  })
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
function tell(reply: FastifyReply, { policy, rate }: Counter, outcome: Outcome): void {
  announceRates(reply.request.context, [{ policy, rate, ...outcome }])
  if (outcome.isOver) throw new ApiProblem('rate_limited', { policy }, { 'retry-after': String(outcome.seconds) })
}

function limiterOf({ count, seconds }: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ points: count, duration: seconds })
}
