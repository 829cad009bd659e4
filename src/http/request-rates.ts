/**
 * Request rates: how many requests anybody may send at all. Counted in each process for itself, so that no read pays a write; what
 * must hold across processes has rates of its own (rates.ts).
 */
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Rate } from '../config.ts'
import { addressOf, networkOf } from './address.ts'
import { Problem } from './problems.ts'
import { announceRates, outcomeOf } from './rates.ts'
import type { App } from './server.ts'

/**
 * Counts each request of the API: one with a session for that session, whether or not it lives; any other for its network. Their order
 * in the chain is before anything is asked of the database, or much of the body is read.
 */
export function limitRequests(app: App): void {
  const { limitsOff, limitAnonymous, limitRequests } = app.config
  if (limitsOff) return
  const anonymous = { policy: 'anonymous', rate: limitAnonymous, limiter: limiterOf(limitAnonymous) }
  const requests = { policy: 'requests', rate: limitRequests, limiter: limiterOf(limitRequests) }

  app.addHook('onRequest', async (request, reply) => {
    const { url, config } = request.routeOptions
    if (!url?.startsWith('/api/')) return
    const token = config.access === 'anyone' ? undefined : request.sessionToken
    const { policy, rate, limiter } = token === undefined ? anonymous : requests
    const outcome = await limiter.consume(token ?? networkOf(addressOf(request))).then(
      (told) => outcomeOf(told, false),
      (told: RateLimiterRes) => outcomeOf(told, true),
    )
    announceRates(reply, [{ policy, rate, ...outcome }])
    if (outcome.isOver) throw new Problem('rate_limited', { policy }, { 'retry-after': String(outcome.seconds) })
  })
}

function limiterOf({ count, seconds }: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ points: count, duration: seconds })
}
