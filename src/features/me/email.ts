/**
 * Email change: how somebody gets another address, and how whoever reads the old one takes that back.
 *
 * Invariants: the address changes only when the link mailed to the new one is opened by the signed-in person; whether the new one is
 * taken is told to its owner alone, by mail, and shows only once the link was opened; a verified address that somebody changed from
 * stays theirs for as long as they may undo it. Each such address has a way back of its own, and taking it takes back what came later.
 */
import { Type } from 'typebox'
import type { Caller } from '../../domain/access/authorization.ts'
import { checkEmailDomain, findTenant, type Tenant } from '../../domain/access/tenancy.ts'
import { readMailedToken } from '../../domain/access/tokens.ts'
import { forgetDevices } from '../../domain/credentials/known-devices.ts'
import {
  type FoundToken,
  lockMailedToken,
  MailedTokenText,
  mailToken,
  spend,
  spendMailedTokens,
} from '../../domain/credentials/mailed-tokens.ts'
import type { Confirmed } from '../../domain/credentials/passwords.ts'
import { keepFormer } from '../../domain/people/addresses.ts'
import { changesBetween } from '../../domain/record/changes.ts'
import { recordEvent } from '../../domain/record/record.ts'
import { actorOf, endAllSessions } from '../../domain/sessions/sessions.ts'
import type { Sql } from '../../platform/database/database.ts'
import { Problem } from '../../platform/http/problems.ts'
import type { App } from '../../platform/http/server.ts'
import { queueMail } from '../../platform/jobs/queue.ts'

export async function emailChangeRoutes(app: App): Promise<void> {
  app.post(
    '/auth/undo-email-change',
    {
      config: { access: 'anyone', problems: ['token_spent', 'tenant_mismatch', 'email_taken'] },
      schema: {
        operationId: 'undoEmailChange',
        summary: 'Undo email change',
        description:
          'With the token mailed to the old address, for 72 hours. The account has that address again; every session ends, and the password is switched off until a reset, whose link is mailed there at once.',
        tags: ['Signing in'],
        body: Type.Object({ token: MailedTokenText }, { additionalProperties: false }),
        response: { 200: Type.Object({}, { description: 'The account has the address again.' }) },
      },
    },
    async (request) => {
      const token = readMailedToken(request.body.token)
      const tenant = await findTenant(request, token.tenant)
      return request.asAnyone(tenant, async (sql) => {
        const userId = `user_${token.row}`
        const [before] = await sql<{
          email: string
          emailVerified: boolean
          name: string | null
          pendingEmail: string | null
        }>`
          select email, email_verified, name, pending_email
          from users
          where tenant_id = ${sql.tenant} and id = ${userId}
          for no key update`
        const proof = before && (await lockMailedToken(sql, app.keyring, token, 'undo_email_change'))
        if (!before || !proof?.isLive) throw new Problem('token_spent')
        await sql`
          update users
          set email = ${proof.email}, email_verified = true, pending_email = null, password_hash = null,
            version = version + 1, updated_at = now()
          where tenant_id = ${sql.tenant} and id = ${userId}`
        if (before.email !== proof.email) await keepFormer(sql, userId, before)
        // What came after it is taken back too; an earlier address keeps its own way back.
        await spend(sql, userId, ['undo_email_change'], proof.generation)
        await spendMailedTokens(sql, userId)
        const endedSessions = await endAllSessions(sql, userId)
        await forgetDevices(sql, userId)
        // The way on comes by itself: whoever took the account may have used up what the address can ask for (mail-rates.ts).
        await mailToken(sql, 'email_change_undone', userId, proof.email)
        const target = { type: 'user', userId, name: before.name } as const
        const { ip, device } = actorOf(request, userId, before.name)
        const anonymous = { type: 'anonymous', requestId: request.id } as const
        await recordEvent(sql, anonymous, 'email.change_undone', {
          target,
          origin: { ip, device },
          details: {
            ...changesBetween(before, { email: proof.email, pendingEmail: null }),
            endedSessions,
          },
        })
        await recordEvent(sql, anonymous, 'password.switched_off', { target, origin: { ip, device } })
        return {}
      })
    },
  )
}

/**
 * Has the link mailed that puts a new address in the place of the present one; the present one is told. The present one itself
 * cancels what is pending.
 *
 * @param caller    as their row is, which is locked
 * @param email     normalised
 * @param confirmed the caller's password, which was proven before the row was locked
 * @param isMailed whether the new address may be sent a mail (domain/limits/mail-rates.ts)
 * @throws Problem email_domain_not_allowed, wrong_password when it was changed since
 */
export async function requestEmailChange(
  sql: Sql,
  caller: Caller,
  email: string,
  { passwordHash }: Confirmed,
  isMailed: boolean,
): Promise<void> {
  const [current] = await sql<{ isProven: boolean; pendingEmail: string | null; allowedEmailDomains: string[] }>`
    select u.password_hash is not distinct from ${passwordHash} as is_proven, u.pending_email, t.allowed_email_domains
    from users u
    join tenants t on t.id = ${sql.tenant}
    where u.tenant_id = ${sql.tenant} and u.id = ${caller.userId}`
  if (!current?.isProven) throw new Problem('wrong_password')
  if (email === caller.email) {
    if (current.pendingEmail === null) return
    await sql`
      update users set pending_email = null, version = version + 1, updated_at = now()
      where tenant_id = ${sql.tenant} and id = ${caller.userId}`
    await spend(sql, caller.userId, ['change_email'])
    await recordEvent(sql, caller, 'email.change_undone', {
      target: caller,
      details: { pendingEmail: { from: current.pendingEmail, to: null } },
    })
    return
  }
  checkEmailDomain(current, email)
  await sql`
    update users set pending_email = ${email}, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${caller.userId}`
  if (isMailed) await mailToken(sql, 'change_email', caller.userId, email)
  await tellOldAddress(sql, caller, 'email_change_requested')
  await recordEvent(sql, caller, 'email.change_requested', {
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
  if (!proof.isLive) throw new Problem('token_spent')
  const changed = await sql`
    update users
    set email = ${email}, email_verified = true, pending_email = null, version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${caller.userId} and pending_email = ${email}
    returning id`
  if (changed.length === 0) throw new Problem('token_spent')
  const [tenant] = await sql<Pick<Tenant, 'allowedEmailDomains'>>`
    select allowed_email_domains from tenants where id = ${sql.tenant}`
  if (tenant) checkEmailDomain(tenant, email) // it may have been narrowed since the change was asked for
  await refuseReserved(sql, email, caller.userId)
  await keepFormer(sql, caller.userId, caller)
  await spendMailedTokens(sql, caller.userId)
  await tellOldAddress(sql, caller, 'email_changed')
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

/** Mails the old address its way back. It must have been proven: else a stranger whose address was mistyped could take the account. */
async function tellOldAddress(
  sql: Sql,
  { userId, email, emailVerified }: Caller,
  kind: 'email_change_requested' | 'email_changed',
): Promise<void> {
  if (emailVerified) await mailToken(sql, kind, userId, email)
}
