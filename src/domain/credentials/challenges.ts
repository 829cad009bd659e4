/**
 * WebAuthn challenges. The service stores none that it makes, so opening a sign-in page writes nothing.
 *
 * A challenge is sealed: it names its purpose, its person, its attempt or session, and its end. Invariant: a challenge is good once. What
 * it proves spends it, in the same transaction.
 */
import { type Keyring, randomSecret, sha256 } from '../../platform/cryptography.ts'
import type { Purge, Sql } from '../../platform/database/database.ts'

/** How long a challenge is valid, in seconds. */
export const challengeLifetime = 600

/** For what a passkey answers a challenge. */
export type ChallengePurpose = 'sign_in' | 'second_factor' | 'confirm' | 'link' | 'register'

/** What a challenge is bound to. */
export interface ChallengeContent {
  readonly purpose: ChallengePurpose
  /** Null for a first factor: nobody has said yet who they are. */
  readonly userId: string | null
  /** The id of the half-done sign-in or of the session that asked for it, if any. */
  readonly attemptOrSession: string | null
}

export interface Challenge {
  /** As base64url, as WebAuthn's JSON has it. */
  readonly challenge: string
  readonly expiresAt: string
}

type Sealed = ChallengeContent & { readonly nonce: string; readonly expires: number }

/** @returns a new challenge; nothing is stored */
export function makeChallenge(keyring: Keyring, tenantId: string, content: ChallengeContent): Challenge {
  const { purpose, userId, attemptOrSession } = content
  const expires = Date.now() + challengeLifetime * 1000
  const sealed: Sealed = { nonce: randomSecret('challenge'), purpose, userId, attemptOrSession, expires }
  return {
    challenge: keyring.seal('challenge', JSON.stringify(sealed), tenantId),
    expiresAt: new Date(expires).toISOString(),
  }
}

/** @returns what the challenge is bound to; undefined if it is not ours, of another tenant, or expired. It may be spent already */
export function openChallenge(keyring: Keyring, tenantId: string, challenge: string): ChallengeContent | undefined {
  const text = keyring.open('challenge', challenge, tenantId)
  if (text === undefined) return undefined
  const { purpose, userId, attemptOrSession, expires } = JSON.parse(text) as Sealed // sealed by us
  return expires < Date.now() ? undefined : { purpose, userId, attemptOrSession }
}

/**
 * Spends a challenge, or the seed of a set-up, in the transaction of what it proves. If that rolls back, the challenge is not spent.
 *
 * @param challenge one that was opened
 * @throws ConstraintError that is answered as the Problem attempt_spent, if it was spent before
 */
export async function spendChallenge(sql: Sql, challenge: string): Promise<void> {
  await sql`
    insert into spent_challenges (tenant_id, hash, expires_at)
    values (${sql.tenant}, ${sha256(challenge)}, now() + make_interval(secs => ${challengeLifetime}))`
}

/** Deletes spent challenges an hour after their end, so that clocks that differ do not bring one back. */
export const purgeChallenges: Purge = (sql, batch) => sql`
  with over as (
    select hash from spent_challenges
    where tenant_id = ${sql.tenant} and expires_at < now() - interval '1 hour'
    limit ${batch}
    for update skip locked)
  delete from spent_challenges s
  using over
  where s.tenant_id = ${sql.tenant} and s.hash = over.hash
  returning s.hash`
