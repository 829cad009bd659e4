/** Invitation rates: how many invitations may go out, so that nobody is pestered and nobody sends spam in an organization's name. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MemberCaller } from '../access/authorization.ts'
import type { Rate } from '../config.ts'
import { addressOf, networkOf } from '../http/address.ts'

/** The rates of a route that sends an invitation. */
export const invitationRates = ['inviter', 'organization', 'network', 'recipient']

/** How often one address may be invited in a tenant, by whomever. */
const perRecipient = 5

/**
 * Counts an invitation, or one that is sent again. To be called as the last step, so that what is refused counts for nobody.
 *
 * @param email normalised
 * @throws Problem rate_limited
 */
export async function countInvitation(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: MemberCaller,
  email: string,
): Promise<void> {
  const { config, rates } = request.server
  const { tenantId: tenant } = caller
  const { count } = config.limitInvites
  const times = (factor: number): Rate => ({ ...config.limitInvites, count: Math.max(1, Math.round(count * factor)) })
  await rates.count(reply, [
    { policy: 'inviter', rate: times(caller.emailVerified ? 1 : 0.1), tenant, whose: caller.userId },
    { policy: 'organization', rate: times(1), tenant, whose: caller.organizationId },
    { policy: 'network', rate: times(2.5), whose: networkOf(addressOf(request)) },
    { policy: 'recipient', rate: { ...times(1), count: perRecipient }, tenant, whose: email, isHidden: true },
  ])
}
