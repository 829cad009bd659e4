/** Problems: refusals in Guildhall's form and with its codes (RFC 9457), so that the page shows both in the same way. */
import { isGuildhallError } from '@guildhall/client'

/** One fault of a field. `pointer` is its place in the body (RFC 6901). */
export interface Fault {
  readonly pointer: string
  readonly detail: string
}

export class Problem extends Error {
  readonly status: number
  readonly body: object
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, title: string, { errors = [], headers = {} }: Partial<ErrorDetails> = {}) {
    super(title)
    this.status = status
    // The client takes only a refusal with a detail and the id of its request for one. These have neither.
    this.body = { status, code, title, detail: '', requestId: '', errors }
    this.headers = headers
  }
}

interface ErrorDetails {
  readonly errors: readonly Fault[]
  readonly headers: Readonly<Record<string, string>>
}

/** After `second_factor_required`, the page begins a sign-in with a second factor. */
const concerning = [
  'unauthenticated',
  'second_factor_required',
  'membership_suspended',
  'not_found',
  'invalid_id',
  'rate_limited',
] as const

/** Passes on Guildhall's refusals that concern the caller, and hides all other failures. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isGuildhallError(error, ...concerning)) {
    const { status = 500, code, message, problem, retryAfter } = error
    const headers = retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` }
    return new Problem(status, code, problem?.title ?? message, { headers })
  }
  console.error(error)
  if (isGuildhallError(error))
    return new Problem(503, 'unavailable', 'Your session cannot be checked now. Try again soon.')
  return new Problem(500, 'internal', 'Something went wrong on our side.')
}
