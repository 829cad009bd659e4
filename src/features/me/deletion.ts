/** Deletion: how somebody deletes their own account, for good. */
import { Type } from 'typebox'
import type { Caller } from '../../domain/access/actors.ts'
import { tenantTurn } from '../../domain/access/turns.ts'
import { checkConfirmed, confirmCaller } from '../../domain/credentials/confirmation.ts'
import { Password } from '../../domain/credentials/passwords.ts'
import { Deleted, deletedNow } from '../../domain/deleted.ts'
import { eraseAccount } from '../../domain/erasure/erasure.ts'
import { claimOrganizationsOf } from '../../domain/organizations/memberships.ts'
import { ApiProblem } from '../../domain/problems.ts'
import type { Sql } from '../../platform/database/database.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Email, normalizeEmail, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export async function accountDeletionRoutes(app: App): Promise<void> {
  app.delete(
    '/users/me',
    {
      config: {
        access: 'user',
        problems: [
          'wrong_password',
          'confirmation_required',
          'confirmation_mismatch',
          'too_many_attempts',
          'overloaded',
          'sole_owner',
          'last_admin',
        ],
        withoutSecondFactor: true,
        takesIfMatch: true,
      },
      schema: {
        operationId: 'deleteMe',
        summary: 'Delete account',
        description: 'Permanent. Organizations whose only member is the caller are deleted as well.',
        tags: ['Me'],
        body: Type.Object(
          {
            password: Type.Optional({
              ...Password,
              description: 'Required if you have a password and signed in with one factor.',
            }),
            confirm: Type.Optional({
              ...Email,
              description: 'Your own email address, if you send no password. The session must then be fresh.',
            }),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(Deleted) },
      },
    },
    async (request) => {
      const { password, confirm } = request.body
      const confirmed = await confirmCaller(request, password, '/password')
      return request.asUser(async (sql, caller) => {
        if (confirmed.passwordHash === null) checkTyped(caller, confirm)
        await checkConfirmed(sql, caller, confirmed)
        await claimTurns(sql, caller)
        await eraseAccount(
          sql,
          request.context,
          caller,
          { ...caller, role: caller.tenantRole },
          confirmed.passwordHash ?? undefined,
        )
        return deletedNow(sql)
      })
    },
  )
}

/** Takes the turns of what is locked: of the tenant before an admin goes, and of the organizations that the caller is in. */
async function claimTurns(sql: Sql, { userId, tenantRole }: Caller): Promise<void> {
  if (tenantRole === 'admin') sql.claimTurn(tenantTurn)
  await claimOrganizationsOf(sql, userId)
}

/** @throws Problem invalid_request, confirmation_mismatch */
function checkTyped({ email }: Caller, typed: string | undefined): void {
  if (typed === undefined) throw invalidRequest([faultOf('/confirm', 'required')])
  if (normalizeEmail(typed) !== email) throw new ApiProblem('confirmation_mismatch')
}
