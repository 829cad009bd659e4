/** Sending many invitations, one after the other. What was not sent is not lost. */
import { isRefusal } from '../api/refusal.ts'
import { wordsOf } from '../texts/refusals.ts'
import { invite } from './invitation.ts'
import type { Role } from './roles.ts'

/** What became of an address. */
export interface Outcome {
  /** As it was written, or as the API writes it where it was invited. */
  readonly email: string
  readonly is: 'sent' | 'already_a_member' | 'already_invited' | 'invalid' | 'refused'
  /** Why it was refused. */
  readonly detail?: string | undefined
}

export interface Sent {
  /** One for each address that the API knows, however often and in whichever spelling it was asked for. */
  readonly outcomes: readonly Outcome[]
  /** To be mended before they are tried again. */
  readonly faulty: readonly string[]
  /** Those that were not asked for. */
  readonly left: readonly string[]
  /** What kept the rest from being sent. */
  readonly halt?: unknown
}

/**
 * @param onStep is told how many were dealt with
 * @param isStopped whether the person has had enough
 * @throws Refusal unauthenticated
 */
export async function sendInvitations(
  { orgId, role, emails }: { readonly orgId: string; readonly role: Role; readonly emails: readonly string[] },
  onStep: (done: number) => void,
  isStopped: () => boolean,
): Promise<Sent> {
  const outcomes: Outcome[] = []
  const faulty: string[] = []
  /** By the invitation's id. Two spellings of an address are found out by the API, which makes one of them. */
  const invited = new Set<string>()
  for (const [index, email] of emails.entries()) {
    if (isStopped()) return { outcomes, faulty, left: emails.slice(index) }
    try {
      const invitation = await invite(orgId, email, role)
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

/** @returns undefined where the next address would fare no better */
function outcomeOf(error: unknown, email: string): Outcome | undefined {
  if (isRefusal(error, 'already_a_member')) return { email, is: 'already_a_member' }
  if (isRefusal(error, 'already_invited')) return { email, is: 'already_invited' }
  if (isRefusal(error, 'invalid_request')) return { email, is: 'invalid' }
  if (isRefusal(error, 'email_domain_not_allowed')) return { email, is: 'refused', detail: wordsOf(error).title }
  // This address may have had enough invitations, and others not.
  if (isRefusal(error, 'rate_limited') && error.problem.policy === 'recipient')
    return { email, is: 'refused', detail: wordsOf(error).detail }
  return undefined
}
