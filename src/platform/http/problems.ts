/**
 * Problems: the closed list of all errors that the API returns (RFC 9457).
 *
 * A code names a state. Its sentences are constants, so that neither a library's text nor a value of a request can leak.
 */
import { ConstraintError, UnavailableError } from '../database/errors.ts'
import { type Fault, faultOf } from './faults.ts'
import { productProblems } from './product-problems.ts'
import { type ProblemEntry, requestProblems } from './request-problems.ts'

/** The closed list. */
export const problems = { ...requestProblems, ...productProblems } satisfies Record<string, ProblemEntry>

export type ProblemCode = keyof typeof problems

/** Thrown anywhere while a request is handled. platform/http/errors.ts answers it as `application/problem+json`. */
export class Problem extends Error {
  readonly code: ProblemCode
  /** Extension members (RFC 9457, 3.2) such as `invitationId`, or a more specific `detail`. */
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

/** A 400 with the faults of all fields, at most 100, so that the answer does not become much larger than the request. */
export function invalidRequest(faults: readonly Fault[]): Problem {
  const errors = faults.slice(0, 100).map(({ pointer, ...fault }) => ({ pointer: pointer.slice(0, 1000), ...fault }))
  return new Problem('invalid_request', { errors })
}

/**
 * A 400 for a header. Its fault has an empty pointer, because pointers lead into body and query.
 *
 * @param detail  says what the header must be
 * @param headers of the answer
 */
export function invalidHeader(detail: string, headers?: Readonly<Record<string, string>>): Problem {
  return new Problem('invalid_request', { detail, errors: [faultOf('', 'invalid_format', detail)] }, headers)
}

/** The problem that the violation of a constraint causes, by the constraint's name. */
const byConstraint: Readonly<Record<string, ProblemCode>> = {
  users_email_key: 'email_taken',
  organizations_slug_key: 'slug_taken',
  organizations_keep_an_owner: 'last_owner',
  invitations_pending_key: 'already_invited',
  memberships_user_key: 'already_a_member',
  factors_credential_key: 'passkey_taken',
  spent_challenges_key: 'attempt_spent',
}

/** @returns the problem for an error; `internal` for an unexpected one */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof UnavailableError) return new Problem('unavailable', {}, { 'retry-after': '1' })
  if (!(error instanceof ConstraintError)) return new Problem('internal')
  // A referenced row was deleted concurrently, again and again in all attempts. The next request finds it deleted.
  if (error.kind === 'foreign_key') return new Problem('unavailable', {}, { 'retry-after': '1' })
  return new Problem(byConstraint[error.constraint] ?? 'internal')
}
