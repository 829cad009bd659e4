/**
 * Email change: how somebody gets another address.
 *
 * Invariants: the address changes only when the signed-in person opens the link that was mailed to the new address. If the new address
 * is taken, only its owner learns it, by mail; the caller learns it after opening the link. A verified address that somebody changed
 * from stays reserved for them until their undo link expires (features/sign-in/email-change-undo.ts).
 */
import type { Sql } from '../../platform/database/database.ts'
import type { Caller } from '../access/actors.ts'
import { checkEmailDomain, type Tenant } from '../access/tenancy.ts'
import { type Confirmed, checkConfirmed } from '../credentials/confirmation.ts'
import {
  cancelEmailChange,
  type FoundToken,
  mailToken,
  spend,
  spendMailedTokens,
} from '../credentials/mailed-tokens.ts'
import { queueMail } from '../mail/queue.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import { refreshUser, sameWords } from '../search/writing.ts'
import { forgetUnproven, keepFormer } from './addresses.ts'

/**
 * Mails the link that replaces the present address with a new one, and a notice to the present one. A request for the present address
 * cancels the pending one.
 *
 * @param caller    as their row is, which is locked
 * @param email     normalised
 * @param confirmed the caller's proof, from before the row was locked
 * @param isMailed whether the new address may be sent a mail (domain/limits/mail-rates.ts)
 * @throws Problem email_domain_not_allowed; wrong_password when it was changed since, confirmation_required
 */
export async function requestEmailChange(
  sql: Sql,
  caller: Caller,
  email: string,
  confirmed: Confirmed,
  isMailed: boolean,
): Promise<void> {
  await checkConfirmed(sql, caller, confirmed)
  if (email === caller.email) {
    await spend(sql, caller.userId, ['change_email'])
    return cancelEmailChange(sql, caller, { target: caller })
  }
  await checkDomain(sql, email)
  await sql`
    update users set pending_email = ${email}, ${sameWords}, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${caller.userId}`
  if (isMailed) await mailToken(sql, 'change_email', caller.userId, email)
  await tellOldAddress(sql, caller, 'email_change_requested')
  await record(sql, caller, 'email.change_requested', {
    target: caller,
    details: { email: { from: caller.email, to: email } },
  })
}

/**
 * Puts the pending address in the place of the present one.
 *
 * @param caller as their row is, which is locked
 * @param proof  the token of the link that was mailed there
 * @returns the address
 * @throws Problem token_spent, email_taken, email_domain_not_allowed
 */
export async function changeEmail(sql: Sql, caller: Caller, proof: FoundToken): Promise<string> {
  const { email } = proof
  if (!proof.isUsable) throw new ApiProblem('token_spent')
  const changed = await sql`
    update users
    set email = ${email}, email_verified = true, pending_email = null, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${caller.userId} and pending_email = ${email}
    returning id`
  if (changed.length === 0) throw new ApiProblem('token_spent')
  await refreshUser(sql, caller.userId)
  await checkDomain(sql, email) // the list may have been narrowed since the change was asked for
  await refuseReserved(sql, email, caller.userId)
  await keepFormer(sql, caller.userId, caller)
  if (!caller.emailVerified) await forgetUnproven(sql, caller.userId, caller.email)
  await spendMailedTokens(sql, caller, { target: caller })
  await tellOldAddress(sql, caller, 'email_changed')
  await queueMail(sql, { kind: 'email_is_new', userId: caller.userId })
  await record(sql, caller, 'email.changed', {
    target: caller,
    details: { email: { from: caller.emailVerified ? caller.email : null, to: email } },
  })
  return email
}

/** @throws Problem email_domain_not_allowed */
async function checkDomain(sql: Sql, email: string): Promise<void> {
  const [tenant] = await sql<Pick<Tenant, 'allowedEmailDomains'>>`
    select allowed_email_domains from tenants where id = ${sql.tenant}`
  if (tenant) checkEmailDomain(tenant, email)
}

/**
 * Refuses an address that somebody changed from and may still have back. Call it after the row with the address was written: that write
 * waits for everybody who changes from the address at this moment.
 *
 * @throws Problem email_taken
 */
export async function refuseReserved(sql: Sql, email: string, userId: string): Promise<void> {
  const reserved = await sql`
    select from mailed_tokens
    where tenant_id = ${sql.tenant} and email = ${email} and purpose = 'undo_email_change'
      and spent_at is null and expires_at > now() and user_id <> ${userId}`
  if (reserved.length > 0) throw new ApiProblem('email_taken')
}

/** Mails the old address its way back. It must have been proven: else a stranger whose address was mistyped could take the account. */
async function tellOldAddress(
  sql: Sql,
  { userId, email, emailVerified }: Caller,
  kind: 'email_change_requested' | 'email_changed',
): Promise<void> {
  if (emailVerified) await mailToken(sql, kind, userId, email)
}

/** Marks a user's address as verified. @returns whether it was unverified before */
export async function verifyEmail(sql: Sql, userId: string): Promise<boolean> {
  const verified = await sql`
    update users set email_verified = true, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${userId} and not email_verified
    returning id`
  return verified.length > 0
}

/** Gives an account the address back that an undo link proves, and switches the password off. */
export async function restoreEmail(sql: Sql, userId: string, email: string): Promise<void> {
  await sql`
    update users
    set email = ${email}, email_verified = true, password_hash = null, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${userId}`
  await refreshUser(sql, userId)
}
