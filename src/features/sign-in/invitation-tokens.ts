/** Tokens of invitations: what a mailed one must be for somebody to sign up by it. */
import { isMailedToken, type MailedToken } from '../../domain/access/tokens.ts'
import { closedAs } from '../../domain/organizations/invitations.ts'
import { isLive, type MadeOffer } from '../../domain/organizations/offers.ts'
import { ApiProblem } from '../../domain/problems.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'

/**
 * Locks the invitation, and checks that the token is an unspent one of it, that it is pending, and that it is to this address. Somebody who
 * holds such a token may learn whether the address has an account.
 *
 * @throws Problem token_spent, invitation_for_another_email, invitation_expired and so on
 */
export async function checkInvitationToken(
  sql: Sql,
  keyring: Keyring,
  token: MailedToken,
  email: string,
): Promise<void> {
  await checkOpen(sql, await lockInvitation(sql, keyring, token, email))
}

/**
 * The same, and refuses an address that has an account.
 *
 * @throws Problem email_taken, and those of `checkInvitationToken`
 */
export async function lockOpenInvitation(
  sql: Sql,
  keyring: Keyring,
  token: MailedToken,
  email: string,
): Promise<LockedInvitation> {
  const invitation = await lockInvitation(sql, keyring, token, email)
  // Asked after the lock was waited for: one statement would see the users as they were before.
  const taken = await sql`select from users where tenant_id = ${sql.tenant} and email = ${email}`
  if (taken.length > 0) throw new ApiProblem('email_taken')
  await checkOpen(sql, invitation)
  return invitation
}

interface LockedInvitation extends MadeOffer {
  readonly organizationId: string
  readonly locale: string | null
  readonly generation: number
  readonly email: string | null
  readonly status: string
  readonly isSpent: boolean
}

/**
 * The key by which it was made is locked before it, as by what ends the key.
 *
 * @throws Problem token_spent, invitation_for_another_email
 */
async function lockInvitation(
  sql: Sql,
  keyring: Keyring,
  token: MailedToken,
  email: string,
): Promise<LockedInvitation> {
  const id = `inv_${token.row}`
  const [, [row]] = await pipeline([
    sql`
      select from api_keys
      where tenant_id = ${sql.tenant} and id = (select key_id from invitations where tenant_id = ${sql.tenant} and id = ${id})
      for share`,
    sql<LockedInvitation>`
      select generation, email, token_spent_at is not null as is_spent, organization_id, locale, role, grants, member_expires_at,
        invited_by as maker_id, key_id,
        case when status = 'pending' and expires_at <= statement_timestamp() then 'expired' else status end as status
      from invitations
      where tenant_id = ${sql.tenant} and id = ${id}
      for no key update`,
  ])
  if (!row || !isMailedToken(keyring, token, 'invitation', { tenant: sql.tenant, id, generation: row.generation })) {
    throw new ApiProblem('token_spent')
  }
  if (row.email !== email) throw new ApiProblem('invitation_for_another_email')
  return row
}

/** @throws Problem token_spent, invitation_expired and so on; invitation_revoked when the inviter has lost the right to it */
async function checkOpen(sql: Sql, invitation: LockedInvitation): Promise<void> {
  const { status, isSpent, organizationId } = invitation
  if (status !== 'pending') throw new ApiProblem(closedAs[status] ?? 'token_spent')
  if (isSpent) throw new ApiProblem('token_spent')
  if (!(await isLive(sql, organizationId, invitation))) throw new ApiProblem('invitation_revoked')
}
