/** Invitation rates: how many invitations may go out, so that nobody is pestered and nobody sends spam in an organization's name. */
import type { MemberCaller } from '../../domain/access/actors.ts'
import { limits, times } from '../../domain/limits/limits.ts'
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'

/** The rates of a route that sends an invitation. */
export const invitationRates = ['inviter', 'organization', 'network', 'recipient']

/**
 * Counts an invitation, or one that is sent again. To be called as the last step, so that what is refused counts for nobody.
 *
 * @param email normalised
 * @throws Problem rate_limited
 */
export async function countInvitation(context: RequestContext, caller: MemberCaller, email: string): Promise<void> {
  const { config, rates, ip } = context
  const { tenantId: tenant } = caller
  const { inviter, organization, network, recipient } = limits
  const ofInviter = times(inviter.rateOf(config), caller.emailVerified ? 1 : 0.1)
  await rates.count(context, [
    { policy: 'inviter', rate: ofInviter, tenant, whose: caller.userId },
    { policy: 'organization', rate: organization.rateOf(config), tenant, whose: caller.organizationId },
    { policy: 'network', rate: network.rateOf(config), whose: networkOf(ip) },
    { policy: 'recipient', rate: recipient.rateOf(config), tenant, whose: email, isHidden: true },
  ])
}
