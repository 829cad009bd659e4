/** Factors of users, as tenant admins see them, and the reset for somebody who has lost all of them. */
import { Type } from 'typebox'
import { type Actor, type Caller, personOf } from '../../domain/access/actors.ts'
import { dropFactors } from '../../domain/credentials/factors.ts'
import { forgetTries } from '../../domain/credentials/guessing.ts'
import { dropIdentities } from '../../domain/credentials/identities.ts'
import { forgetDevices } from '../../domain/credentials/known-devices.ts'
import { mailToken, spendMailedTokens } from '../../domain/credentials/mailed-tokens.ts'
import { removePassword } from '../../domain/credentials/passwords.ts'
import { endOwnKeys } from '../../domain/keys/endings.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { found } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { endAttempts } from '../../domain/sessions/attempts.ts'
import { type FactorRows, Factors, selectFactorList, toFactorList } from '../../domain/sessions/factor-list.ts'
import { type Person, selectPerson } from '../../domain/sessions/policy.ts'
import { recheckCaller } from '../../domain/sessions/recheck.ts'
import { endAllSessions } from '../../domain/sessions/sessions.ts'
import { checkFactorChange, lockPerson } from '../../domain/sessions/ways-in.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { Id } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const path = Type.Object({ userId: Id('user') })

export async function userFactorRoutes(app: App): Promise<void> {
  app.get(
    '/admin/users/:userId/factors',
    {
      config: { access: 'tenant_admin', scope: 'users:read', problems: ['not_found'] },
      schema: {
        operationId: 'listUserFactors',
        summary: 'List a user’s factors',
        description: 'The whole list.',
        tags: ['Administration'],
        params: path,
        response: { 200: Factors },
      },
    },
    async (request) =>
      toFactorList(
        await request.readAsTenantAdmin<FactorRows>(({ tenant }) => selectFactorList(tenant, request.params.userId), {
          byKey: true,
        }),
      ),
  )

  app.delete(
    '/admin/users/:userId/factors',
    {
      config: { access: 'tenant_admin', proof: 'fresh', problems: ['not_found', 'second_factor_required'] },
      schema: {
        operationId: 'resetUserFactors',
        summary: 'Reset a user’s factors',
        description:
          'For somebody who has lost every factor. Removes factors, recovery codes and linked accounts, turns the password off, ends all sessions and keys of the user, and mails a link to choose a new password, unless the user is suspended. An admin who has a factor needs a session that has proven two.',
        tags: ['Administration'],
        params: path,
        response: {
          200: Type.Object(
            {
              removed: Type.Integer({ minimum: 0, maximum: 100, format: 'int32' }),
              endedSessions: Type.Integer({ minimum: 0, maximum: 1_000_000, format: 'int32' }),
            },
            {
              description:
                'The number of factors and linked accounts that were removed, and of sessions that were ended.',
            },
          ),
        },
      },
    },
    async (request) =>
      request.asTenantAdmin(async (sql, caller) => {
        const admin = personOf(caller)
        const { id } = await lockFor(sql, admin, request.params.userId)
        const [self] = await sql<Person>`${selectPerson(sql.tenant, admin.userId)}`
        if (self) checkFactorChange(self, admin)
        return resetFactors(sql, app.keyring, admin, id)
      }),
  )
}

/** Locks the account that an admin changes. @throws Problem not_found, unauthenticated if the admin's session ended while it was waited for */
export async function lockFor(sql: Sql, admin: Caller, userId: string): Promise<Person> {
  const [person] = await pipeline([lockPerson(sql, userId), recheckCaller(sql, admin)])
  return found(person)
}

/**
 * Resets how somebody signs in: no earlier way of signing in works afterwards. The mailbox is proven, as when the account was made. A thief
 * who has only the password, and talked an admin into this, gains nothing (ASVS 5.0 V6.4.4).
 *
 * @throws Problem not_found
 */
export async function resetFactors(
  sql: Sql,
  keyring: Keyring,
  actor: Actor,
  userId: string,
): Promise<{ readonly removed: number; readonly endedSessions: number }> {
  const person = found(await lockPerson(sql, userId))
  const { email, emailVerified, name, status } = person
  // An account that is linked may be a thief's, and would sign them in again.
  const removed = (await dropFactors(sql, userId)) + (await dropIdentities(sql, userId))
  await removePassword(sql, userId)
  const endedSessions = await endAllSessions(sql, userId)
  await endOwnKeys(sql, actor, userId, 'reset')
  await endAttempts(sql, { keyring }, userId, email)
  await forgetDevices(sql, userId)
  const target = { type: 'user', userId, name } as const
  await spendMailedTokens(sql, actor, { target })
  await forgetTries(sql, keyring, email)
  const isSuspended = status !== 'active'
  if (!isSuspended) await mailToken(sql, 'set_password', userId, email)
  if (emailVerified) {
    const sealed = keyring.seal('job', JSON.stringify({ email, isSuspended }), sql.tenant)
    await queueMail(sql, { kind: 'factors_reset', userId, sealed })
  }
  await record(sql, actor, 'factors.reset', { target, details: { removed, endedSessions } })
  return { removed, endedSessions }
}
