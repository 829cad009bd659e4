/** Mail rates: how many mails a stranger can have sent, to one address and from one network. */
import { networkOf } from '../../platform/http/address.ts'
import type { Counted, RequestContext } from '../../platform/http/context.ts'
import { limits } from './limits.ts'

/** The rates of a route that mails what lets somebody in or verifies, and of one that mails a new address. */
export const mailRates = { access: ['mail', 'mail-recipient-access'], change: ['mail', 'mail-recipient-change'] }

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
  context: RequestContext,
  tenant: string,
  email: string,
  kind: 'access' | 'change' = 'access',
): Promise<boolean> {
  const { rates } = context
  await rates.count(context, [network(context)])
  return rates.tryCount(context, recipient(context, tenant, email, kind))
}

/**
 * Counts the mail of a sign-up like the others, but quietly: people who share a network can go on to sign up, and have the mail sent
 * later.
 *
 * @returns whether it may go out; and takes it back, for when nobody was signed up after all
 */
export async function countSignUpMail(
  context: RequestContext,
  tenant: string,
  email: string,
): Promise<{ readonly isMailed: boolean; takeBack(): Promise<void> }> {
  const { rates } = context
  const counted: Counted[] = []
  const isWithin = (each: Counted) => {
    counted.push(each)
    return rates.tryCount(context, each)
  }
  const isMailed = (await isWithin(network(context))) && (await isWithin(recipient(context, tenant, email, 'access')))
  return { isMailed, takeBack: () => rates.takeBack(counted) }
}

function network({ config, ip }: RequestContext): Counted {
  return { policy: 'mail', rate: limits.mail.rateOf(config), whose: networkOf(ip) }
}

function recipient({ config }: RequestContext, tenant: string, email: string, kind: 'access' | 'change'): Counted {
  const policy = `mail-recipient-${kind}` as const
  return { policy, rate: limits[policy].rateOf(config), tenant, whose: email }
}
