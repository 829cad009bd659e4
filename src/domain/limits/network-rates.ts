/** Network rates: how often one network may try to come in, by whatever accounts (ASVS 5.0 V6.3.1). */
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { limits } from './limits.ts'

/**
 * Counts an attempt, whatever becomes of it, over all tenants.
 *
 * @throws Problem rate_limited; UnavailableError while nothing can be counted
 */
export async function countNetwork(context: RequestContext, policy: 'sign-in' | 'sign-up'): Promise<void> {
  const { config, rates, ip } = context
  const rate = limits[policy].rateOf(config)
  await rates.count(context, [{ policy, rate, whose: networkOf(ip) }])
}
