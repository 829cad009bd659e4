/** Sends invitations to many addresses, up to a hundred in a request, and returns the addresses that were not invited. */
import { isRefusal, Refusal } from '../api/refusal.ts'
import { wordsOf } from '../texts/refusals.ts'
import { inviteMany } from './invitation.ts'
import type { Terms } from './inviting-terms.ts'
import type { Where } from './place.ts'

/** The most addresses of a request, as in the API. */
export const mostAtOnce = 100

/** The result for an address. */
export interface Outcome {
  /** As it was written, or normalized by the API. */
  readonly email: string
  readonly is: 'sent' | 'already_a_member' | 'already_invited' | 'invited_too_often' | 'invalid' | 'refused'
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
  { where, terms, emails }: { readonly where: Where; readonly terms: Terms; readonly emails: readonly string[] },
  onStep: (done: number) => void,
  isStopped: () => boolean,
): Promise<Sent> {
  let sent: Sent = { outcomes: [], faulty: [], left: [] }
  for (let at = 0; at < emails.length && sent.halt === undefined; at += mostAtOnce) {
    const next = emails.slice(at, at + mostAtOnce)
    const rest = emails.slice(at + mostAtOnce)
    if (isStopped()) return { ...sent, left: [...sent.left, ...next, ...rest] }
    const { outcomes, faulty, left, halt } = await sendAtOnce(where, terms, next)
    sent = {
      outcomes: [...sent.outcomes, ...outcomes],
      faulty: [...sent.faulty, ...faulty],
      left: [...sent.left, ...left, ...(halt === undefined ? [] : rest)],
      halt,
    }
    onStep(at + next.length)
  }
  return sent
}

/** @param emails as many as fit into a request @throws Refusal unauthenticated */
async function sendAtOnce(where: Where, terms: Terms, emails: readonly string[]): Promise<Sent> {
  if (emails.length === 0) return { outcomes: [], faulty: [], left: [] }
  try {
    return read(emails, await inviteMany(where, emails, terms))
  } catch (error) {
    if (isRefusal(error, 'unauthenticated')) throw error
    const faults = faultsOfAddresses(error)
    if (faults === undefined) return { outcomes: [], faulty: [], left: emails, halt: ofTerms(error) }
    // The API takes all or none: the others go without these.
    const others = await sendAtOnce(
      where,
      terms,
      emails.filter((_, index) => !faults.has(index)),
    )
    // The second spelling of an address has no result of its own.
    const invalid = emails.filter((_, index) => faults.get(index) === 'invalid')
    return {
      ...others,
      outcomes: [...others.outcomes, ...invalid.map((email) => ({ email, is: 'invalid' as const }))],
      faulty: [...invalid, ...others.faulty],
    }
  }
}

/** What is wrong with addresses, by their places in the request. @returns undefined if something else is wrong */
function faultsOfAddresses(error: unknown): Map<number, 'invalid' | 'twice'> | undefined {
  if (!isRefusal(error, 'invalid_request')) return undefined
  const faults = new Map<number, 'invalid' | 'twice'>()
  for (const { pointer, code } of error.problem.errors ?? []) {
    const [, index] = /^\/invites\/(\d+)\/email$/.exec(pointer) ?? []
    if (index === undefined) return undefined
    faults.set(Number(index), code === 'not_allowed' ? 'twice' : 'invalid')
  }
  return faults.size === 0 ? undefined : faults
}

/** All addresses are invited to the same: a fault of it is shown once, and not for each of them. */
function ofTerms(error: unknown): unknown {
  if (!isRefusal(error, 'invalid_request')) return error
  const faults = (error.problem.errors ?? []).map((fault) => ({
    ...fault,
    pointer: fault.pointer.replace(/^\/invites\/\d+/, ''),
  }))
  const errors = faults.filter(({ pointer }, index) => faults.findIndex((each) => each.pointer === pointer) === index)
  return new Refusal({ ...error.problem, errors })
}

type Answer = Awaited<ReturnType<typeof inviteMany>>

/** The results of the API, one for each address. */
function read(emails: readonly string[], { results, retryAfter }: Answer): Sent {
  const outcomes: Outcome[] = []
  const faulty: string[] = []
  const left: string[] = []
  let halt: Refusal | undefined
  for (const [index, { email, outcome, missing, until }] of results.entries()) {
    const written = emails[index] ?? email
    if (outcome === 'sent' || outcome === 'already_a_member' || outcome === 'already_invited') {
      outcomes.push({ email: outcome === 'sent' ? email : written, is: outcome })
    } else if (outcome === 'email_domain_not_allowed') {
      outcomes.push({ email: written, is: 'refused', detail: wordsOf(new Refusal({ code: outcome })).title })
      faulty.push(written)
    } else {
      left.push(written)
      // While no limit that all share is used up, it is the limit of this address.
      if (outcome === 'rate_limited' && retryAfter === undefined)
        outcomes.push({ email: written, is: 'invited_too_often' })
      else halt ??= new Refusal({ code: outcome, ...(missing && { missing }), until: until ?? null }, { retryAfter })
    }
  }
  return { outcomes, faulty, left, halt }
}
