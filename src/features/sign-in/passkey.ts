/** Passkeys at sign-in: the options that a page needs, and a passkey as the whole sign-in. */
import { Type } from 'typebox'
import { wantsSessionCookie } from '../../domain/access/authentication.ts'
import { deviceTokenOf } from '../../domain/access/device-cookie.ts'
import { getTenant, type Tenant } from '../../domain/access/tenancy.ts'
import { readToken } from '../../domain/access/tokens.ts'
import { accountTurn } from '../../domain/access/turns.ts'
import { makeChallenge } from '../../domain/credentials/challenges.ts'
import { DeviceToken, findKnownDevice } from '../../domain/credentials/known-devices.ts'
import { AssertionCredential } from '../../domain/credentials/passkey-credentials.ts'
import { type ProofPurpose, RequestOptions, requestOptions } from '../../domain/credentials/passkey-options.ts'
import { checkPasskey, spendPasskey } from '../../domain/credentials/passkey-proof.ts'
import { getPasskeyTenant, passkeySite } from '../../domain/credentials/passkey-site.ts'
import { listPasskeys } from '../../domain/credentials/passkeys.ts'
import { countNetwork } from '../../domain/limits/network-rates.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { type AttemptRow, AttemptToken } from '../../domain/sessions/attempts.ts'
import { type Completed, completeSignIn } from '../../domain/sessions/completion.ts'
import { handOver } from '../../domain/sessions/cookies.ts'
import { SignedIn } from '../../domain/sessions/sessions.ts'
import { lockPerson } from '../../domain/sessions/ways-in.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { getOwnAttempt } from './attempts.ts'
import { recordCopiedPasskey, recordRefusedProof } from './refused-sign-ins.ts'

export async function passkeyRoutes(app: App): Promise<void> {
  app.addSchema(AssertionCredential)
  app.addSchema(RequestOptions)

  app.post(
    '/auth/passkey-options',
    {
      config: {
        access: 'anyone',
        problems: ['attempt_spent', 'sign_in_method_off', 'tenant_mismatch'],
      },
      schema: {
        operationId: 'passkeyOptions',
        summary: 'Get options for a passkey',
        description:
          'Options for `navigator.credentials.get`: to sign in, or for an attempt that accepts `passkey`. Nothing is stored. Ask again before they expire.',
        tags: ['Signing in'],
        body: Type.Object({ attempt: Type.Optional(AttemptToken) }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            { options: ref(RequestOptions), expiresAt: Timestamp },
            { description: 'The options and their end.' },
          ),
        },
      },
    },
    async (request) => {
      const token = request.body.attempt === undefined ? undefined : readToken(request.body.attempt)
      const tenant = await getTenant(request, token?.tenant, 'attempt_spent')
      const attempt = token && (await getOwnAttempt(request, tenant, token))
      const { site, passkeys } = await request.asAnyone(tenant, async (sql) => ({
        site: passkeySite(app.config, await getPasskeyTenant(sql)),
        passkeys: attempt?.userId ? await listPasskeys(sql, attempt.userId) : [],
      }))
      if (!site) throw new ApiProblem('sign_in_method_off')
      if (attempt && !attempt.methods.includes('passkey')) throw invalidRequest([faultOf('/attempt', 'not_allowed')])
      const purpose = purposeOf(attempt)
      const { challenge, expiresAt } = makeChallenge(app.keyring, tenant.id, {
        purpose,
        userId: attempt?.userId ?? null,
        attemptOrSession: attempt?.id ?? null,
      })
      return { options: requestOptions(site, challenge, purpose, passkeys), expiresAt }
    },
  )

  app.post(
    '/auth/sign-in/passkey',
    {
      config: {
        access: 'anyone',
        startsSession: true,
        rates: ['sign-in'],
        problems: [
          'unknown_passkey',
          'invalid_credentials',
          'attempt_spent',
          'user_suspended',
          'tenant_mismatch',
          'https_required',
          'cross_site',
        ],
      },
      schema: {
        operationId: 'signInWithPasskey',
        summary: 'Sign in with a passkey',
        description: 'The passkey verifies its user, so it is both factors.',
        tags: ['Signing in'],
        body: Type.Object(
          { credential: ref(AssertionCredential), deviceToken: Type.Optional(DeviceToken) },
          { additionalProperties: false },
        ),
        response: { 200: ref(SignedIn) },
      },
    },
    async (request, reply) => {
      wantsSessionCookie(request) // refuses before anything is counted
      await countNetwork(request.context, 'sign-in')
      const tenant = await getTenant(request)
      const deviceToken = deviceTokenOf(request, request.body.deviceToken)
      return handOver(request, reply, await signIn(request.context, tenant, request.body.credential, deviceToken))
    },
  )
}

/** For what a passkey is asked by an attempt; to sign in without one. */
export function purposeOf(attempt: Pick<AttemptRow, 'next' | 'purpose'> | undefined): ProofPurpose {
  if (!attempt) return 'sign_in'
  if (attempt.next === 'second_factor') return 'second_factor'
  return attempt.purpose === 'confirm' ? 'confirm' : 'link'
}

/** @throws Problem unknown_passkey, invalid_credentials, attempt_spent, user_suspended */
async function signIn(
  context: RequestContext,
  tenant: Tenant,
  credential: AssertionCredential,
  deviceToken: string | undefined,
): Promise<Completed> {
  const expected = { purpose: 'sign_in', userId: null, attempt: null } as const
  const proof = await checkPasskey(context, tenant.id, credential, expected)
  if (proof === 'unknown') throw new ApiProblem('unknown_passkey')
  if (proof === 'spent') throw new ApiProblem('attempt_spent')
  if (proof === 'refused') throw new ApiProblem('invalid_credentials')
  if ('copiedOf' in proof) await recordCopiedPasskey(context, tenant, proof)
  if ('refusedOf' in proof) await recordRefusedProof(context, tenant, proof.refusedOf, 'passkey')
  if (!('factorId' in proof)) throw new ApiProblem('invalid_credentials')
  return context.database.inTenant(tenant.id, async (sql) => {
    sql.claimTurn(accountTurn(proof.userId))
    // Before challenge and factor: changes of factors lock in this order, too.
    const person = await lockPerson(sql, proof.userId)
    if (!person || !(await spendPasskey(sql, proof))) throw new ApiProblem('unknown_passkey')
    const known = await findKnownDevice(sql, person.email, { deviceToken })
    const completed = await completeSignIn(sql, context, {
      userId: person.id,
      proof: { methods: ['passkey'], basis: { factorId: proof.factorId }, isBothFactors: true },
      device: { known, deviceToken },
    })
    if (!completed) throw new ApiProblem('unknown_passkey')
    return completed
  })
}
