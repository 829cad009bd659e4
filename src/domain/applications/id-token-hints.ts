/** Hints: ID tokens that an application sends back to say of whom it speaks (`id_token_hint`). They prove nothing about the sender. */
import { compactVerify, createLocalJWKSet } from 'jose'
import type { PublicKey } from '../signing-keys/signing-keys.ts'

/** What a hint says. */
export interface Hint {
  /** The id of the user. */
  readonly subject: string
  /** The id of the session. */
  readonly sessionId: string
  readonly applicationId: string
}

/**
 * @param keys of the tenant
 * @returns undefined unless the tenant has signed it, as an ID token; it may have expired (OpenID Connect RP-Initiated Logout 1.0, 2)
 */
export async function readHint(token: string, issuer: string, keys: readonly PublicKey[]): Promise<Hint | undefined> {
  const set = createLocalJWKSet({ keys: keys.map(({ id: kid, publicKey }) => ({ ...publicKey, alg: 'RS256', kid })) })
  const verified = await compactVerify(token, set, { algorithms: ['RS256'] }).catch(() => undefined)
  // Other tokens of the tenant have the same keys and other types (RFC 8725, 3.11).
  if (verified?.protectedHeader.typ !== 'JWT') return undefined
  const { iss, sub, sid, aud } = JSON.parse(new TextDecoder().decode(verified.payload)) as Record<string, unknown> // we have signed it
  if (iss !== issuer || typeof sub !== 'string' || typeof sid !== 'string' || typeof aud !== 'string') return undefined
  return { subject: sub, sessionId: sid, applicationId: aud }
}
