/**
 * Acts: the entries of one request, as one line of the log. The API lists each change as an entry; that an invitation was accepted and that
 * somebody joined are one act to its readers.
 */
import type { Entry } from './sentences.ts'

export interface Act {
  readonly entry: Entry
  /** What else the request did, in the order in which it happened. */
  readonly others: readonly Entry[]
}

/** What happens with something else, from what says most of the act to what says least. Any other action is an act of its own. */
const consequences = [
  'member.role_changed',
  'member.grants_changed',
  'member.expiry_changed',
  'member.joined',
  'session.started',
  'password.switched_off',
  'password.removed',
  'session.refused',
  'invitation.accepted',
  'application.signed_in',
  'email.verified',
  'recovery_codes.made',
  'recovery_code.used',
  'invitation.revoked',
  'link.ended',
  'key.holder_left',
  'key.ended',
  'session.revoked',
  'email.change_cancelled',
] satisfies Entry['action'][]

/** The smaller, the more it says. */
const rankOf = ({ action }: Entry) => (consequences as Entry['action'][]).indexOf(action)

/**
 * @param entries newest first
 * @param isCut whether the log goes on: then the last act may miss a part, and is left out until that is read
 */
export function actsIn(entries: readonly Entry[], isCut: boolean): Act[] {
  const requests = [...Map.groupBy(entries, keyOf)]
  const last = entries.at(-1)
  const whole = isCut && last && requests.length > 1 ? requests.filter(([key]) => key !== keyOf(last)) : requests
  return whole.flatMap(([, together]) => actsOf(together))
}

/** What a request does in several organizations is as many acts, because a line names one organization. */
function keyOf({ requestId, organizationId, id }: Entry): string {
  return requestId === null ? id : `${requestId} ${organizationId}`
}

/** Several entries of the highest rank, as of several invitations, are as many acts. */
function actsOf(together: readonly Entry[]): Act[] {
  const highest = Math.min(...together.map(rankOf))
  const acts: { entry: Entry; others: Entry[] }[] = []
  const before: Entry[] = []
  for (const entry of together.toReversed()) {
    if (rankOf(entry) === highest) acts.push({ entry, others: [] })
    else (acts.at(-1)?.others ?? before).push(entry)
  }
  acts[0]?.others.unshift(...before)
  return acts
    .toReversed()
    .map(({ entry, others }) => ({ entry, others: others.filter((other) => !isIn(entry, other)) }))
}

/** Whether the sentence of an entry says another, too. */
function isIn({ action, details }: Entry, other: Entry): boolean {
  return action === 'member.joined' && details?.via === 'invitation' && other.action === 'invitation.accepted'
}
