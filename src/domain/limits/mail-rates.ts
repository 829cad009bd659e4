/** Mail rates: how many mails a stranger can have sent, to one address and from one network. */
import { networkOf } from '../../platform/http/address.ts'
import type { Counted, RequestContext } from '../../platform/http/context.ts'
import { limits } from './limits.ts'

/**
 * What a mail is for: `access` lets somebody in again, `verification` verifies the address of an account, `change` a new address. A code
 * is asked for by somebody unknown who typed the address (`code`), to link an account of a provider (`code-link`), or on a known device or
 * in a session of the account (`code-known`).
 */
type Purpose = 'access' | 'code' | 'code-link' | 'code-known' | 'verification' | 'change'

/** The rates of a route that sends mails of a purpose. */
export const mailRates = {
  access: ['mail', 'mail-recipient-access'],
  code: ['mail', 'mail-recipient-code', 'mail-recipient-code-link', 'mail-recipient-code-known'],
  verification: ['mail', 'mail-recipient-verification'],
  change: ['mail', 'mail-recipient-change'],
} as const satisfies Partial<Record<Purpose, readonly string[]>>

/**
 * Counts a mail that resets, verifies or changes an address, whether or not the address is anybody's.
 *
 * Each purpose is counted apart. Anybody can sign up with another person's address, or change theirs to it: this must not use up that
 * person's resets. Anybody can ask for codes by the address, too, and can come from a provider that names it: this must not use up the
 * codes that its owner asks for on known devices and in sessions.
 *
 * @param tenant its id
 * @param email  normalised
 * @returns whether it may go out; where not, the answer is the same, and the link that was mailed last stays good
 * @throws Problem rate_limited when the network has asked for too many
 */
export async function countMail(
  context: RequestContext,
  tenant: string,
  email: string,
  purpose: Purpose,
): Promise<boolean> {
  const { rates } = context
  await rates.count(context, [network(context)])
  return rates.tryCount(context, recipient(context, tenant, email, purpose))
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
  const verification = recipient(context, tenant, email, 'verification')
  const isMailed = (await isWithin(network(context))) && (await isWithin(verification))
  return { isMailed, takeBack: () => rates.takeBack(counted) }
}

function network({ config, ip }: RequestContext): Counted {
  return { policy: 'mail', rate: limits.mail.rateOf(config), whose: networkOf(ip) }
}

function recipient({ config }: RequestContext, tenant: string, email: string, purpose: Purpose): Counted {
  const policy = `mail-recipient-${purpose}` as const
  return { policy, rate: limits[policy].rateOf(config), tenant, whose: email }
}
