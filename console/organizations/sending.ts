/** Sends many invitations, one after the other, and returns the addresses that were not invited. */
import { isRefusal } from '../api/refusal.ts'
import { wordsOf } from '../texts/refusals.ts'
import { invite } from './invitation.ts'
import type { Terms } from './inviting-terms.ts'

/** The result for an address. */
export interface Outcome {
  /** As it was written, or normalized by the API if it was invited. */
  readonly email: string
  readonly is: 'sent' | 'already_a_member' | 'already_invited' | 'invalid' | 'refused'
  /** Why it was refused. */
  readonly detail?: string | undefined
}

export interface Sent {
  /** One for each address, even if it was written twice or in two spellings. */
  readonly outcomes: readonly Outcome[]
  /** To be corrected before the next attempt. */
  readonly faulty: readonly string[]
  /** Addresses that were not sent. */
  readonly left: readonly string[]
  /** The error that stopped the rest. */
  readonly halt?: unknown
}

/**
 * @param onStep called with the number of processed addresses
 * @param isStopped whether the user has stopped it
 * @throws Refusal unauthenticated
 */
export async function sendInvitations(
  { orgId, terms, emails }: { readonly orgId: string; readonly terms: Terms; readonly emails: readonly string[] },
  onStep: (done: number) => void,
  isStopped: () => boolean,
): Promise<Sent> {
  const outcomes: Outcome[] = []
  const faulty: string[] = []
  /** The ids of the invitations. For two spellings of an address the API makes one invitation. */
  const invited = new Set<string>()
  for (const [index, email] of emails.entries()) {
    if (isStopped()) return { outcomes, faulty, left: emails.slice(index) }
    try {
      const invitation = await invite(orgId, email, terms)
      invited.add(invitation.id)
      outcomes.push({ email: invitation.email ?? email, is: 'sent' })
    } catch (error) {
      if (isRefusal(error, 'unauthenticated')) throw error
      const outcome = outcomeOf(error, email)
      if (outcome === undefined) return { outcomes, faulty, left: emails.slice(index), halt: error }
      const id = isRefusal(error) ? error.problem.invitationId : undefined
      if (id === undefined || !invited.has(id)) outcomes.push(outcome)
      if (id !== undefined) invited.add(id)
      if (outcome.is === 'invalid' || outcome.is === 'refused') faulty.push(email)
    }
    onStep(index + 1)
  }
  return { outcomes, faulty, left: [] }
}

/** @returns undefined if the next address would be refused too */
function outcomeOf(error: unknown, email: string): Outcome | undefined {
  if (isRefusal(error, 'already_a_member')) return { email, is: 'already_a_member' }
  if (isRefusal(error, 'already_invited')) return { email, is: 'already_invited' }
  // Other faults are of what they are invited to.
  const isOfAddress = isRefusal(error, 'invalid_request') && error.problem.errors?.[0]?.pointer === '/email'
  if (isOfAddress) return { email, is: 'invalid' }
  if (isRefusal(error, 'email_domain_not_allowed')) return { email, is: 'refused', detail: wordsOf(error).title }
  // The limit of this address says nothing about the others.
  if (isRefusal(error, 'rate_limited') && error.problem.policy === 'recipient')
    return { email, is: 'refused', detail: wordsOf(error).detail }
  return undefined
}
