/** The problems of signing in, of factors and of providers. */
import type { ProblemEntry } from '../platform/http/request-problems.ts'

export const signInProblems = {
  unknown_passkey: {
    status: 401,
    title: 'The passkey is unknown.',
    detail: 'It was removed, or belongs to another tenant. Sign in another way, then add a passkey again.',
  },
  sign_in_incomplete: {
    status: 403,
    title: 'The sign-in needs another step.',
    detail: 'Send one of the `methods` of the `attempt` to `POST /api/auth/sign-in/continue`.',
  },
  confirmation_required: {
    status: 403,
    title: 'Confirm that it is you.',
    detail:
      'This needs a session that was signed in or confirmed within the last `maxAge` seconds. Use `POST /api/auth/confirm`, then repeat the request.',
  },
  second_factor_required: {
    status: 403,
    title: 'A second factor is required.',
    detail:
      'If `methods` is empty, add a factor first. Otherwise use `POST /api/auth/confirm` with `secondFactor`, then repeat the request.',
  },
  wrong_proof: {
    status: 403,
    title: 'The proof is wrong.',
    detail: 'The attempt can still be used. After several wrong proofs it ends.',
  },
  sign_in_method_off: {
    status: 403,
    title: 'The tenant does not allow this way to sign in.',
    detail: 'Choose another one of those that `GET /api/tenant` lists in `signIn`.',
  },
  provider_refused: {
    status: 403,
    title: 'The provider did not sign you in.',
    detail: 'You may have cancelled, or the answer was invalid. Start again.',
  },
  provider_without_email: {
    status: 403,
    title: 'The provider did not share an email address.',
    detail: 'An account needs one. Add an address at the provider, or sign up another way.',
  },
  authorization_incomplete: {
    status: 403,
    title: 'The sign-in to the application needs another step.',
    detail: 'Take the person through `step`, then send the request again.',
  },
  last_way_in: {
    status: 409,
    title: 'This is the last way to sign in.',
    detail: 'First add a password, a passkey or a linked account.',
  },
  no_factor: {
    status: 409,
    title: 'The account does not have the second factor that this requires.',
    detail:
      'First add one with `POST /api/users/me/factors`. Recovery codes need an app, or a key that cannot sign in alone.',
  },
  passkey_taken: {
    status: 409,
    title: 'The passkey was already added.',
    detail: 'Each passkey belongs to one account.',
  },
  identity_taken: {
    status: 409,
    title: 'The account at the provider is linked to another user.',
    detail: 'Sign in as that user and unlink it first.',
  },
  second_factor_in_use: {
    status: 409,
    title: 'A second factor is required, and this is the last one.',
    detail: 'First add another factor, or ask an admin or owner to make the second factor optional.',
  },
  request_expired: {
    status: 410,
    title: 'The request of the application has expired.',
    detail:
      'It is older than an hour, or the application has changed meanwhile. Start again at the application: `startUrl`, if it has one.',
  },
  attempt_spent: {
    status: 410,
    title: 'The sign-in has ended.',
    detail: 'It expired, was completed, had too many wrong proofs, or the account has changed. Start again.',
  },
  provider_unavailable: {
    status: 502,
    title: 'The provider cannot be reached.',
    detail: 'Try again later, or sign in another way.',
  },
} as const satisfies Record<string, ProblemEntry>
