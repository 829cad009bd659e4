/** Password: changing one's own. */
import { Type } from 'typebox'
import { spendMailedTokens } from '../../domain/credentials/mailed-tokens.ts'
import {
  changePassword,
  checkCommon,
  checkNewPassword,
  confirmPassword,
  hashPassword,
  NewPassword,
  Password,
} from '../../domain/credentials/passwords.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { record } from '../../domain/record/record.ts'
import { endOtherSessions } from '../../domain/sessions/sessions.ts'
import type { App } from '../../platform/http/server.ts'

export async function passwordRoutes(app: App): Promise<void> {
  app.post(
    '/users/me/password',
    {
      config: { access: 'user', problems: ['wrong_password', 'too_many_attempts', 'overloaded'] },
      schema: {
        operationId: 'changePassword',
        summary: 'Change password',
        description: 'Ends all other sessions. The current one stays.',
        tags: ['Me'],
        body: Type.Object({ currentPassword: Password, newPassword: NewPassword }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            { endedSessions: Type.Integer({ minimum: 0, maximum: 1_000_000, format: 'int32' }) },
            { description: 'The number of other sessions that were ended.' },
          ),
        },
      },
    },
    async (request) => {
      const { currentPassword, newPassword } = request.body
      checkCommon('/newPassword', newPassword)
      const confirmed = await confirmPassword(request, currentPassword)
      checkNewPassword('/newPassword', newPassword, confirmed)
      const hash = await hashPassword(confirmed.hasher, newPassword)

      return request.asUser(async (sql, caller) => {
        const { email, emailVerified } = await changePassword(sql, caller.userId, {
          proven: confirmed.passwordHash,
          hash,
        })
        const endedSessions = await endOtherSessions(sql, caller)
        const spent = await spendMailedTokens(sql, caller.userId)
        if (emailVerified) {
          const sealed = app.keyring.seal('job', email, sql.tenant)
          await queueMail(sql, { kind: 'password_changed', userId: caller.userId, sealed })
        }
        await record(sql, caller, 'password.changed', { target: caller, details: { endedSessions, ...spent } })
        return { endedSessions }
      })
    },
  )
}
