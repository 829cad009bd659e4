/** Password: changing, adding and removing one's own. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { confirmCaller, readPerson } from '../../domain/credentials/confirmation.ts'
import { forgetTries, forgetTriesByMail } from '../../domain/credentials/guessing.ts'
import { spendMailedTokens } from '../../domain/credentials/mailed-tokens.ts'
import {
  changePassword,
  checkCommon,
  checkNewPassword,
  findPasswordFaults,
  hashPassword,
  NewPassword,
  Password,
  removePassword,
} from '../../domain/credentials/passwords.ts'
import { endOwnKeys } from '../../domain/keys/endings.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { tellOfChange } from '../../domain/mail/sign-in.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { Ended, endOtherSessions } from '../../domain/sessions/sessions.ts'
import { checkFactorChange, keepWayIn, lockOwn } from '../../domain/sessions/ways-in.ts'
import { faultOf, firstOfEach } from '../../platform/http/faults.ts'
import { faultsOfBody, invalidRequest } from '../../platform/http/problems.ts'
import type { App } from '../../platform/http/server.ts'

export async function passwordRoutes(app: App): Promise<void> {
  app.post(
    '/users/me/password',
    {
      config: {
        access: 'user',
        withoutSecondFactor: true,
        problems: ['wrong_password', 'too_many_attempts', 'overloaded', 'confirmation_required'],
      },
      schema: {
        operationId: 'changePassword',
        summary: 'Change password',
        description:
          'Ends all other sessions. The current one stays, and so do your keys, unless you send `endKeys`. If you have no password yet, send `newPassword` alone in a fresh session.',
        tags: ['Me'],
        body: Type.Object(
          {
            currentPassword: Type.Optional({ ...Password, description: 'Required if you have a password.' }),
            newPassword: NewPassword,
            endKeys: Type.Optional(
              Type.Boolean({
                default: false,
                description: 'Whether to end your keys, too. The mail names those that stay.',
              }),
            ),
          },
          {
            additionalProperties: false,
            examples: [{ currentPassword: 'the one from before', newPassword: 'correct horse battery staple' }],
          },
        ),
        response: { 200: Ended },
      },
      attachValidation: true,
      preHandler: refuseFaulty,
    },
    async (request) => {
      const { currentPassword, newPassword, endKeys = false } = request.body
      await checkCommon('/newPassword', newPassword)
      const confirmed = await confirmCaller(request, currentPassword, '/currentPassword', true)
      await checkNewPassword('/newPassword', newPassword, confirmed)
      const hash = await hashPassword(confirmed.hasher, newPassword)

      return request.asUser(async (sql, caller) => {
        await lockOwn(sql, caller)
        const { email, emailVerified } = await changePassword(sql, caller.userId, {
          proven: confirmed.passwordHash,
          hash,
        })
        const endedSessions = await endOtherSessions(sql, caller)
        const endedKeys = endKeys && (await endOwnKeys(sql, caller, caller.userId, 'revoked'))
        await endAttempts(sql, app, caller.userId, email)
        await spendMailedTokens(sql, caller, { target: caller })
        await (caller.assurance === 2 ? forgetTries : forgetTriesByMail)(sql, app.keyring, email)
        if (confirmed.passwordHash === null)
          await tellOfChange(sql, app, { id: caller.userId, email, emailVerified }, 'password_added', caller)
        else if (emailVerified) {
          const sealed = app.keyring.seal('job', email, sql.tenant)
          await queueMail(sql, { kind: 'password_changed', userId: caller.userId, sealed })
        }
        await record(sql, caller, 'password.changed', {
          target: caller,
          details: { endedSessions, ...(endedKeys && { endedKeys }) },
        })
        return { endedSessions }
      })
    },
  )

  app.delete(
    '/users/me/password',
    {
      config: {
        access: 'user',
        proof: 'fresh',
        withoutSecondFactor: true,
        problems: ['last_way_in', 'not_found', 'second_factor_required'],
      },
      schema: {
        operationId: 'removePassword',
        summary: 'Remove password',
        description:
          'Ends all other sessions. Another way to sign in must remain. If you have a factor, the session must have proven two.',
        tags: ['Me'],
        response: { 200: Ended },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const person = await lockOwn(sql, caller)
        if (person.passwordHash === null) throw new ApiProblem('not_found')
        checkFactorChange(person, caller)
        await removePassword(sql, caller.userId)
        await keepWayIn(sql, person)
        const endedSessions = await endOtherSessions(sql, caller)
        await endAttempts(sql, app, caller.userId, person.email)
        await spendMailedTokens(sql, caller, { target: caller })
        await tellOfChange(sql, app, person, 'password_removed', caller)
        await record(sql, caller, 'password.removed', { target: caller, details: { endedSessions } })
        return { endedSessions }
      }),
  )
}

/**
 * Names what the schema has found in the body, and what is wrong with the passwords of this person, at once.
 *
 * @throws Problem invalid_request, and those of the door
 */
async function refuseFaulty(request: FastifyRequest): Promise<void> {
  const faults = faultsOfBody(request)
  const { currentPassword, newPassword } = request.body as Readonly<Record<string, unknown>> // it is an object
  if (faults.length === 0 && currentPassword !== undefined) return
  const { found } = await readPerson(request).catch((error: unknown) => {
    throw request.validationError ?? error
  })
  const others = [
    ...(found.passwordHash !== null && currentPassword === undefined ? [faultOf('/currentPassword', 'required')] : []),
    ...(typeof newPassword === 'string' ? await findPasswordFaults('/newPassword', newPassword, found) : []),
  ]
  if (faults.length + others.length > 0) throw invalidRequest(firstOfEach([...faults, ...others]))
}
