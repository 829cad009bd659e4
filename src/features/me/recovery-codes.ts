/** Recovery codes: a new set of one's own. */
import { Type } from 'typebox'
import { makeRecoveryCodes, RecoveryCode } from '../../domain/credentials/recovery-codes.ts'
import { caps } from '../../domain/limits/caps.ts'
import { tellOfChange } from '../../domain/mail/sign-in.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { isSecondFactorAsked } from '../../domain/sessions/policy.ts'
import { checkFactorChange, lockOwn } from '../../domain/sessions/ways-in.ts'
import type { App } from '../../platform/http/server.ts'

export async function recoveryCodeRoutes(app: App): Promise<void> {
  app.post(
    '/users/me/recovery-codes',
    {
      config: {
        access: 'user',
        proof: 'fresh',
        withoutSecondFactor: true,
        problems: ['no_factor', 'second_factor_required'],
      },
      schema: {
        operationId: 'makeRecoveryCodes',
        summary: 'Make recovery codes',
        description: 'Ten new codes, shown once. All older ones stop working.',
        tags: ['Factors'],
        response: {
          200: Type.Object(
            { codes: Type.Array(RecoveryCode, { maxItems: caps.recoveryCodes.most }) },
            { description: 'The new codes.' },
          ),
        },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const person = await lockOwn(sql, caller)
        if (!isSecondFactorAsked(person)) throw new ApiProblem('no_factor')
        checkFactorChange(person, caller)
        const codes = await makeRecoveryCodes(sql, caller.userId)
        await tellOfChange(sql, app, person, 'recovery_codes_made', caller)
        await record(sql, caller, 'recovery_codes.made', { target: caller })
        return { codes }
      }),
  )
}
