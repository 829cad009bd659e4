/**
 * Codes: what the browser carries from the authorization to the application, which exchanges it for tokens (RFC 6749, 4.1).
 *
 * Invariant: a code is sealed, and stored nowhere. So a GET that answers with one writes nothing. That it makes one grant only is the matter
 * of its hash (granting.ts).
 */
import { type Keyring, randomBytes } from '../../platform/cryptography.ts'
import type { ApplicationScope } from './applications.ts'

/** How long a code lives, in seconds (ASVS 5.0 V10.4.3). */
export const codeLifetime = 60

const prefix = 'ghc_'

/** What a code says. */
export interface Code {
  readonly sessionId: string
  readonly applicationId: string
  readonly redirectUri: string
  /** The S256 challenge of PKCE (RFC 7636). */
  readonly challenge: string
  readonly nonce: string | null
  readonly scopes: readonly ApplicationScope[]
  /** The organization that was named or chosen. */
  readonly organizationId: string | null
  /** RFC 3339, by the database’s clock. */
  readonly expiresAt: string
}

/** @returns a code, each time another one */
export function sealCode(keyring: Keyring, tenant: string, code: Code): string {
  return prefix + keyring.seal('code', JSON.stringify({ ...code, id: randomBytes(16).toString('base64url') }), tenant)
}

/** @returns what a code says, also one that is over; undefined for a text that is none of the tenant’s */
export function openCode(keyring: Keyring, tenant: string, text: string): Code | undefined {
  if (!text.startsWith(prefix)) return undefined
  const opened = keyring.open('code', text.slice(prefix.length), tenant)
  return opened === undefined ? undefined : (JSON.parse(opened) as Code) // sealed above
}
