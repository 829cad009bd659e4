/**
 * Email verification: proves that a person reads the mail of their address.
 *
 * Invariant: a link verifies only for the signed-in person it was made for, so that nobody's click verifies an account that a
 * stranger made with their address.
 */
import { Type } from 'typebox'
import type { Caller } from '../access/authorization.ts'
import { findTenant } from '../access/tenancy.ts'
import { isMailedToken, type MailedToken, mailedTokenPattern, readMailedToken } from '../access/tokens.ts'
import { recordEvent } from '../audit/audit.ts'
import type { Keyring } from '../cryptography.ts'
import type { Sql } from '../database/database.ts'
import { Problem } from '../http/problems.ts'
import type { App } from '../http/server.ts'
import { addJob } from '../jobs/queue.ts'

/** A token out of a mailed link. */
export const MailedTokenText = Type.String({
  pattern: mailedTokenPattern,
  minLength: 101,
  maxLength: 101,
  description: 'The part of the mailed link after `#token=`: `ghm_` and 97 more characters.',
  examples: [`ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(42)}0`],
})

export async function emailVerificationRoutes(app: App): Promise<void> {
  app.post(
    '/auth/verify-email',
    {
      config: {
        access: 'anyone',
        problems: ['unauthenticated', 'sign_in_required', 'token_spent', 'tenant_mismatch', 'cross_site'],
      },
      schema: {
        operationId: 'verifyEmail',
        summary: 'Verify email',
        description:
          'Needs a session of the person to whom the mail went. An invitation’s token verifies its address too.',
        tags: ['Signing in'],
        security: [{ session: [] }, { cookie: [] }],
        body: Type.Object({ token: MailedTokenText }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              email: Type.String({ maxLength: 254, examples: ['ann@example.com'] }),
              emailVerified: Type.Boolean(),
            },
            { description: 'The address that is verified.' },
          ),
        },
      },
    },
    async (request) => {
      const token = readMailedToken(request.body.token)
      await findTenant(request, token.tenant)
      if (request.credential?.tenant !== token.tenant) throw new Problem('sign_in_required')

      return request.asUser(async (sql, caller) => {
        if (!(await spendVerification(sql, app.keyring, caller, token)))
          await spendInvitationToken(sql, app.keyring, caller.email, token)
        const verified = await sql`
          update users set email_verified = true, updated_at = now()
          where tenant_id = ${sql.tenant} and id = ${caller.userId} and not email_verified
          returning id`
        if (verified.length > 0)
          await recordEvent(sql, caller, 'email.verified', { target: caller, details: { email: caller.email } })
        return { email: caller.email, emailVerified: true }
      })
    },
  )

  app.post(
    '/auth/verify-email/resend',
    {
      config: { access: 'user', problems: ['already_verified'] },
      schema: {
        operationId: 'resendVerification',
        summary: 'Send verification again',
        description: 'The links sent before stop working.',
        tags: ['Signing in'],
        response: { 202: Type.Object({}, { description: 'A mail goes out.' }) },
      },
    },
    async (request, reply) => {
      await request.asUser(async (sql, caller) => {
        if (caller.emailVerified) throw new Problem('already_verified')
        await sendVerification(sql, caller.userId, caller.email)
      })
      return reply.status(202).send({})
    },
  )
}

/** Makes a new verification link for the address and has it mailed; it spends the older ones, and lives for 24 hours. */
export async function sendVerification(sql: Sql, userId: string, email: string): Promise<void> {
  const [made] = await sql<{ generation: number }>`
    insert into mailed_tokens (tenant_id, user_id, purpose, email, expires_at)
    values (${sql.tenant}, ${userId}, 'verify_email', ${email}, now() + interval '24 hours')
    on conflict (tenant_id, user_id, purpose) do update
    set generation = mailed_tokens.generation + 1, email = excluded.email, expires_at = excluded.expires_at, spent_at = null
    returning generation`
  const generation = made?.generation ?? 1
  await addJob(
    sql,
    'send_mail',
    { kind: 'verify_email', tenantId: sql.tenant, userId, generation },
    verificationJob(userId),
  )
}

/** No link that was mailed to the user so far works any more: whoever had the account may have had the mailbox. */
export async function spendMailedTokens(sql: Sql, userId: string): Promise<void> {
  await sql`
    update mailed_tokens set spent_at = now()
    where tenant_id = ${sql.tenant} and user_id = ${userId} and spent_at is null`
}

/** The queue's key of a user's verification mail. */
export function verificationJob(userId: string): string {
  return `verify_email:${userId}`
}

/**
 * @returns false when the token is not a verification link of the caller's
 * @throws Problem token_spent, sign_in_required for another user's
 */
async function spendVerification(sql: Sql, keyring: Keyring, caller: Caller, token: MailedToken): Promise<boolean> {
  const id = `user_${token.row}`
  const [row] = await sql<{ generation: number; isLive: boolean }>`
    select generation, spent_at is null and expires_at > now() and email = ${caller.email} as is_live
    from mailed_tokens
    where tenant_id = ${sql.tenant} and user_id = ${id} and purpose = 'verify_email'
    for no key update`
  if (!row) return false
  if (!isMailedToken(keyring, token, 'verify_email', { tenant: sql.tenant, id, generation: row.generation }))
    return false
  if (id !== caller.userId) throw new Problem('sign_in_required')
  if (!row.isLive) throw new Problem('token_spent')
  await sql`
    update mailed_tokens set spent_at = now()
    where tenant_id = ${sql.tenant} and user_id = ${id} and purpose = 'verify_email'`
  return true
}

/**
 * Spends the token of an invitation, though not the invitation: whoever holds it reads the mail of the invited address.
 *
 * @param email the address that the holder claims
 * @throws Problem token_spent, sign_in_required when it went to another address
 */
async function spendInvitationToken(sql: Sql, keyring: Keyring, email: string, token: MailedToken): Promise<void> {
  const id = `inv_${token.row}`
  const [row] = await sql<{ generation: number; email: string | null; isLive: boolean }>`
    select generation, email, status = 'pending' and expires_at > now() and token_spent_at is null as is_live
    from invitations
    where tenant_id = ${sql.tenant} and id = ${id}
    for no key update`
  if (!row || !isMailedToken(keyring, token, 'invitation', { tenant: sql.tenant, id, generation: row.generation })) {
    throw new Problem('token_spent')
  }
  if (row.email !== email) throw new Problem('sign_in_required')
  if (!row.isLive) throw new Problem('token_spent')
  await sql`update invitations set token_spent_at = now() where tenant_id = ${sql.tenant} and id = ${id}`
}
