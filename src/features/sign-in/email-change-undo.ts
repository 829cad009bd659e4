/**
 * The undo of an email change: the reader of the old address takes the account back.
 *
 * Invariant: each address that somebody changed from has an undo link of its own. Using one also undoes every later change.
 */
import { Type } from 'typebox'
import { getTenant } from '../../domain/access/tenancy.ts'
import { linkLifetimes, type MailedToken, readMailedToken } from '../../domain/access/tokens.ts'
import { linkTurn } from '../../domain/access/turns.ts'
import { dropFactors } from '../../domain/credentials/factors.ts'
import { dropIdentities } from '../../domain/credentials/identities.ts'
import { forgetDevices } from '../../domain/credentials/known-devices.ts'
import {
  type FoundToken,
  lockMailedToken,
  MailedTokenText,
  mailReset,
  spend,
  spendMailedTokens,
} from '../../domain/credentials/mailed-tokens.ts'
import { endOwnKeys } from '../../domain/keys/endings.ts'
import { keepFormer } from '../../domain/people/addresses.ts'
import { restoreEmail } from '../../domain/people/email.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { changesBetween } from '../../domain/record/changes.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { actorOf, endAllSessions } from '../../domain/sessions/sessions.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { App } from '../../platform/http/server.ts'
import { endPlantedSince, lockReachOf } from './planted.ts'

/**
 * How old a way to sign in must be when the change is requested, so that it stays, in seconds. A thief may add theirs first: the owner has
 * as long to read of it as the link works.
 */
const trustedAfter = linkLifetimes.undo_email_change

export async function emailChangeUndoRoutes(app: App): Promise<void> {
  app.post(
    '/auth/undo-email-change',
    {
      config: { access: 'anyone', problems: ['token_spent', 'tenant_mismatch', 'email_taken'] },
      schema: {
        operationId: 'undoEmailChange',
        summary: 'Undo email change',
        description:
          'Takes the token that was mailed to the old address; it expires after 72 hours. The account gets the old address back, every session ends, and the password is disabled until it is reset. Factors, recovery codes and linked accounts are removed if they were added since 72 hours before the change was requested. The link to reset the password is mailed at once.',
        tags: ['Signing in'],
        body: Type.Object({ token: MailedTokenText }, { additionalProperties: false }),
        response: { 200: Type.Object({}, { description: 'The account has its old address again.' }) },
      },
    },
    async (request) => {
      const token = readMailedToken(request.body.token)
      const tenant = await getTenant(request, token.tenant)
      // Looked at before, and not spent yet: a stranger cannot lock organizations.
      const seen = await request.asAnyone(tenant, (sql) => {
        sql.claimTurn(linkTurn(token))
        return lockMailedToken(sql, app.keyring, token, 'undo_email_change')
      })
      if (!seen?.isUsable) throw new ApiProblem('token_spent')
      const { userId } = seen
      return request.asAnyone(tenant, async (sql) => {
        sql.claimTurn(linkTurn(token))
        await lockReachOf(sql, userId)
        const { before, proof } = await lockLink(sql, app.keyring, userId, token)
        const anonymous = { type: 'anonymous', requestId: request.id } as const
        const target = { type: 'user', userId, name: before.name } as const
        const { ip, device } = actorOf(request.context, userId, before.name)
        const origin = { ip, device }
        await restoreEmail(sql, userId, proof.email)
        if (before.email !== proof.email) await keepFormer(sql, userId, before)
        // What came after it is taken back too; an earlier address keeps its own way back.
        await spend(sql, userId, ['undo_email_change'], proof.generation)
        await spendMailedTokens(sql, anonymous, { target, origin })
        const endedSessions = await endAllSessions(sql, userId)
        await endOwnKeys(sql, anonymous, userId, 'reset')
        await endAttempts(sql, app, userId, before.email, proof.email)
        // A thief of the account may have added ways in.
        const trustedUntil = new Date(Date.parse(proof.askedAt) - trustedAfter * 1_000).toISOString()
        await dropFactors(sql, userId, trustedUntil)
        await dropIdentities(sql, userId, trustedUntil)
        // And ways back, if the account is no way in any more. What is older may be the owner's work, on which others depend.
        await endPlantedSince(sql, anonymous, userId, proof.askedAt)
        await forgetDevices(sql, userId)
        // Sent without being asked for: a thief of the account may have used up the mails of the address (mail-rates.ts).
        await mailReset(sql, app.config, 'email_change_undone', { id: userId, email: proof.email })
        await record(sql, anonymous, 'email.change_undone', {
          target,
          origin,
          details: { ...changesBetween(before, { email: proof.email }), endedSessions },
        })
        await record(sql, anonymous, 'password.switched_off', { target, origin })
        return {}
      })
    },
  )
}

/** A type, which fits records. */
type Changed = {
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string | null
}

/**
 * Locks the account and the link that takes it back.
 *
 * @throws Problem token_spent
 */
async function lockLink(
  sql: Sql,
  keyring: Keyring,
  userId: string,
  token: MailedToken,
): Promise<{ readonly before: Changed; readonly proof: FoundToken }> {
  const [before] = await sql<Changed>`
    select email, email_verified, name
    from users
    where tenant_id = ${sql.tenant} and id = ${userId}
    for no key update`
  const proof = before && (await lockMailedToken(sql, keyring, token, 'undo_email_change'))
  if (!before || !proof?.isUsable) throw new ApiProblem('token_spent')
  return { before, proof }
}
