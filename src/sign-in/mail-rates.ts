/** Mail rates: how many mails a stranger can have sent, to one address and from one network. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, networkOf } from '../http/address.ts'

/**
 * Counts a mail that resets, verifies or changes an address, whether or not the address is anybody's.
 *
 * @param tenant its id
 * @param email  normalised
 * @returns whether it may go out; where not, the answer is the same, and the link that was mailed last stays good
 * @throws Problem rate_limited when the network has asked for too many
 */
export async function countMail(
  request: FastifyRequest,
  reply: FastifyReply,
  tenant: string,
  email: string,
): Promise<boolean> {
  const { config, rates } = request.server
  const whose = networkOf(addressOf(request))
  await rates.count(reply, [{ policy: 'mail', rate: config.limitMailNetwork, tenant, whose }])
  return rates.isWithin({ policy: 'mail-recipient', rate: config.limitMail, tenant, whose: email })
}
