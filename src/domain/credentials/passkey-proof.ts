/**
 * Proof by a passkey, in two steps: its answer is verified while no connection is held, then challenge and counter are spent in the
 * transaction of what it proves.
 */

import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { openChallenge, spendChallenge } from './challenges.ts'
import { type AssertionCredential, readClientData } from './passkey-credentials.ts'
import type { ProofPurpose } from './passkey-options.ts'
import { getPasskeyTenant, passkeySite } from './passkey-site.ts'
import { verifyAssertion } from './passkey-verification.ts'
import { findPasskey, notePasskeyUse } from './passkeys.ts'

/** A passkey's answer that was verified. */
export interface PasskeyProof {
  readonly challenge: string
  readonly factorId: string
  readonly userId: string
  readonly signCount: number
  /** Whether the passkey has verified its user: then it is both factors. */
  readonly isVerified: boolean
}

/** What the challenge must be bound to. */
export interface ExpectedPasskey {
  readonly purpose: ProofPurpose
  /** Whose passkey it must be; null for a first factor. */
  readonly userId: string | null
  /** The id of the half-done sign-in, if any. */
  readonly attempt: string | null
}

/** A passkey whose counter went back: somebody may have copied it (WebAuthn L3, 6.1.1). */
export interface CopiedPasskey {
  readonly copiedOf: string
  readonly challenge: string
}

/** A passkey whose answer is wrong. */
export interface RefusedPasskey {
  readonly refusedOf: string
}

/**
 * @returns the proof; `unknown` if the tenant has no such passkey, `spent` if the challenge is not ours or too old; the owner of a passkey that
 * was copied, or whose answer is wrong; `refused` if the passkey is unknown and the challenge was for something else
 */
export async function checkPasskey(
  { config, database, keyring }: Pick<RequestContext, 'config' | 'database' | 'keyring'>,
  tenantId: string,
  credential: AssertionCredential,
  { purpose, userId, attempt }: ExpectedPasskey,
): Promise<PasskeyProof | CopiedPasskey | RefusedPasskey | 'unknown' | 'spent' | 'refused'> {
  const challenge = readClientData(credential)?.challenge ?? ''
  const bound = openChallenge(keyring, tenantId, challenge)
  if (!bound) return 'spent'
  const isBound = bound.purpose === purpose && bound.userId === userId && bound.attemptOrSession === attempt
  const { passkey, tenant } = await database.inTenant(tenantId, async (sql) => ({
    passkey: await findPasskey(sql, credential.id),
    tenant: await getPasskeyTenant(sql),
  }))
  const site = passkeySite(config, tenant)
  if (!passkey || (userId !== null && passkey.userId !== userId)) return isBound ? 'unknown' : 'refused'
  if (!site || !isBound) return { refusedOf: passkey.userId }
  const checked = await verifyAssertion({ site, challenge, purpose, userId }, credential, passkey)
  if (checked.outcome === 'lower_counter') return { copiedOf: passkey.userId, challenge }
  if (checked.outcome !== 'verified') return { refusedOf: passkey.userId }
  const { signCount, isVerified } = checked
  return { challenge, factorId: passkey.id, userId: passkey.userId, signCount, isVerified }
}

/** Spends challenge and counter. @returns false if the passkey is gone or was used meanwhile @throws Problem attempt_spent on a replay */
export async function spendPasskey(sql: Sql, { challenge, factorId, signCount }: PasskeyProof): Promise<boolean> {
  await spendChallenge(sql, challenge)
  return notePasskeyUse(sql, factorId, signCount)
}
