/**
 * Problems: every error that a caller can meet (RFC 9457), as one closed list.
 *
 * A code is a state, never a sentence; its sentence stands here, so that no library's text and no value of a request leaks.
 */
import { ConstraintError, UnavailableError } from '../database/errors.ts'
import { type Fault, faultOf } from './faults.ts'
import { productProblems } from './product-problems.ts'
import { type ProblemEntry, requestProblems } from './request-problems.ts'

/** The closed list. */
export const problems = { ...requestProblems, ...productProblems } satisfies Record<string, ProblemEntry>

export type ProblemCode = keyof typeof problems

/** Thrown anywhere on a request's way; answered as `application/problem+json` by platform/http/server.ts. */
export class Problem extends Error {
  readonly code: ProblemCode
  /** Members beside the standard ones, such as `invitationId`; or a `detail` that says more than that of the list. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ProblemCode,
    extra: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(problems[code].title)
    this.name = 'Problem'
    this.code = code
    this.extra = extra
    this.headers = headers
  }

  get status(): number {
    return problems[this.code].status
  }
}

/** A 400 that names what is wrong with each field; of very many the first, so that an answer is no larger than its request. */
export function invalidRequest(faults: readonly Fault[]): Problem {
  const errors = faults.slice(0, 100).map(({ pointer, ...fault }) => ({ pointer: pointer.slice(0, 1000), ...fault }))
  return new Problem('invalid_request', { errors })
}

/**
 * A 400 for a header. Pointers lead into the body and the query, so its fault has none.
 *
 * @param detail  what the header must be
 * @param headers of the answer
 */
export function invalidHeader(detail: string, headers?: Readonly<Record<string, string>>): Problem {
  return new Problem('invalid_request', { detail, errors: [faultOf('', 'invalid_format', detail)] }, headers)
}

/** What the database's refusal of a row means for the caller. */
const byConstraint: Readonly<Record<string, ProblemCode>> = {
  users_email_key: 'email_taken',
  organizations_slug_key: 'slug_taken',
  organizations_keep_an_owner: 'last_owner',
  invitations_pending_key: 'already_invited',
  memberships_user_key: 'already_a_member',
}

/** @returns the problem that an error amounts to; `internal` for one that nobody foresaw */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof UnavailableError) return new Problem('unavailable', {}, { 'retry-after': '1' })
  if (!(error instanceof ConstraintError)) return new Problem('internal')
  // What a row refers to keeps going away while we look: the next request finds it gone.
  if (error.kind === 'foreign_key') return new Problem('unavailable', {}, { 'retry-after': '1' })
  return new Problem(byConstraint[error.constraint] ?? 'internal')
}
