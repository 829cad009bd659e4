/**
 * Email verification: proves that a person reads the mail of their address.
 *
 * Invariant: a link verifies only for the signed-in person it was made for, so that nobody's click verifies an account that a
 * stranger made with their address.
 */

import { Type } from 'typebox'
import type { Caller } from '../../domain/access/actors.ts'
import { getTenant } from '../../domain/access/tenancy.ts'
import { isMailedToken, type MailedToken, readMailedToken } from '../../domain/access/tokens.ts'
import { forgetTries } from '../../domain/credentials/guessing.ts'
import { lockMailedToken, MailedTokenText, mailToken, spend } from '../../domain/credentials/mailed-tokens.ts'
import { countMail, mailRates } from '../../domain/limits/mail-rates.ts'
import { spendInvitationToken } from '../../domain/organizations/invitation-states.ts'
import { isInvitationPending } from '../../domain/organizations/invitations.ts'
import { changeEmail, verifyEmail } from '../../domain/people/email.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { recheckCaller } from '../../domain/sessions/recheck.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { App } from '../../platform/http/server.ts'

export async function emailVerificationRoutes(app: App): Promise<void> {
  app.post(
    '/auth/verify-email',
    {
      config: {
        access: 'anyone',
        withoutSecondFactor: true,
        problems: [
          'unauthenticated',
          'sign_in_required',
          'token_spent',
          'email_taken',
          'email_domain_not_allowed',
          'tenant_mismatch',
          'cross_site',
        ],
      },
      schema: {
        operationId: 'verifyEmail',
        summary: 'Verify email',
        description:
          'Requires a session of the person to whom the mail was sent. The token mailed to a new address completes the change to it. An invitation token also verifies the invited address.',
        tags: ['Signing in'],
        security: [{ session: [] }, { cookie: [] }],
        body: Type.Object({ token: MailedTokenText }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              email: Type.String({ maxLength: 254, examples: ['ann@example.com'] }),
              emailVerified: Type.Boolean(),
            },
            { description: 'The verified address.' },
          ),
        },
      },
    },
    async (request) => {
      const token = readMailedToken(request.body.token)
      await getTenant(request, token.tenant)
      const { credential } = request
      if (credential?.kind.name !== 'session' || credential.tenant !== token.tenant)
        throw new ApiProblem('sign_in_required')

      return request.asUser(async (sql, found) => {
        const caller = await lockCaller(sql, found)
        const change = await lockMailedToken(sql, app.keyring, token, 'change_email')
        if (change) {
          if (change.userId !== caller.userId) throw new ApiProblem('sign_in_required')
          const email = await changeEmail(sql, caller, change)
          await endAttempts(sql, app, caller.userId, caller.email, email) // they may rest on the address before
          await forgetTries(sql, app.keyring, email) // from before it was an account's
          return { email, emailVerified: true }
        }
        if (!(await spendVerification(sql, app.keyring, caller, token)))
          await proveByInvitation(sql, app.keyring, caller.email, token)
        if (await verifyEmail(sql, caller.userId))
          await record(sql, caller, 'email.verified', { target: caller, details: { email: caller.email } })
        return { email: caller.email, emailVerified: true }
      })
    },
  )

  app.post(
    '/auth/verify-email/resend',
    {
      config: {
        access: 'user',
        withoutSecondFactor: true,
        problems: ['already_verified'],
        rates: mailRates.verification,
      },
      schema: {
        operationId: 'resendVerification',
        summary: 'Send verification again',
        description: 'Links sent earlier stop working.',
        tags: ['Signing in'],
        response: { 202: Type.Object({}, { description: 'A mail goes out.' }) },
      },
    },
    async (request, reply) => {
      const {
        caller: { tenantId, email, emailVerified },
      } = await request.readAsUser(() => ({}), { byKey: true })
      if (emailVerified) throw new ApiProblem('already_verified')
      if (!(await countMail(request.context, tenantId, email, 'verification'))) return reply.status(202).send({})
      await request.asUser(async (sql, caller) => {
        if (caller.emailVerified) throw new ApiProblem('already_verified')
        await mailToken(sql, 'verify_email', caller.userId, caller.email)
      })
      return reply.status(202).send({})
    },
  )
}

/** The caller, with the address that is theirs until the transaction ends. */
async function lockCaller(sql: Sql, caller: Caller): Promise<Caller> {
  const [address] = await sql<Pick<Caller, 'email' | 'emailVerified'>>`
    select email, email_verified from users where tenant_id = ${sql.tenant} and id = ${caller.userId} for no key update`
  if (!address) throw new ApiProblem('unauthenticated')
  await recheckCaller(sql, caller)
  return { ...caller, ...address }
}

/**
 * @returns false when the token is not a verification link
 * @throws Problem token_spent, sign_in_required for another user's
 */
async function spendVerification(sql: Sql, keyring: Keyring, caller: Caller, token: MailedToken): Promise<boolean> {
  const found = await lockMailedToken(sql, keyring, token, 'verify_email')
  if (!found) return false
  if (found.userId !== caller.userId) throw new ApiProblem('sign_in_required')
  if (!found.isUsable || found.email !== caller.email) throw new ApiProblem('token_spent')
  await spend(sql, caller.userId, ['verify_email'])
  return true
}

/**
 * Spends the token of an invitation, though not the invitation: its holder reads the mail of the invited address.
 *
 * @param email the address that the holder claims
 * @throws Problem token_spent, sign_in_required when it went to another address
 */
async function proveByInvitation(sql: Sql, keyring: Keyring, email: string, token: MailedToken): Promise<void> {
  const id = `inv_${token.row}`
  const [row] = await sql<{ generation: number; email: string | null; isUsable: boolean }>`
    select i.generation, i.email, ${isInvitationPending} and i.token_spent_at is null as is_usable
    from invitations i
    where i.tenant_id = ${sql.tenant} and i.id = ${id}
    for no key update`
  if (!row || !isMailedToken(keyring, token, 'invitation', { tenant: sql.tenant, id, generation: row.generation })) {
    throw new ApiProblem('token_spent')
  }
  if (row.email !== email) throw new ApiProblem('sign_in_required')
  if (!row.isUsable) throw new ApiProblem('token_spent')
  await spendInvitationToken(sql, id)
}
