/** Reuse: the end of a grant whose code or older refresh token comes again (ASVS 5.0 V10.4.2, V10.4.5). */
import type { Sql, Statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { OAuthError } from '../../platform/http/oauth-errors.ts'
import { record } from '../record/record.ts'
import { deviceOf } from '../sessions/device.ts'
import { endGrants } from '../sessions/grants.ts'

/** A grant that has just ended, since its code or an older refresh token came again. */
export class ReusedError extends OAuthError {}

/** What came again. */
interface Reused {
  readonly applicationId: string
  readonly what: 'code' | 'refresh_token'
  /** A condition: which of `grants g` it is of. */
  readonly which: Statement
}

/**
 * Ends the grant of a code or a token that came again, and tells the audit log of the person and the application.
 *
 * @returns whether there was one
 */
export async function endReused(
  sql: Sql,
  { ip, userAgent, requestId }: RequestContext,
  { userId, name }: { readonly userId: string; readonly name: string | null },
  { applicationId, what, which }: Reused,
): Promise<boolean> {
  if ((await endGrants(sql, which)) === 0) return false
  await record(sql, { type: 'anonymous', requestId }, 'application.token_reused', {
    target: { type: 'user', userId, name },
    details: { applicationId, what },
    origin: { ip, device: deviceOf(userAgent).name },
  })
  return true
}
