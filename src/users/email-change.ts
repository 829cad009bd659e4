/**
 * Email change: how somebody gets another address, and how whoever reads the old one takes that back.
 *
 * Invariants: the address changes only when the link mailed to the new one is opened by the signed-in person; whether the new one is
 * taken is told to its owner alone, by mail, and shows only once the link was opened; a verified address that somebody changed from
 * stays theirs for as long as they may undo it.
 */
import { Type } from 'typebox'
import type { Caller } from '../access/authorization.ts'
import { checkEmailDomain, findTenant } from '../access/tenancy.ts'
import { readMailedToken } from '../access/tokens.ts'
import { recordEvent } from '../audit/audit.ts'
import type { Sql } from '../database/database.ts'
import { Problem } from '../http/problems.ts'
import type { App } from '../http/server.ts'
import { queueMail } from '../jobs/queue.ts'
import { forgetAttempts } from '../sign-in/guessing.ts'
import {
  type FoundToken,
  MailedTokenText,
  mailToken,
  spend,
  spendMailedToken,
  spendMailedTokens,
} from '../sign-in/mailed-tokens.ts'
import type { Confirmed } from '../sign-in/passwords.ts'
import { endAllSessions } from '../sign-in/sessions.ts'

export async function emailChangeRoutes(app: App): Promise<void> {
  app.post(
    '/auth/undo-email-change',
    {
      config: { access: 'anyone', problems: ['token_spent', 'tenant_mismatch', 'email_taken'] },
      schema: {
        operationId: 'undoEmailChange',
        summary: 'Undo email change',
        description:
          'With the token mailed to the old address, for 72 hours. The account has that address again; every session ends, and the password is switched off until a reset.',
        tags: ['Signing in'],
        body: Type.Object({ token: MailedTokenText }, { additionalProperties: false }),
        response: { 200: Type.Object({}) },
      },
    },
    async (request) => {
      const token = readMailedToken(request.body.token)
      const tenant = await findTenant(request, token.tenant)
      return request.asAnyone(tenant, async (sql) => {
        const { userId, email } = await spendMailedToken(sql, app.keyring, token, 'undo_email_change')
        const [before] = await sql<{ email: string; name: string | null }>`
          select email, name from users where tenant_id = ${sql.tenant} and id = ${userId} for no key update`
        if (!before) throw new Problem('token_spent')
        await sql`
          update users
          set email = ${email}, email_verified = true, pending_email = null, password_hash = null,
            version = version + 1, updated_at = now()
          where tenant_id = ${sql.tenant} and id = ${userId}`
        await spendMailedTokens(sql, userId)
        await endAllSessions(sql, userId)
        await forgetAttempts(sql, app.keyring, before.email)
        await queueMail(sql, { kind: 'password_switched_off', userId })
        const target = { type: 'user', userId, name: before.name } as const
        const anonymous = { type: 'anonymous', requestId: request.id } as const
        await recordEvent(sql, anonymous, 'email.change_undone', {
          target,
          details: { email: { from: before.email, to: email } },
        })
        await recordEvent(sql, anonymous, 'password.switched_off', { target })
        return {}
      })
    },
  )
}

/**
 * Has the link mailed that puts a new address in the place of the present one; the present one is told. The present one itself
 * cancels what is pending.
 *
 * @param email     normalised
 * @param confirmed the caller's password, which was proven before the caller's row was locked
 * @throws Problem email_domain_not_allowed, wrong_password when it was changed since
 */
export async function requestEmailChange(
  sql: Sql,
  caller: Caller,
  email: string,
  { passwordHash }: Confirmed,
): Promise<void> {
  const [current] = await sql<{ isProven: boolean; allowedEmailDomains: string[] }>`
    select u.password_hash is not distinct from ${passwordHash} as is_proven, t.allowed_email_domains
    from users u
    join tenants t on t.id = ${sql.tenant}
    where u.tenant_id = ${sql.tenant} and u.id = ${caller.userId}`
  if (!current?.isProven) throw new Problem('wrong_password')
  if (email === caller.email) {
    const cancelled = await sql`
      update users set pending_email = null, updated_at = now()
      where tenant_id = ${sql.tenant} and id = ${caller.userId} and pending_email is not null
      returning id`
    if (cancelled.length > 0) await spend(sql, caller.userId, ['change_email'])
    return
  }
  checkEmailDomain(current, email)
  await sql`
    update users set pending_email = ${email}, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${caller.userId}`
  await mailToken(sql, 'change_email', caller.userId, email)
  if (caller.emailVerified) await tellOldAddress(sql, caller, 'email_change_requested')
  await recordEvent(sql, caller, 'email.change_requested', {
    target: caller,
    details: { email: { from: caller.email, to: email } },
  })
}

/**
 * Puts the pending address in the place of the present one.
 *
 * @param proof the token of the link that was mailed there
 * @returns the address
 * @throws Problem token_spent, email_taken
 */
export async function changeEmail(sql: Sql, caller: Caller, proof: FoundToken): Promise<string> {
  const { email } = proof
  if (!proof.isLive) throw new Problem('token_spent')
  const changed = await sql`
    update users
    set email = ${email}, email_verified = true, pending_email = null, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${caller.userId} and pending_email = ${email}
    returning id`
  if (changed.length === 0) throw new Problem('token_spent')
  await refuseReserved(sql, email, caller.userId)
  await spend(sql, caller.userId, ['change_email', 'verify_email', 'reset_password'])
  if (caller.emailVerified) await tellOldAddress(sql, caller, 'email_changed')
  await queueMail(sql, { kind: 'email_is_new', userId: caller.userId })
  await recordEvent(sql, caller, 'email.changed', {
    target: caller,
    details: { email: { from: caller.email, to: email } },
  })
  return email
}

/**
 * Refuses an address that somebody changed from and may still have back. To be asked after the row with the address was written:
 * whoever changes from it at this moment is waited for by that.
 *
 * @throws Problem email_taken
 */
export async function refuseReserved(sql: Sql, email: string, userId: string): Promise<void> {
  const reserved = await sql`
    select from mailed_tokens
    where tenant_id = ${sql.tenant} and email = ${email} and purpose = 'undo_email_change'
      and spent_at is null and expires_at > now() and user_id <> ${userId}`
  if (reserved.length > 0) throw new Problem('email_taken')
}

/**
 * Mails the old address its way back. It must have been proven: else a stranger whose address was mistyped could take the account.
 * A way back that is still open, from a change before this one, stays: it is the owner's, and this may not be.
 */
async function tellOldAddress(
  sql: Sql,
  { userId, email }: Caller,
  kind: 'email_change_requested' | 'email_changed',
): Promise<void> {
  const open = await sql`
    select from mailed_tokens
    where tenant_id = ${sql.tenant} and user_id = ${userId} and purpose = 'undo_email_change' and email <> ${email}
      and spent_at is null and expires_at > now()`
  if (open.length === 0) await mailToken(sql, kind, userId, email)
}
