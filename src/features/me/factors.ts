/**
 * Factors: one's own authenticator app, passkeys and security keys.
 *
 * Adding one is a proof: the code or touch is checked, and the session that adds it has proven two factors from then on.
 */
import { Type } from 'typebox'
import { makeChallenge } from '../../domain/credentials/challenges.ts'
import { dropFactor, Factor, factorTypes, getFactor, renameFactor } from '../../domain/credentials/factors.ts'
import { RegistrationCredential } from '../../domain/credentials/passkey-credentials.ts'
import { CreationOptions, creationOptions } from '../../domain/credentials/passkey-options.ts'
import { getPasskeyTenant, passkeySite } from '../../domain/credentials/passkey-site.ts'
import { listPasskeys } from '../../domain/credentials/passkeys.ts'
import { dropRecoveryCodes, RecoveryCode } from '../../domain/credentials/recovery-codes.ts'
import { makeSetup } from '../../domain/credentials/totp.ts'
import { caps } from '../../domain/limits/caps.ts'
import { tellOfChange } from '../../domain/mail/sign-in.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { type FactorRows, Factors, selectFactorList, toFactorList } from '../../domain/sessions/factor-list.ts'
import { isSecondFactorAsked } from '../../domain/sessions/policy.ts'
import { endOtherSessions } from '../../domain/sessions/sessions.ts'
import {
  checkFactorChange,
  keepWayIn,
  lockOwn,
  requirementsOf,
  selectRequiring,
} from '../../domain/sessions/ways-in.ts'
import { Id, Name, normalizeName, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { addFactor, checkFields, checkMayAdd } from './factor-creation.ts'

const Code = Type.String({ pattern: '^[0-9]{6}$', minLength: 6, maxLength: 6, examples: ['287082'] })
const SealedSetup = Type.String({
  minLength: 40,
  maxLength: 1000,
  pattern: '^[A-Za-z0-9_-]+$',
  examples: ['x'.repeat(40)],
  description: 'The `setup` of the answer that began it.',
})

const NewFactor = Type.Object(
  {
    type: OneOf(factorTypes),
    name: Type.Optional({
      ...Name,
      description: 'Without one, a passkey is named after what holds it, such as iCloud Keychain or Chrome on macOS.',
    }),
    setup: Type.Optional(SealedSetup),
    code: Type.Optional({ ...Code, description: 'The code that the app shows. With `totp`.' }),
    credential: Type.Optional(ref(RegistrationCredential)),
  },
  { additionalProperties: false, examples: [{ type: 'totp', setup: 'x'.repeat(40), code: '287082' }] },
)

const path = Type.Object({ factorId: Id('fac') })

const Setup = Type.Object(
  {
    type: OneOf(factorTypes),
    setup: Type.Optional(SealedSetup),
    secret: Type.Optional(
      Type.String({ maxLength: 64, description: 'To type into an app.', examples: ['JBSWY3DPEHPK3PXP'] }),
    ),
    uri: Type.Optional(
      Type.String({ maxLength: 2048, description: 'To show as a QR code.', examples: ['otpauth://totp/…'] }),
    ),
    options: Type.Optional(ref(CreationOptions)),
    expiresAt: Timestamp,
  },
  { description: '`setup`, `secret` and `uri` for an authenticator app, `options` for a passkey. Nothing is stored.' },
)

export async function factorRoutes(app: App): Promise<void> {
  app.addSchema(Factor)
  app.addSchema(RegistrationCredential)
  app.addSchema(CreationOptions)

  app.get(
    '/users/me/factors',
    {
      config: { access: 'user', withoutSecondFactor: true },
      schema: {
        operationId: 'listFactors',
        summary: 'List factors',
        description: 'The whole list, with the recovery codes that are left, and who requires a second factor of you.',
        tags: ['Factors'],
        response: { 200: Factors },
      },
    },
    async (request) =>
      toFactorList(
        await request.readAsUser<FactorRows>(({ tenant, user }) => selectFactorList(tenant, user), { byKey: true }),
      ),
  )

  app.post(
    '/users/me/factors/setup',
    {
      config: {
        access: 'user',
        proof: 'fresh',
        withoutSecondFactor: true,
        problems: ['second_factor_required', 'email_not_verified', 'sign_in_method_off'],
      },
      schema: {
        operationId: 'setUpFactor',
        summary: 'Begin to add a factor',
        description: 'Nothing is stored. Send what you get back with a code or the new passkey.',
        tags: ['Factors'],
        body: Type.Object({ type: OneOf(factorTypes) }, { additionalProperties: false }),
        response: { 200: Setup },
      },
    },
    async (request) => {
      const { type } = request.body
      return request.asUser(async (sql, caller) => {
        const person = await lockOwn(sql, caller)
        checkMayAdd(person, caller)
        const tenant = await getPasskeyTenant(sql)
        if (type === 'totp') {
          return {
            type,
            ...makeSetup(app.keyring, sql.tenant, person.id, { account: person.email, issuer: tenant.name }),
          }
        }
        const site = passkeySite(app.config, tenant)
        if (!site) throw new ApiProblem('sign_in_method_off')
        const { challenge, expiresAt } = makeChallenge(app.keyring, sql.tenant, {
          purpose: 'register',
          userId: person.id,
          attemptOrSession: caller.sessionId,
        })
        return {
          type,
          options: creationOptions(site, challenge, tenant, person, await listPasskeys(sql, person.id)),
          expiresAt,
        }
      })
    },
  )

  app.post(
    '/users/me/factors',
    {
      config: {
        access: 'user',
        proof: 'fresh',
        withoutSecondFactor: true,
        problems: [
          'wrong_proof',
          'attempt_spent',
          'email_not_verified',
          'passkey_taken',
          'limit_reached',
          'second_factor_required',
          'sign_in_method_off',
        ],
      },
      schema: {
        operationId: 'addFactor',
        summary: 'Add a factor',
        description:
          'The first factor that sign-in asks for comes with recovery codes, which are shown once, and ends all other sessions. A later one comes with recovery codes if the person has none. A second authenticator app replaces the first, and ends them, too. The session has proven two factors from then on.',
        tags: ['Factors'],
        body: NewFactor,
        response: {
          201: Type.Object(
            {
              factor: ref(Factor),
              recoveryCodes: Type.Optional(Type.Array(RecoveryCode, { maxItems: caps.recoveryCodes.most })),
              endedSessions: Type.Integer({ minimum: 0, maximum: 1_000_000, format: 'int32' }),
            },
            { description: 'The factor was added.' },
          ),
        },
      },
    },
    async (request, reply) => {
      checkFields(request.body)
      if (request.body.credential) await import('@simplewebauthn/server') // takes long at its first use, and no connection is held now
      const added = await request.asUser((sql, caller) => addFactor(sql, request.context, caller, request.body))
      return reply.status(201).header('location', `/api/users/me/factors/${added.factor.id}`).send(added)
    },
  )

  app.patch(
    '/users/me/factors/:factorId',
    {
      config: { access: 'user', withoutSecondFactor: true, problems: ['not_found'] },
      schema: {
        operationId: 'renameFactor',
        summary: 'Rename a factor',
        description: 'The name helps you to tell factors apart.',
        tags: ['Factors'],
        params: path,
        body: Type.Object({ name: Name }, { additionalProperties: false }),
        response: { 200: ref(Factor) },
      },
    },
    async (request) =>
      request.asUser((sql, { userId }) =>
        renameFactor(sql, userId, request.params.factorId, normalizeName(request.body.name)),
      ),
  )

  app.delete(
    '/users/me/factors/:factorId',
    {
      config: {
        access: 'user',
        proof: 'fresh',
        withoutSecondFactor: true,
        problems: ['not_found', 'last_way_in', 'second_factor_in_use', 'second_factor_required'],
      },
      schema: {
        operationId: 'removeFactor',
        summary: 'Remove a factor',
        description: 'Ends all other sessions. A way to sign in must remain, and a second factor if one is required.',
        tags: ['Factors'],
        params: path,
        response: { 200: ref(Factor) },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const before = await lockOwn(sql, caller)
        const factor = await getFactor(sql, caller.userId, request.params.factorId)
        checkFactorChange(before, caller)
        await dropFactor(sql, caller.userId, factor.id)
        await keepWayIn(sql, before)
        const after = await lockOwn(sql, caller)
        const requiring = await sql<{ id: string }>`${selectRequiring(sql.tenant, caller.userId)}`
        if (!after.hasFactor && requirementsOf(after, requiring).length > 0)
          throw new ApiProblem('second_factor_in_use')
        if (!isSecondFactorAsked(after)) await dropRecoveryCodes(sql, caller.userId)
        const endedSessions = await endOtherSessions(sql, caller)
        await endAttempts(sql, app, caller.userId, after.email)
        await tellOfChange(sql, app, after, `${factor.type}_removed`, caller)
        await record(sql, caller, 'factor.removed', { target: caller, details: { type: factor.type, endedSessions } })
        return factor
      }),
  )
}
