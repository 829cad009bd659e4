/**
 * Stripping: an unverified account has only what its maker gave it, and its maker may be a stranger. Whoever proves the mailbox from outside
 * gets the account bare (pre-hijacking, https://arxiv.org/abs/2205.10174).
 */
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { dropFactors } from '../credentials/factors.ts'
import { dropIdentities } from '../credentials/identities.ts'
import { forgetDevices } from '../credentials/known-devices.ts'
import { spendMailedTokens } from '../credentials/mailed-tokens.ts'
import { bareAccount } from '../credentials/passwords.ts'
import { record } from '../record/record.ts'
import { endAttempts } from './attempts.ts'
import { endAllSessions } from './sessions.ts'

/** Takes everything away that its maker gave an unverified account, and marks its address as verified. Its row must be locked. */
export async function stripAccount(
  sql: Sql,
  { requestId }: Pick<RequestContext, 'requestId'>,
  { id, name, email }: { readonly id: string; readonly name: string | null; readonly email: string },
): Promise<void> {
  const endedSessions = await endAllSessions(sql, id)
  await endAttempts(sql, id)
  await dropFactors(sql, id)
  await dropIdentities(sql, id)
  await forgetDevices(sql, id)
  await spendMailedTokens(sql, id)
  await bareAccount(sql, id)
  const target = { type: 'user', userId: id, name } as const
  const actor = { type: 'system', requestId } as const
  await record(sql, actor, 'password.removed', { target, details: { endedSessions } })
  await record(sql, actor, 'email.verified', { target, details: { email } })
}
