/**
 * Mailed codes: six digits that prove a mailbox, each for one half-done sign-in (ASVS 5.0 V6.6.2).
 *
 * Invariant: a code is stored and queued nowhere. It is an HMAC of its attempt, made when the mail is sent or read, and when the code is
 * checked.
 */
import { isEqual, type Keyring } from '../../platform/cryptography.ts'

/** What a code belongs to. A new generation voids the code before. */
export interface CodeRow {
  readonly tenant: string
  readonly attemptId: string
  readonly generation: number
}

/** The code of an attempt, under the newest secret. */
export function makeMailCode(keyring: Keyring, { tenant, attemptId, generation }: CodeRow): string {
  return digitsOf(keyring.hmac('mail-code', tenant, attemptId, String(generation)))
}

/** Whether a code is the one of its attempt, under any of the secrets: a code stays good if the operator adds a secret. */
export function isMailCode(keyring: Keyring, code: string, { tenant, attemptId, generation }: CodeRow): boolean {
  const expected = keyring.hmacs('mail-code', tenant, attemptId, String(generation)).map(digitsOf)
  return expected.filter((each) => isEqual(each, code)).length > 0 // compares with all, so that the time tells nothing
}

function digitsOf(mac: Buffer): string {
  return String(mac.readUIntBE(0, 6) % 1_000_000).padStart(6, '0')
}
