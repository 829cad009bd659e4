/**
 * Problems: every error that a caller can meet (RFC 9457), as one closed list.
 *
 * A code is a state, never a sentence; its sentence stands here, so that no library's text and no value of a request leaks.
 */
import { ConstraintError, UnavailableError } from '../database/errors.ts'

/** What a problem says: its status, and its sentence for people. */
interface Entry {
  readonly status: number
  readonly title: string
}

export const problems = {
  invalid_request: { status: 400, title: 'The request does not fit its schema.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  invalid_id: { status: 400, title: 'An id in the path is of another type or form.' },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not one of ours, is not for this list and caller, or is older than a day.',
  },
  tenant_mismatch: {
    status: 400,
    title: 'The tenant named is unknown, or is not the one of the host or the credential.',
  },
  confirmation_mismatch: { status: 400, title: 'The confirmation is not the slug of the organization.' },
  https_required: { status: 400, title: 'Session cookies are set over https only.' },
  ambiguous_credentials: {
    status: 400,
    title: 'A request carries a session cookie or an Authorization header, not both.',
  },
  unauthenticated: { status: 401, title: 'A valid session is needed.' },
  invalid_credentials: { status: 401, title: 'No account has this email address and password.' },
  forbidden: { status: 403, title: 'Your role does not allow this.' },
  role_above_yours: { status: 403, title: 'That role is above your own.' },
  wrong_password: { status: 403, title: 'The password is not yours.' },
  user_suspended: { status: 403, title: 'This account is suspended.' },
  sign_up_closed: { status: 403, title: 'Signing up is not open to everybody here.' },
  email_domain_not_allowed: { status: 403, title: 'Addresses of this domain are not allowed here.' },
  invitation_for_another_email: { status: 403, title: 'The invitation went to another email address.' },
  email_not_verified: { status: 403, title: 'Verify your email address first.' },
  sign_in_required: { status: 403, title: 'Sign in as the person to whom the mail went, then open its link again.' },
  cross_site: { status: 403, title: 'The request comes from another site.' },
  not_found: { status: 404, title: 'There is no such thing, or it is not yours to see.' },
  method_not_allowed: { status: 405, title: 'The path exists, but not with this method.' },
  email_taken: { status: 409, title: 'An account has this email address already.' },
  slug_taken: { status: 409, title: 'An organization has this slug already.' },
  already_a_member: { status: 409, title: 'This person is a member already.' },
  already_invited: { status: 409, title: 'An invitation to this address is pending already.' },
  already_owner: { status: 409, title: 'This person is an owner already.' },
  already_verified: { status: 409, title: 'The email address is verified already.' },
  invitation_not_pending: { status: 409, title: 'The invitation is no longer pending.' },
  last_owner: { status: 409, title: 'An organization keeps at least one owner.' },
  last_admin: { status: 409, title: 'A tenant keeps at least one active admin.' },
  sole_owner: { status: 409, title: 'You are the only owner of organizations in which others are members.' },
  limit_reached: { status: 409, title: 'A limit on how many of these there may be is reached.' },
  invitation_expired: { status: 410, title: 'The invitation has expired.' },
  invitation_revoked: { status: 410, title: 'The invitation was revoked.' },
  invitation_declined: { status: 410, title: 'The invitation was declined.' },
  invitation_used: { status: 410, title: 'The invitation was used already.' },
  token_spent: { status: 410, title: 'The link was used, replaced or has expired.' },
  too_large: { status: 413, title: 'The request is too large.' },
  unsupported_media_type: { status: 415, title: 'Bodies are JSON: application/json.' },
  too_many_attempts: { status: 429, title: 'Too many wrong passwords. Wait before the next attempt.' },
  internal: { status: 500, title: 'Something went wrong on our side.' },
  overloaded: { status: 503, title: 'Too much is waiting. Try again soon.' },
  unavailable: { status: 503, title: 'The service cannot answer right now. Try again soon.' },
} as const satisfies Record<string, Entry>

export type ProblemCode = keyof typeof problems

/** What can be wrong with one field of a request. */
export const faultCodes = [
  'required',
  'unknown_field',
  'wrong_type',
  'too_short',
  'too_long',
  'out_of_range',
  'invalid_format',
  'not_allowed',
  'common_password',
  'contains_identity',
] as const
export type FaultCode = (typeof faultCodes)[number]

/** A fault of one field: `pointer` is a JSON pointer into the body (`/email`), or `?name` for a query parameter. */
export interface Fault {
  readonly pointer: string
  readonly code: FaultCode
  readonly detail: string
}

/** Thrown anywhere on a request's way; answered as `application/problem+json` by http/server.ts. */
export class Problem extends Error {
  readonly code: ProblemCode
  /** Members beside the standard ones, such as `invitationId`. */
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
