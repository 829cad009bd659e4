/**
 * Continuing: the next step of a half-done sign-in.
 *
 * Each try is counted and committed before it is looked at. What it spends (a code, a challenge) is spent in the transaction of the session.
 */

import { Type } from 'typebox'
import { wantsSessionCookie } from '../../domain/access/authentication.ts'
import { deviceTokenOf } from '../../domain/access/device-cookie.ts'
import { getTenant } from '../../domain/access/tenancy.ts'
import { readToken } from '../../domain/access/tokens.ts'
import { DeviceToken } from '../../domain/credentials/known-devices.ts'
import { AssertionCredential } from '../../domain/credentials/passkey-credentials.ts'
import { Password } from '../../domain/credentials/passwords.ts'
import { mailRates } from '../../domain/limits/mail-rates.ts'
import { countNetwork } from '../../domain/limits/network-rates.ts'
import { Callback } from '../../domain/providers/sign-in.ts'
import { AttemptToken, type Method } from '../../domain/sessions/attempts.ts'
import { handOver } from '../../domain/sessions/cookies.ts'
import { SignedIn } from '../../domain/sessions/sessions.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { getOwnAttempt } from './attempts.ts'
import { prove } from './proofs.ts'
import { continueAtProvider } from './provider.ts'

const Code = Type.String({ pattern: '^[0-9]{6}$', minLength: 6, maxLength: 6, examples: ['287082'] })

/** The proofs of a body, and the method of each. */
const methodOf = {
  password: 'password',
  totp: 'totp',
  recoveryCode: 'recovery_code',
  mailCode: 'mail_code',
  credential: 'passkey',
  callback: 'provider',
} as const satisfies Record<string, Method>
type ProofField = keyof typeof methodOf
const proofFields = Object.keys(methodOf) as ProofField[]

export async function continueRoutes(app: App): Promise<void> {
  app.post(
    '/auth/sign-in/continue',
    {
      config: {
        access: 'anyone',
        startsSession: true,
        // Somebody who comes from a provider may sign up, and be mailed a link; the owner of a password that is known, a warning.
        rates: ['sign-in', 'sign-up', 'password-known', ...mailRates.verification],
        problems: [
          'sign_in_incomplete',
          'wrong_proof',
          'attempt_spent',
          'no_factor',
          'user_suspended',
          'too_many_attempts',
          'overloaded',
          'provider_refused',
          'provider_without_email',
          'provider_unavailable',
          'identity_taken',
          'limit_reached',
          'email_not_verified',
          'sign_up_closed',
          'email_domain_not_allowed',
          'email_taken',
          'invitation_for_another_email',
          'invitation_expired',
          'invitation_revoked',
          'invitation_declined',
          'invitation_used',
          'token_spent',
          'tenant_mismatch',
          'https_required',
          'cross_site',
        ],
      },
      schema: {
        operationId: 'continueSignIn',
        summary: 'Continue signing in',
        description:
          'Takes one proof that the attempt accepts. A wrong proof leaves the attempt usable, until there were five. An attempt to confirm also needs the session that began it.',
        tags: ['Signing in'],
        body: Type.Object(
          {
            attempt: AttemptToken,
            password: Type.Optional(Password),
            totp: Type.Optional({ ...Code, description: 'The code that the authenticator app shows.' }),
            recoveryCode: Type.Optional(
              Type.String({
                minLength: 24,
                maxLength: 64,
                pattern: '^[\\s\\u200b-\\u2015\\u2060-]*[0-9A-Za-z][0-9A-Za-z\\s\\u200b-\\u2015\\u2060-]*$',
                examples: ['9ZQ3-V5HF-8GS4-M2Y7-C6T0-WDN1'],
              }),
            ),
            mailCode: Type.Optional({ ...Code, description: 'The code out of the mail.' }),
            credential: Type.Optional(ref(AssertionCredential)),
            callback: Type.Optional(Callback),
            deviceToken: Type.Optional(DeviceToken),
          },
          {
            additionalProperties: false,
            examples: [{ attempt: `gha_01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(42)}0`, totp: '287082' }],
          },
        ),
        response: { 200: ref(SignedIn), 201: ref(SignedIn) },
      },
    },
    async (request, reply) => {
      wantsSessionCookie(request) // refuses before anything is counted
      const field = proofIn(request.body)
      request.about = methodOf[field]
      await countNetwork(request.context, 'sign-in')
      const token = readToken(request.body.attempt)
      const tenant = await getTenant(request, token.tenant, 'attempt_spent')
      const attempt = await getOwnAttempt(request, tenant, token)
      if (attempt.purpose !== 'sign_in') request.about = undefined // metrics count sign-ins
      if (!attempt.methods.includes(methodOf[field])) throw invalidRequest([faultOf(`/${field}`, 'not_allowed')])
      const deviceToken = attempt.details.deviceToken ?? deviceTokenOf(request, request.body.deviceToken)
      if (request.body.callback) {
        const { completed, isNew } = await continueAtProvider(app, request.context, tenant, attempt, {
          callback: request.body.callback,
          deviceToken,
        })
        return reply.status(isNew ? 201 : 200).send(await handOver(request, reply, completed))
      }
      return handOver(
        request,
        reply,
        await prove(request.context, {
          tenant,
          attempt,
          sent: request.body,
          deviceToken,
          sessionToken: request.credential?.hash,
        }),
      )
    },
  )
}

/** @returns the field of the one proof @throws Problem invalid_request */
function proofIn(body: Partial<Record<ProofField, unknown>>): ProofField {
  const [field, ...others] = proofFields.filter((each) => body[each] !== undefined)
  if (field === undefined) throw invalidRequest([faultOf('', 'required', 'Send one proof.')])
  if (others.length > 0)
    throw invalidRequest(others.map((each) => faultOf(`/${each}`, 'not_allowed', 'Send one proof.')))
  return field
}
