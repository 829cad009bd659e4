/**
 * Kinds of credentials. The doors know none of them: each kind tells them by statements whose a credential is.
 */
import type { Statement } from '../../platform/database/database.ts'
import type { TokenHash } from './tokens.ts'

/** How long a sign-in or confirmation counts as fresh, in seconds. */
export const freshness = 600

export interface CredentialKind {
  /** The form of its tokens; no token fits two kinds. */
  readonly pattern: RegExp
  /**
   * Selects `session_id, user_id, device, is_stale, assurance, is_fresh` for a credential of the tenant in `tenants t`; no row if the credential is unknown or has
   * ended. `is_stale`: its last use was noted more than a minute ago. `is_fresh`: its user signed in or confirmed it less than
   * `freshness` ago.
   */
  find(token: TokenHash): Statement
  /** The id of its user, as an expression. Ended credentials may have one: it is for statements whose effect the door throws away. */
  userOf(token: TokenHash): Statement
  /** The id of its session, likewise. */
  sessionOf(token: TokenHash): Statement
}
