/**
 * Password reset: the way back in for the person who reads the mail of the account's address.
 *
 * Invariants: the request tells nothing of whether there is an account: it enqueues what was said, and the worker looks the address
 * up. A link works once, for the address that it was mailed to; from then on nobody else is signed in or has a link, and no device is known
 * but those on which an account with a factor was signed in to with two.
 */
import { Type } from 'typebox'
import { getTenant } from '../../domain/access/tenancy.ts'
import { type MailedToken, readMailedToken } from '../../domain/access/tokens.ts'
import { linkTurn } from '../../domain/access/turns.ts'
import { forgetTriesByMail } from '../../domain/credentials/guessing.ts'
import { hasherOf } from '../../domain/credentials/hash-queue.ts'
import { forgetDevicesByMail } from '../../domain/credentials/known-devices.ts'
import {
  lockMailedToken,
  MailedTokenText,
  mailReset,
  spendMailedTokens,
} from '../../domain/credentials/mailed-tokens.ts'
import { checkNewPassword, hashPassword, NewPassword, resetPassword } from '../../domain/credentials/passwords.ts'
import { endOwnKeys } from '../../domain/keys/endings.ts'
import { countMail, mailRates } from '../../domain/limits/mail-rates.ts'
import { mailKey, queueMail } from '../../domain/mail/queue.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { deviceOf } from '../../domain/sessions/device.ts'
import { actorOf, endAllSessions } from '../../domain/sessions/sessions.ts'
import { resetUnverified } from '../../domain/sessions/unverified.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import { type Database, pipeline, type Sql } from '../../platform/database/database.ts'
import { addressOf } from '../../platform/http/address.ts'
import { Email, normalizeEmail } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { addJobs, removeJobs, type SealedJob } from '../../platform/jobs/queue.ts'
import type { Config } from '../../platform/settings/config.ts'
import { endPlanted, lockReachOf } from './planted.ts'

declare module '../../platform/jobs/queue.ts' {
  interface Tasks {
    request_reset: SealedJob
  }
}

/** What the job of a request carries, sealed: the queue has no address and no IP in clear. */
interface Requested {
  readonly email: string
  readonly ip: string
  readonly device: string
  readonly requestId: string
}

