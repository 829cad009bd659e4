/**
 * Mailed codes: a code of six digits instead of a password, where the tenant allows it, and wherever an attempt accepts one.
 *
 * The request looks nobody up, so that its answer and time tell nothing. The worker looks the address up when it sends the mail.
 */
import { Type } from 'typebox'
import { deviceTokenOf } from '../../domain/access/device-cookie.ts'
import { findTenant } from '../../domain/access/tenancy.ts'
import { readToken } from '../../domain/access/tokens.ts'
import { countMail, mailRates } from '../../domain/limits/mail-rates.ts'
import { countNetwork } from '../../domain/limits/network-rates.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { AttemptToken, Begun, beginAttempt, renewCode, showAttempt } from '../../domain/sessions/attempts.ts'
import type { Sql } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Email, normalizeEmail } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { getOwnAttempt } from './attempts.ts'

export async function mailCodeRoutes(app: App): Promise<void> {
  app.post(
    '/auth/sign-in/mail-code',
    {
      config: {
        access: 'anyone',
        rates: ['sign-in', ...mailRates.code],
        problems: ['sign_in_method_off', 'attempt_spent', 'tenant_mismatch'],
      },
      schema: {
        operationId: 'mailCode',
        summary: 'Email a code',
        description:
          'Send an email address to sign in to its account with a code, or an attempt that accepts `mail_code`. A new code voids the one before. The answer and its time are the same whether or not the account exists.',
        tags: ['Signing in'],
        body: Type.Object(
          { email: Type.Optional(Email), attempt: Type.Optional(AttemptToken) },
          { additionalProperties: false },
        ),
        response: { 202: Begun },
      },
    },
    async (request, reply) => {
      await countNetwork(request.context, 'sign-in')
      const { email: typed, attempt: token } = request.body
      if (token !== undefined) {
        if (typed !== undefined) throw invalidRequest([faultOf('/email', 'not_allowed', 'Send one of the two.')])
        const known = readToken(token)
        const tenant = await findTenant(request, known.tenant, 'attempt_spent')
        const attempt = await getOwnAttempt(request, tenant, known)
        if (!attempt.methods.includes('mail_code')) throw invalidRequest([faultOf('/attempt', 'not_allowed')])
        const isMailed = await countMail(request.context, tenant.id, attempt.details.email, 'code')
        if (isMailed)
          await request.asAnyone(tenant, async (sql) => mailCode(sql, attempt.id, await renewCode(sql, attempt.id)))
        return reply.status(202).send({ attempt: showAttempt(attempt, token) })
      }
      if (typed === undefined) throw invalidRequest([faultOf('/email', 'required')])
      const email = normalizeEmail(typed) as string // the format `email` let it pass
      const tenant = await findTenant(request)
      if (!tenant.mailCodes) throw new ApiProblem('sign_in_method_off')
      const isMailed = await countMail(request.context, tenant.id, email, 'code')
      const begun = await request.asAnyone(tenant, async (sql) => {
        const { id, attempt } = await beginAttempt(sql, app.keyring, {
          purpose: 'sign_in',
          next: 'first_factor',
          methods: ['mail_code'],
          proven: [],
          wantedAssurance: 1,
          userId: null,
          sessionId: null,
          providerId: null,
          details: { email, basis: {}, deviceToken: deviceTokenOf(request) },
        })
        if (isMailed) await mailCode(sql, id, 1)
        return attempt
      })
      return reply.status(202).send({ attempt: begun })
    },
  )
}

/** Later: what is done for an account would slow its answer down. */
async function mailCode(sql: Sql, attemptId: string, generation: number): Promise<void> {
  await queueMail(sql, { kind: 'sign_in_code', attemptId, generation }, `code:${attemptId}`, 0.5)
}
