/** Network rates: how often one network may try to come in, by whatever accounts (ASVS 5.0 V6.3.1). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, networkOf } from '../../platform/http/address.ts'
import { limits } from './limits.ts'

/**
 * Counts an attempt, whatever becomes of it, over all tenants.
 *
 * @throws Problem rate_limited; UnavailableError while nothing can be counted
 */
export async function countNetwork(
  request: FastifyRequest,
  reply: FastifyReply,
  policy: 'sign-in' | 'sign-up',
): Promise<void> {
  const { config, rates } = request.server
  const rate = limits[policy].rateOf(config)
  await rates.count(reply, [{ policy, rate, whose: networkOf(addressOf(request)) }])
}
