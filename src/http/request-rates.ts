/**
 * Request rates: how many requests anybody may send at all. Counted in each process for itself, so that no read pays a write; what
 * must hold across processes has rates of its own (rates.ts).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Rate } from '../config.ts'
import { addressOf, networkOf } from './address.ts'
import { Problem } from './problems.ts'
import { announceRates, outcomeOf } from './rates.ts'
import type { App } from './server.ts'

/**
 * Counts each request of the API: one with a session for that session, any other for its network. A session that turns out not to live
 * counts for its network afterwards, so that made-up tokens are no way around.
 */
export function limitRequests(app: App): void {
  const { limitsOff, limitAnonymous, limitRequests } = app.config
  if (limitsOff) return
  const anonymous = { policy: 'anonymous', rate: limitAnonymous, limiter: limiterOf(limitAnonymous) }
  const requests = { policy: 'requests', rate: limitRequests, limiter: limiterOf(limitRequests) }

  const isKnown = async (token: string) => (await requests.limiter.get(token)) !== null

  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith('/api/')) return
    const token = tokenOf(request)
    if (token === undefined) return count(reply, anonymous, networkOf(addressOf(request)))
    // A token that did not serve lately may be made up: its network answers for it.
    const told = (await isKnown(token)) ? null : await anonymous.limiter.get(networkOf(addressOf(request)))
    if (told && told.consumedPoints >= limitAnonymous.count) tell(reply, anonymous, outcomeOf(told, true))
    await count(reply, requests, token)
  })

  app.addHook('onResponse', async (request, reply) => {
    const token = reply.statusCode === 401 ? tokenOf(request) : undefined
    if (token === undefined || !request.routeOptions.url?.startsWith('/api/')) return
    await requests.limiter.delete(token)
    await anonymous.limiter.consume(networkOf(addressOf(request))).catch(() => {}) // over already
  })
}

interface Limit {
  readonly policy: string
  readonly rate: Rate
  readonly limiter: RateLimiterMemory
}

function tokenOf({ routeOptions, sessionToken }: FastifyRequest): string | undefined {
  return routeOptions.config.access === 'anyone' ? undefined : sessionToken
}

/** @throws Problem rate_limited */
async function count(reply: FastifyReply, limit: Limit, whose: string): Promise<void> {
  const outcome = await limit.limiter.consume(whose).then(
    (told) => outcomeOf(told, false),
    (told: RateLimiterRes) => outcomeOf(told, true),
  )
  tell(reply, limit, outcome)
}

/** @throws Problem rate_limited */
function tell(reply: FastifyReply, { policy, rate }: Limit, outcome: ReturnType<typeof outcomeOf>): void {
  announceRates(reply, [{ policy, rate, ...outcome }])
  if (outcome.isOver) throw new Problem('rate_limited', { policy }, { 'retry-after': String(outcome.seconds) })
}

function limiterOf({ count, seconds }: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ points: count, duration: seconds })
}
