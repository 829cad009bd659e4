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
  const mac = keyring.hmac('mail-code', tenant, attemptId, String(generation))
  return String(mac.readUIntBE(0, 6) % 1_000_000).padStart(6, '0')
}

/** Whether a code is the one of its attempt. */
export function isMailCode(keyring: Keyring, code: string, row: CodeRow): boolean {
  return isEqual(makeMailCode(keyring, row), code)
}