export async function passwordResetRoutes(app: App): Promise<void> {
  app.post(
    '/auth/forgot-password',
    {
      config: { access: 'anyone', problems: ['tenant_mismatch'], rates: mailRates.access },
      schema: {
        operationId: 'forgotPassword',
        summary: 'Forgot password',
        description:
          'If an active user has this address, they get a mail with a link to choose a new password. The link expires after the time of `LIMIT_MAIL`, by default one hour. The answer and its time are the same whether or not the account exists.',
        tags: ['Signing in'],
        body: Type.Object({ email: Email }, { additionalProperties: false }),
        response: { 202: Type.Object({}, { description: 'The request is accepted. Any mail is sent later.' }) },
      },
    },
    async (request, reply) => {
      const email = normalizeEmail(request.body.email) as string // the format `email` let it pass
      const tenant = await getTenant(request)
      if (!(await countMail(request.context, tenant.id, email, 'access'))) return reply.status(202).send({})
      const requested: Requested = {
        email,
        ip: addressOf(request),
        device: deviceOf(request.headers['user-agent']).name,
        requestId: request.id,
      }
      const sealed = app.keyring.seal('job', JSON.stringify(requested), tenant.id)
      const key = app.keyring.hmac('once', 'reset', tenant.id, email).toString('base64url')
      await request.asAnyone(tenant, (sql) =>
        // Later: what is done for an account would slow its answer down.
        addJobs(sql, [
          {
            task: 'request_reset',
            payload: { tenantId: sql.tenant, sealed },
            key: `reset:${key}`,
            delay: 0.5,
            isAwaited: true,
          },
        ]),
      )
      return reply.status(202).send({})
    },
  )

  app.post(
    '/auth/reset-password',
    {
      config: { access: 'anyone', problems: ['token_spent', 'tenant_mismatch', 'overloaded'] },
      schema: {
        operationId: 'resetPassword',
        summary: 'Reset password',
        description:
          'Takes the token of a mail that lets its reader choose a password. Verifies the address, cancels a pending change of address, and ends every session and every key of the person. Nobody is signed in.',
        tags: ['Signing in'],
        body: Type.Object({ token: MailedTokenText, newPassword: NewPassword }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            { email: Type.String({ maxLength: 254, examples: ['ann@example.com'] }) },
            { description: 'The password was set. `email` is the address to sign in with.' },
          ),
        },
      },
    },
    async (request) => {
      const { newPassword } = request.body
      const token = readMailedToken(request.body.token)
      const tenant = await getTenant(request, token.tenant)
      const rules = { email: '', tenantName: tenant.name, passwordMinimum: tenant.passwordMinimum }
      await checkNewPassword('/newPassword', newPassword, rules)
      // Looked at before anything is hashed, and not spent yet: a stranger cannot make us hash.
      const seen = await request.asAnyone(tenant, (sql) => lockAccount(sql, app.keyring, token))
      await checkNewPassword('/newPassword', newPassword, { ...rules, email: seen.email })
      const hash = await hashPassword(hasherOf(request.context, tenant.id, seen.email, true), newPassword)

      return request.asAnyone(tenant, async (sql) => {
        sql.claimTurn(linkTurn(token)) // before anything is locked
        if (!seen.emailVerified) await lockReachOf(sql, seen.id)
        const { id, name, ...before } = await lockAccount(sql, app.keyring, token)
        const actor = actorOf(request.context, id, name)
        const { email, emailVerified } = before
        if (!emailVerified) await endPlanted(sql, actor, id)
        const endedBefore = emailVerified ? 0 : await resetUnverified(sql, app, actor, { id, email, name })
        await resetPassword(sql, id, hash)
        await spendMailedTokens(sql, actor, { target: actor })
        const endedSessions = endedBefore + (await endAllSessions(sql, id))
        await endOwnKeys(sql, actor, id, 'reset')
        await endAttempts(sql, app, id, before.email)
        const areCodesForgotten = await forgetTriesByMail(sql, app.keyring, before.email)
        await forgetDevicesByMail(sql, id)
        const kinds = ['password_switched_off', 'mail_codes_switched_off'] as const
        await removeJobs(
          sql,
          [...kinds, ...(areCodesForgotten ? (['codes_switched_off'] as const) : [])].map((kind) => mailKey(id, kind)),
        )
        if (before.hadPassword || before.wasUsed) {
          const sealed = app.keyring.seal('job', before.email, sql.tenant)
          await queueMail(sql, { kind: 'password_changed', userId: id, sealed, isReset: true })
        }
        await pipeline([
          record(sql, actor, 'password.reset', { target: actor, details: { endedSessions } }),
          !emailVerified && record(sql, actor, 'email.verified', { target: actor, details: { email } }),
        ])
        return { email }
      })
    },
  )
}

interface Account {
  readonly id: string
  readonly name: string | null
  readonly email: string
  readonly emailVerified: boolean
  /** An account with neither gets its first password, of which no mail tells: nobody can have added another way in. */
  readonly hadPassword: boolean
  readonly wasUsed: boolean
}

/**
 * Waits for its turn, and locks the account whose password a link lets one choose.
 *
 * @throws Problem token_spent
 */
async function lockAccount(sql: Sql, keyring: Keyring, token: MailedToken): Promise<Account> {
  sql.claimTurn(linkTurn(token))
  const [account] = await sql<Account>`
    select id, name, email, email_verified, password_hash is not null as had_password,
      last_active_at is not null as was_used
    from users
    where tenant_id = ${sql.tenant} and id = ${`user_${token.row}`} and status = 'active'
    for no key update`
  const proof =
    account &&
    ((await lockMailedToken(sql, keyring, token, 'reset_password')) ??
      (await lockMailedToken(sql, keyring, token, 'set_password')))
  if (!account || !proof?.isUsable || proof.email !== account.email) throw new ApiProblem('token_spent')
  return account
}

/** The task: mails a link, if the address is that of an active user. */
export async function requestReset(
  { config, database, keyring }: { readonly config: Config; readonly database: Database; readonly keyring: Keyring },
  { tenantId, sealed }: SealedJob,
): Promise<void> {
  const text = keyring.open('job', sealed, tenantId)
  if (text === undefined) return // sealed under a secret that was since taken away
  const { email, ip, device, requestId } = JSON.parse(text) as Requested // sealed by us
  await database.inTenant(tenantId, async (sql) => {
    const [user] = await sql<{ id: string; name: string | null }>`
      select id, name from users
      where tenant_id = ${sql.tenant} and email = ${email} and status = 'active'
      for no key update`
    if (!user) return
    await mailReset(sql, config, 'reset_password', { id: user.id, email })
    await record(sql, { type: 'anonymous', requestId }, 'password.reset_requested', {
      target: { type: 'user', userId: user.id, name: user.name },
      origin: { ip, device },
    })
  })
}
