/**
 * The closed list of all errors that the API returns (RFC 9457): those of any request, and those of this product.
 *
 * A code names a state. Its sentences are constants, so that neither a library's text nor a value of a request can leak.
 */
import { Problem } from '../platform/http/problems.ts'
import { type ProblemEntry, requestProblems } from '../platform/http/request-problems.ts'
import { membershipProblems } from './membership-problems.ts'
import { signInProblems } from './sign-in-problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The problems that this route may answer, beside those that follow from its access and its schema. */
    problems?: readonly ProblemCode[]
  }
}

export type ProblemCode = keyof typeof problems

/** A problem of the list. It is thrown anywhere while a request is handled. */
export class ApiProblem extends Problem {
  /**
   * @param extra   extension members (RFC 9457, 3.2) such as `invitationId`, or a more specific `detail`
   * @param headers of the answer
   */
  constructor(
    code: ProblemCode,
    extra?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ) {
    super(code, problems[code], extra, headers)
  }
}

/** @returns the row @throws Problem not_found if there is none */
export function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ApiProblem('not_found')
  return row
}

/** @returns the problem that the violation of a constraint causes, by the constraint's name; undefined: it is a fault of the service */
export function problemOfConstraint(name: string): ApiProblem | undefined {
  const code = byConstraint[name]
  return code && new ApiProblem(code)
}

const byConstraint: Readonly<Record<string, ProblemCode>> = {
  users_email_key: 'email_taken',
  organizations_slug_key: 'slug_taken',
  organizations_keep_an_owner: 'last_owner',
  invitations_pending_key: 'already_invited',
  memberships_user_key: 'already_a_member',
  memberships_owner_stays: 'owner_cannot_end',
  external_users_pkey: 'external_id_taken',
  external_organizations_pkey: 'external_id_taken',
  links_uses_check: 'link_ended',
  factors_credential_key: 'passkey_taken',
  identities_subject_key: 'identity_taken',
  spent_challenges_key: 'attempt_spent',
}

