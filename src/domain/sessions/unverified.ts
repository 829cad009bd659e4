/**
 * Unverified accounts: each has only what its maker gave it, and its maker may be a stranger. Somebody who proves the mailbox from
 * outside gets the account without any of it (pre-hijacking, https://arxiv.org/abs/2205.10174). What the maker left in organizations and in
 * the tenant is ended beside it (features/sign-in/planted.ts).
 */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import { dropFactors } from '../credentials/factors.ts'
import { dropIdentities } from '../credentials/identities.ts'
import { forgetDevices } from '../credentials/known-devices.ts'
import { spendMailedTokens } from '../credentials/mailed-tokens.ts'
import { bareAccount } from '../credentials/passwords.ts'
import { endOwnKeys } from '../keys/endings.ts'
import { endAttempts } from './attempts.ts'
import { endAllSessions } from './sessions.ts'

/**
 * Takes everything away that its maker gave an unverified account, and marks its address as verified. Its row must be locked.
 *
 * @returns how many sessions have ended
 */
export async function resetUnverified(
  sql: Sql,
  context: { readonly keyring: Keyring },
  actor: Actor,
  { id, email, name }: { readonly id: string; readonly email: string; readonly name: string | null },
): Promise<number> {
  const endedSessions = await endAllSessions(sql, id)
  await endOwnKeys(sql, actor, id, 'reset')
  await endAttempts(sql, context, id, email)
  await dropFactors(sql, id)
  await dropIdentities(sql, id)
  await forgetDevices(sql, id)
  await spendMailedTokens(sql, actor, { target: { type: 'user', userId: id, name } })
  await bareAccount(sql, id)
  return endedSessions
}
