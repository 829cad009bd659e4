/** Invitation rates: how many invitations may go out, so that nobody is pestered and nobody sends spam in an organization's name. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MemberCaller } from '../../domain/access/authorization.ts'
import { addressOf, networkOf } from '../../platform/http/address.ts'
import type { Config, Rate } from '../../platform/settings/config.ts'

/** The rates of a route that sends an invitation. */
export const invitationRates = ['inviter', 'organization', 'network', 'recipient']

/** How often one address may be invited in a tenant, by whomever. */
const perRecipient = 5

/** What the setting comes to for each of them. */
export function invitationLimits({ limitInvites }: Pick<Config, 'limitInvites'>, emailVerified: boolean) {
  const times = (factor: number): Rate => ({
    ...limitInvites,
    count: Math.max(1, Math.round(limitInvites.count * factor)),
  })
  return {
    inviter: times(emailVerified ? 1 : 0.1),
    organization: limitInvites,
    network: times(2.5),
    recipient: { ...limitInvites, count: perRecipient },
  }
}

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
  const { inviter, organization, network, recipient } = invitationLimits(config, caller.emailVerified)
  await rates.count(reply, [
    { policy: 'inviter', rate: inviter, tenant, whose: caller.userId },
    { policy: 'organization', rate: organization, tenant, whose: caller.organizationId },
    { policy: 'network', rate: network, whose: networkOf(addressOf(request)) },
    { policy: 'recipient', rate: recipient, tenant, whose: email, isHidden: true },
  ])
}
