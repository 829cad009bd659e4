/**
 * Problems: every error that a caller can meet (RFC 9457), as one closed list.
 *
 * A code is a state, never a sentence; its sentence stands here, so that no library's text and no value of a request leaks.
 */
import { ConstraintError, UnavailableError } from '../database/errors.ts'
import { type Fault, faultOf } from './faults.ts'

/** What a problem says: its status, its sentence for people, and what whoever meets it can do. */
interface Entry {
  readonly status: number
  readonly title: string
  readonly detail: string
}

export const problems = {
  invalid_request: {
    status: 400,
    title: 'The request does not fit its schema.',
    detail: '`errors` names every field and query parameter that is wrong, and says what is needed.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON.',
    detail: 'Send one JSON value in UTF-8, without comments or trailing commas, and as long as `Content-Length` says.',
  },
  invalid_id: {
    status: 400,
    title: 'An id in the path is of another type or form.',
    detail:
      'Send ids as they were answered: a type such as `org`, an underscore, and 26 letters and digits. Organizations may be named by their slug too.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor cannot be used here.',
    detail:
      'A cursor is the `nextCursor` of the page before: good for the same caller, list, filters and order, for 24 hours. Begin again without one.',
  },
  tenant_mismatch: {
    status: 400,
    title: 'The tenant named is unknown, or is not the one of the host or the credential.',
    detail:
      'Send the slug of the right tenant as `Guildhall-Tenant`, or leave the header out: a session, a mailed link and a tenant’s own domain already say which tenant it is.',
  },
  confirmation_mismatch: {
    status: 400,
    title: 'The confirmation is not the slug of the organization.',
    detail: 'Nothing was deleted. Send the slug that the organization has now as `confirm`.',
  },
  https_required: {
    status: 400,
    title: 'Session cookies are set over https only.',
    detail:
      'Use https (on the machine itself plain http on a loopback name will do), or leave out `Guildhall-Session` and keep the token that is answered.',
  },
  ambiguous_credentials: {
    status: 400,
    title: 'The request carries two credentials.',
    detail: 'Send the session’s cookie or the header `Authorization`, not both.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid session is needed.',
    detail:
      'Send the token of a session as `Authorization: Bearer …`, or its cookie. Where that was done, the session has ended or expired: sign in again.',
  },
  invalid_credentials: {
    status: 401,
    title: 'No account has this email address and password.',
    detail:
      'Check both, and that it is the right tenant. The answer is the same whether or not there is such an account.',
  },
  forbidden: {
    status: 403,
    title: 'Your role does not allow this.',
    detail:
      'In an organization, somebody with a higher role can do it or change your role. What is under `/api/admin` is for admins of the tenant.',
  },
  role_above_yours: {
    status: 403,
    title: 'The role is above your own.',
    detail:
      'Nobody grants a role above their own, or touches a member or an invitation with one. Ask an owner of the organization.',
  },
  wrong_password: {
    status: 403,
    title: 'This is not your current password.',
    detail:
      'Nothing was changed. Your own password confirms this request; after several wrong ones in a row you have to wait.',
  },
  user_suspended: {
    status: 403,
    title: 'This account is suspended.',
    detail:
      'Nobody can sign in to it, or be made the owner of an organization, until an admin of the tenant makes it active again.',
  },
  sign_up_closed: {
    status: 403,
    title: 'Signing up is not open to everybody here.',
    detail:
      'The tenant takes nobody in, or only people with an invitation. Those sign up with the token of its mail as `invitationToken`.',
  },
  email_domain_not_allowed: {
    status: 403,
    title: 'Addresses of this domain are not allowed here.',
    detail: 'The tenant allows certain domains only. Use an address of one of them.',
  },
  invitation_for_another_email: {
    status: 403,
    title: 'The invitation went to another email address.',
    detail: 'Sign in or sign up with the address that was invited, or ask for an invitation to yours.',
  },
  email_not_verified: {
    status: 403,
    title: 'Your email address is not verified.',
    detail:
      'Open the link that was mailed to it, then try again. `POST /api/auth/verify-email/resend` sends a new one.',
  },
  sign_in_required: {
    status: 403,
    title: 'The link works for the person to whom it was mailed.',
    detail: 'Sign in to the account with that address, then open the link again.',
  },
  cross_site: {
    status: 403,
    title: 'The request comes from another site.',
    detail:
      'With the session’s cookie, or to get one, a browser has to send the request from a page of this service’s own origin or of a tenant’s domain. Other programs send the token as `Authorization`.',
  },
  not_found: {
    status: 404,
    title: 'There is no such thing, or it is not yours to see.',
    detail:
      'Check the path, and the ids in it. What belongs to another tenant, or to an organization that you are not in, is answered like what does not exist.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path exists, but not with this method.',
    detail: 'The header `Allow` of the answer lists the methods that it has.',
  },
  email_taken: {
    status: 409,
    title: 'An account has this email address already.',
    detail: 'An address belongs to one account of a tenant. Sign in to that one, or use another address.',
  },
  slug_taken: {
    status: 409,
    title: 'An organization has this slug already.',
    detail: 'Choose another one. A new organization that names none gets a free one, made from its name.',
  },
  already_a_member: {
    status: 409,
    title: 'This person is a member already.',
    detail:
      'There is nothing to invite them to. Their role can be changed at `PATCH /api/organizations/{orgId}/members/{memberId}`.',
  },
  already_invited: {
    status: 409,
    title: 'An invitation to this address is pending already.',
    detail: '`invitationId` names it. Send it again, or revoke it and then invite anew.',
  },
  already_owner: {
    status: 409,
    title: 'This person is an owner already.',
    detail: 'There is nothing to transfer to them. To step down, change your own role or leave.',
  },
  already_verified: {
    status: 409,
    title: 'The email address is verified already.',
    detail: 'There is nothing left to do.',
  },
  invitation_not_pending: {
    status: 409,
    title: 'The invitation is no longer pending.',
    detail:
      'Its `status` says what became of it. Only a pending invitation can be revoked, and only a pending or expired one sent again; else invite anew.',
  },
  last_owner: {
    status: 409,
    title: 'An organization keeps at least one owner.',
    detail: 'Make another member an owner first, or delete the organization.',
  },
  last_admin: {
    status: 409,
    title: 'A tenant keeps at least one active admin.',
    detail: 'Give another user the role `admin` first; the operator can make one with `guildhall admin create`.',
  },
  sole_owner: {
    status: 409,
    title: 'The account is the only owner of organizations in which others are members.',
    detail:
      '`organizations` lists them. Make somebody else an owner of each, or delete it; then the account can be deleted.',
  },
  limit_reached: {
    status: 409,
    title: 'There are as many organizations or invitations as there may be.',
    detail:
      'A person who owns as many organizations as `MAX_ORGANIZATIONS` says creates no more, and an organization has at most as many pending invitations as `MAX_PENDING_INVITES` says. Delete or revoke one first, or ask the operator for more.',
  },
  request_in_progress: {
    status: 409,
    title: 'A request with this idempotency key is still under way.',
    detail: 'Send the same request again after as many seconds as `Retry-After` says, and get the answer of the first.',
  },
  invitation_expired: {
    status: 410,
    title: 'The invitation has expired.',
    detail: 'Ask an admin of the organization to send it again.',
  },
  invitation_revoked: {
    status: 410,
    title: 'The invitation was revoked.',
    detail:
      'An admin took it back, or its inviter may no longer invite. Ask an admin of the organization for a new one.',
  },
  invitation_declined: {
    status: 410,
    title: 'The invitation was declined.',
    detail: 'Ask an admin of the organization for a new one.',
  },
  invitation_used: {
    status: 410,
    title: 'The invitation was used already.',
    detail:
      'An invitation makes one membership. If that has ended, ask an admin of the organization for a new invitation.',
  },
  token_spent: {
    status: 410,
    title: 'The link was used, replaced or has expired.',
    detail:
      'A link works once, for a limited time, and until a newer one takes its place. Use the newest, or ask for a new one.',
  },
  version_mismatch: {
    status: 412,
    title: 'It was changed since.',
    detail:
      'Nothing was done. The header `ETag` has the present version: read it again, and send your change with that one as `If-Match`.',
  },
  too_large: {
    status: 413,
    title: 'The request is too large.',
    detail: 'A body may have 64 KiB, and the line of the request with all headers 16 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not sent as JSON.',
    detail: 'Send it in UTF-8 with `Content-Type: application/json`, and not compressed.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for another body.',
    detail: 'Nothing was done. A key belongs to one request: use a new one, or send what you sent before.',
  },
  rate_limited: {
    status: 429,
    title: 'This was done too often.',
    detail:
      '`policy` names the limit, and `RateLimit-Policy` says what it is. Wait for as many seconds as `Retry-After` says.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many wrong passwords. Wait before the next attempt.',
    detail:
      'This one was not looked at. Wait for as many seconds as `Retry-After` says; the time doubles with each further wrong one.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side.',
    detail:
      'Try again later. If it happens again, tell the operator the `requestId`: the log of the service says more under it.',
  },
  overloaded: {
    status: 503,
    title: 'Too many passwords are being checked. Try again soon.',
    detail: 'Try again after as many seconds as `Retry-After` says.',
  },
  unavailable: {
    status: 503,
    title: 'The service cannot answer right now. Try again soon.',
    detail:
      'Its database is out of reach or busy, or it is about to stop. Try again after as many seconds as `Retry-After` says.',
  },
} as const satisfies Record<string, Entry>

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

/** A 400 for a header. Pointers lead into the body and the query, so its fault has none. @param detail what the header must be */
export function invalidHeader(detail: string): Problem {
  return new Problem('invalid_request', { detail, errors: [faultOf('', 'invalid_format', detail)] })
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
