/**
 * Mailed codes: a code of six digits instead of a password, where the tenant allows it, and wherever an attempt accepts one.
 *
 * The request looks up no account, only whether it knows the device that was sent, so that its answer and time tell strangers nothing. The
 * worker looks the address up when it sends the mail.
 */
import { Type } from 'typebox'
import { deviceTokenOf } from '../../domain/access/device-cookie.ts'
import { getTenant, type Tenant } from '../../domain/access/tenancy.ts'
import { readToken } from '../../domain/access/tokens.ts'
import { DeviceToken, findKnownDevice } from '../../domain/credentials/known-devices.ts'
import { countMail, mailRates } from '../../domain/limits/mail-rates.ts'
import { countNetwork } from '../../domain/limits/network-rates.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { ApiProblem } from '../../domain/problems.ts'
import {
  AttemptToken,
  Begun,
  beginAttempt,
  type NewAttempt,
  renewCode,
  showAttempt,
} from '../../domain/sessions/attempts.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
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
        readsDevice: true,
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
          {
            email: Type.Optional(Email),
            attempt: Type.Optional(AttemptToken),
            deviceToken: Type.Optional({
              ...DeviceToken,
              description:
                'The token of the last session of this user on this device. With it, codes that strangers request do not use up those of this device. Browsers that use the session cookie have a cookie for this.',
            }),
          },
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
        const tenant = await getTenant(request, known.tenant, 'attempt_spent')
        const attempt = await getOwnAttempt(request, tenant, known)
        if (!attempt.methods.includes('mail_code')) throw invalidRequest([faultOf('/attempt', 'not_allowed')])
        const signsIn = attempt.purpose === 'sign_in' && attempt.details.link === undefined
        if (signsIn && !tenant.mailCodes) throw new ApiProblem('sign_in_method_off') // switched off since
        const sent = attempt.details.deviceToken ?? deviceTokenOf(request, request.body.deviceToken)
        const isMailed = await countCode(request.context, tenant, attempt, sent)
        if (isMailed)
          await request.asAnyone(tenant, async (sql) => mailCode(sql, attempt.id, await renewCode(sql, attempt.id)))
        return reply.status(202).send({ attempt: showAttempt(attempt, token) })
      }
      if (typed === undefined) throw invalidRequest([faultOf('/email', 'required')])
      const email = normalizeEmail(typed) as string // the format `email` let it pass
      const tenant = await getTenant(request)
      if (!tenant.mailCodes) throw new ApiProblem('sign_in_method_off')
      const deviceToken = deviceTokenOf(request, request.body.deviceToken)
      const begins = { userId: null, sessionId: null, details: { email, basis: {}, deviceToken } }
      const isMailed = await countCode(request.context, tenant, begins, deviceToken)
      const begun = await request.asAnyone(tenant, async (sql) => {
        const { id, attempt } = await beginAttempt(sql, app.keyring, {
          purpose: 'sign_in',
          next: 'first_factor',
          methods: ['mail_code'],
          proven: [],
          wantedAssurance: 1,
          providerId: null,
          isMailed,
          ...begins,
        })
        if (isMailed) await mailCode(sql, id, 1)
        return attempt
      })
      return reply.status(202).send({ attempt: begun })
    },
  )
}

/**
 * Counts a code, apart from those that strangers can use up.
 *
 * @param deviceToken as the device sent it. Without one, nothing is looked up
 * @returns whether it may be mailed
 */
async function countCode(
  context: RequestContext,
  tenant: Pick<Tenant, 'id'>,
  { userId, sessionId, details: { email, known: before } }: Pick<NewAttempt, 'userId' | 'sessionId' | 'details'>,
  deviceToken: string | undefined,
): Promise<boolean> {
  const isKnown =
    sessionId !== null ||
    before !== undefined ||
    (deviceToken !== undefined &&
      (await context.database.inTenant(tenant.id, (sql) => findKnownDevice(sql, email, { deviceToken }))) !== undefined)
  const purpose = isKnown ? 'code-known' : userId === null ? 'code' : 'code-link'
  return countMail(context, tenant.id, email, purpose)
}

/** Later: what is done for an account would slow its answer down. */
async function mailCode(sql: Sql, attemptId: string, generation: number): Promise<void> {
  await queueMail(sql, { kind: 'sign_in_code', attemptId, generation }, `code:${attemptId}`, 0.5)
}