export const problems = {
  ...requestProblems,
  ...signInProblems,
  ...membershipProblems,

  tenant_mismatch: {
    status: 400,
    title: 'The named tenant does not exist, or is not the tenant of the host or the credential.',
    detail:
      'Send the slug of the right tenant as `Guildhall-Tenant`, or leave the header out: a session, a mailed link and a tenant’s own domain each name their tenant.',
  },
  confirmation_mismatch: {
    status: 400,
    title: 'The confirmation is wrong.',
    detail:
      'Nothing was deleted. Send as `confirm` the organization’s current slug, the provider’s or the application’s name, or your own email address.',
  },
  invalid_credentials: {
    status: 401,
    title: 'The email address or the password is wrong.',
    detail: 'Check both, and check the tenant. The answer is the same whether or not the account exists.',
  },
  forbidden: {
    status: 403,
    title: 'You do not have permission to do this.',
    detail:
      'In an organization, ask somebody who has the permission to do it, or to give you a role that includes it. Paths under `/api/admin` are for admins of the tenant.',
  },
  role_above_yours: {
    status: 403,
    title: 'You cannot give or take away what you do not have.',
    detail:
      'You cannot give what you do not have, or for longer than you have it, and you cannot change a member who has more than you. `missing` names the permissions that you lack, `until` the latest end that you can give.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The credential does not have the scope for this.',
    detail:
      'Make a key that has `scope`, and send it; an application asks for `scope` in its next authorization. If it is null, no key and no access token may do this: use a session, or send the person to the page where people do it. A key never gets more scopes than it was made with, and a session has none.',
  },
  wrong_password: {
    status: 403,
    title: 'The current password is wrong.',
    detail:
      'Nothing was changed. Confirm this request with your own password. After several wrong ones you have to wait.',
  },
  user_suspended: {
    status: 403,
    title: 'The account is suspended.',
    detail:
      'Until an admin of the tenant reactivates it, nobody can sign in to it, and it cannot become the owner of an organization.',
  },
  sign_up_closed: {
    status: 403,
    title: 'Sign-up is closed.',
    detail:
      'This tenant accepts no new accounts, or only those of invited people. If you have an invitation, send the token from its mail as `invitationToken`.',
  },
  email_domain_not_allowed: {
    status: 403,
    title: 'The domain of this email address is not allowed.',
    detail: 'The tenant allows certain domains only. Use an address of one of them.',
  },
  invitation_for_another_email: {
    status: 403,
    title: 'The invitation is for another email address.',
    detail: 'Sign in or sign up with the invited address, or ask for an invitation to your address.',
  },
  email_not_verified: {
    status: 403,
    title: 'Your email address is not verified.',
    detail:
      'Open the link in the verification mail, then try again. `POST /api/auth/verify-email/resend` sends a new one.',
  },
  sign_in_required: {
    status: 403,
    title: 'Sign in first.',
    detail:
      'A mailed link needs a session of the account that it was mailed to. If nothing can confirm that it is you, sign in again.',
  },
  email_taken: {
    status: 409,
    title: 'An account already has this email address.',
    detail: 'In a tenant, an address belongs to one account. Sign in to that account, or use another address.',
  },
  slug_taken: {
    status: 409,
    title: 'An organization already has this slug.',
    detail:
      'Choose another slug. Words like `new` and `settings` belong to pages, so no organization gets them. If you create an organization without a slug, it gets a free one made from its name.',
  },
  already_a_member: {
    status: 409,
    title: 'This person is already a member.',
    detail: 'To change their role, use `PATCH /api/organizations/{orgId}/members/{memberId}`.',
  },
  already_invited: {
    status: 409,
    title: 'This address already has a pending invitation.',
    detail: '`invitationId` names it. Resend it, or revoke it and invite again.',
  },
  already_owner: {
    status: 409,
    title: 'This person is already an owner.',
    detail: 'There is nothing to transfer. To step down, change your own role or leave.',
  },
  already_verified: {
    status: 409,
    title: 'The email address is already verified.',
    detail: 'There is nothing left to do.',
  },
  invitation_not_pending: {
    status: 409,
    title: 'The invitation is no longer pending.',
    detail:
      'Its `status` tells why. Only a pending invitation can be revoked, and only a pending or expired one can be resent. Otherwise invite again.',
  },
  last_owner: {
    status: 409,
    title: 'An organization must keep at least one owner.',
    detail: 'First make another member an owner, or delete the organization.',
  },
  last_admin: {
    status: 409,
    title: 'A tenant must keep at least one active admin.',
    detail: 'First give another user the role `admin`. The operator can add one with `guildhall admin create`.',
  },
  sole_owner: {
    status: 409,
    title: 'The account is the only owner of an organization that has other members.',
    detail: 'For each of the `organizations`, make another member an owner or delete it. Then delete the account.',
  },
  limit_reached: {
    status: 409,
    title: 'Limit reached.',
    detail:
      'The operator limits how many organizations a person owns (`MAX_ORGANIZATIONS`) and how many pending invitations an organization has (`MAX_PENDING_INVITES`). A user has at most 20 factors, 10 linked accounts and 20 live keys, an organization at most 20 live links, 50 live keys and 5 webhooks, a tenant at most 20 sign-in providers, 50 live keys, 50 applications and 20 webhooks. Delete or revoke one first.',
  },
  key_ended: {
    status: 409,
    title: 'The key has ended.',
    detail: 'Its `endedBecause` tells why. A key that has ended stays ended: make another one.',
  },
  no_secret: {
    status: 409,
    title: 'The application has no secret.',
    detail: 'Only an application of the kind `server` has one. Others prove themselves by PKCE alone.',
  },
  invitation_expired: {
    status: 410,
    title: 'The invitation has expired.',
    detail: 'Ask an admin of the organization to resend it.',
  },
  invitation_revoked: {
    status: 410,
    title: 'The invitation was revoked.',
    detail:
      'An admin revoked it, or its inviter lost the right to invite. Ask an admin of the organization for a new invitation.',
  },
  invitation_declined: {
    status: 410,
    title: 'The invitation was declined.',
    detail: 'Ask an admin of the organization for a new invitation.',
  },
  invitation_used: {
    status: 410,
    title: 'The invitation was already used.',
    detail:
      'An invitation creates one membership. If that membership has ended, ask an admin of the organization for a new invitation.',
  },
  token_spent: {
    status: 410,
    title: 'The link has expired or was already used.',
    detail:
      'A link works once and for a limited time, and a newer link replaces it. Open the newest one, or request another.',
  },
  webhook_disabled: {
    status: 409,
    title: 'The webhook is disabled.',
    detail: 'Set its `status` to `active` first, then send again.',
  },
  events_expired: {
    status: 410,
    title: 'Events after this place were removed because of their age.',
    detail:
      'What is left would have a gap. Ask with `after=latest`, read your lists again, then follow from there. Or send `earliest` as `after`, and continue without the removed events.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many wrong passwords or codes. Wait before you try again.',
    detail:
      'This attempt was not checked. Try again after the seconds in `Retry-After`. Each further wrong attempt doubles the wait.',
  },
  overloaded: {
    status: 503,
    title: 'Too many passwords, pictures or exports are being worked on. Try again soon.',
    detail: 'Try again after the seconds in `Retry-After`.',
  },
} as const satisfies Record<string, ProblemEntry>
