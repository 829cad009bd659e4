/** Sending many invitations, one after the other. What was not sent is not lost. */
import { isRefusal } from '../api/refusal.ts'
import { wordsOf } from '../texts/refusals.ts'
import { invite } from './invitation.ts'
import type { Role } from './roles.ts'

/** What became of an address. */
export interface Outcome {
  readonly email: string
  readonly is: 'sent' | 'already_a_member' | 'already_invited' | 'invalid' | 'refused'
  /** Why it was refused. */
  readonly detail?: string | undefined
}

export interface Sent {
  readonly outcomes: readonly Outcome[]
  /** Those that were not asked for, or may be mended and tried again. */
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
  const left: string[] = []
  for (const [index, email] of emails.entries()) {
    if (isStopped()) return { outcomes, left: [...left, ...emails.slice(index)] }
    try {
      await invite(orgId, email, role)
      outcomes.push({ email, is: 'sent' })
    } catch (error) {
      if (isRefusal(error, 'unauthenticated')) throw error
      const outcome = outcomeOf(error, email)
      if (outcome === undefined) return { outcomes, left: [...left, ...emails.slice(index)], halt: error }
      outcomes.push(outcome)
      if (outcome.is === 'invalid' || outcome.is === 'refused') left.push(email)
    }
    onStep(index + 1)
  }
  return { outcomes, left }
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
