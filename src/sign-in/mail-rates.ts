/** Mail rates: how many mails a stranger can have sent, to one address and from one network. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, networkOf } from '../http/address.ts'

/**
 * Counts a mail that resets, verifies or changes an address, whether or not the address is anybody's.
 *
 * A change is counted apart: the address is one that the caller names, and who reads it must not be kept from a reset by that.
 *
 * @param tenant its id
 * @param email  normalised
 * @param kind   `access` for what lets somebody in or verifies, `change` for a new address
 * @returns whether it may go out; where not, the answer is the same, and the link that was mailed last stays good
 * @throws Problem rate_limited when the network has asked for too many
 */
export async function countMail(
  request: FastifyRequest,
  reply: FastifyReply,
  tenant: string,
  email: string,
  kind: 'access' | 'change' = 'access',
): Promise<boolean> {
  const { config, rates } = request.server
  const whose = networkOf(addressOf(request))
  await rates.count(reply, [{ policy: 'mail', rate: config.limitMailNetwork, whose }])
  return rates.isWithin({ policy: `mail-recipient-${kind}`, rate: config.limitMail, tenant, whose: email })
}
