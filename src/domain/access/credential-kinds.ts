/**
 * Kinds of credentials: a session, a key, the access token of an application. Each gives the doors the statement that finds its caller.
 */
import type { Statement } from '../../platform/database/database.ts'
import type { TokenHash } from './tokens.ts'

/** How long a sign-in or confirmation counts as fresh, in seconds. */
export const freshness = 600

export interface CredentialKind {
  readonly name: 'session' | 'key' | 'application'
  /** The form of its tokens; no token fits two kinds. */
  readonly pattern: RegExp
  /** @param token of this form @returns undefined if its text alone tells that it is none */
  read(token: string): TokenHash | undefined
  /**
   * Selects `session_id, user_id, device, is_stale, assurance, is_fresh` for a credential of the tenant in `tenants t`; no row if the
   * credential is unknown or has ended. `is_stale`: its last use was noted more than a minute ago. `is_fresh`: its user signed in or
   * confirmed it less than `freshness` ago. A key also has `key_id, owner_type, key_organization_id, scopes, key_expires_at`, and no
   * `user_id` unless it is a person’s; a token of an application also has `grant_id, application_id, application_name,
   * token_end, scopes`. To show it, a key has `key_name, key_end`, and others have `session_expires_at`; a door does not select these.
   */
  find(token: TokenHash): Statement
  /** The id of its user, as an expression. Ended credentials may have one: it is for statements whose effect the door throws away. */
  userOf(token: TokenHash): Statement
  /** The id of its session, likewise. */
  sessionOf(token: TokenHash): Statement
  /** The id under which its answers are kept: `answersOf` (actors.ts) of its caller, as an expression. */
  callerOf(token: TokenHash): Statement
}
