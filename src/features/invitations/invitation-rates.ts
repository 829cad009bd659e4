/** Invitation rates: how many invitations may go out, so that nobody is pestered and nobody sends spam in an organization's name. */
import type { ActingCaller } from '../../domain/access/actors.ts'
import { limits, times } from '../../domain/limits/limits.ts'
import { networkOf } from '../../platform/http/address.ts'
import type { Counted, RequestContext } from '../../platform/http/context.ts'

/** The rates of a route that sends an invitation. */
export const invitationRates = ['inviter', 'organization', 'network', 'recipient']

/**
 * Counts an invitation, or one that is sent again. To be called last before it is written, so that what is refused counts for nobody.
 *
 * @param email normalised
 * @throws Problem rate_limited
 */
export async function countInvitation(context: RequestContext, caller: ActingCaller, email: string): Promise<void> {
  await context.rates.count(context, [...ofSender(context, caller), ofRecipient(context, caller, email)])
}

/**
 * Counts many invitations at once: each for its recipient, all for the inviter, and then those that are allowed so far for the organization
 * and the network. What a caller sends beyond their own rate counts at no time for those with whom they share the others.
 *
 * @param emails  normalised
 * @param counted gets whether each address may have an invitation; what it holds already is not counted again
 */
export async function countInvitations(
  context: RequestContext,
  caller: ActingCaller,
  emails: readonly string[],
  counted: Map<string, boolean>,
): Promise<void> {
  const fresh = emails.filter((email) => !counted.has(email))
  if (fresh.length === 0) return
  const { rates } = context
  const recipients = fresh.map((email) => ofRecipient(context, caller, email))
  const [inviter, ...shared] = ofSender(context, caller)
  let allowed: string[] = []
  const own = [...recipients.map((each) => ({ ...each, times: 1 })), { ...inviter, times: fresh.length }]
  await rates.take(context, own, (within) => {
    allowed = fresh.filter((_, index) => within[index] === 1).slice(0, within[fresh.length])
    return [...fresh.map((email) => Number(allowed.includes(email))), allowed.length]
  })
  const asked = allowed
  if (asked.length > 0)
    await rates.take(
      context,
      shared.map((each) => ({ ...each, times: asked.length })),
      (within) => {
        allowed = asked.slice(0, Math.min(...within))
        return within.map(() => allowed.length)
      },
    )
  const over = asked.slice(allowed.length)
  if (over.length > 0)
    await rates.takeBack([
      ...over.map((email) => ofRecipient(context, caller, email)),
      { ...inviter, times: over.length },
    ])
  for (const email of fresh) counted.set(email, allowed.includes(email))
}

function ofSender({ config, ip }: RequestContext, caller: ActingCaller): [Counted, ...Counted[]] {
  const { tenantId: tenant } = caller
  const { inviter, organization, network } = limits
  // By their keys a person sends no more than by their sessions: `id` is the person’s.
  const isUnverified = caller.type === 'user' && !caller.emailVerified
  const ofInviter = times(inviter.rateOf(config), isUnverified ? 0.1 : 1)
  return [
    { policy: 'inviter', rate: ofInviter, tenant, whose: caller.id },
    { policy: 'organization', rate: organization.rateOf(config), tenant, whose: caller.organizationId },
    { policy: 'network', rate: network.rateOf(config), whose: networkOf(ip) },
  ]
}

function ofRecipient({ config }: RequestContext, { tenantId: tenant }: ActingCaller, email: string): Counted {
  return { policy: 'recipient', rate: limits.recipient.rateOf(config), tenant, whose: email, isHidden: true }
}
