/** Creation: how a tenant admin makes an account for somebody. */

import { Type } from 'typebox'
import { type Caller, type KeyCaller, personOf } from '../../domain/access/actors.ts'
import { checkRank } from '../../domain/access/rank.ts'
import { checkEmailDomain, type Tenant } from '../../domain/access/tenancy.ts'
import { type Confirmed, checkConfirmed, checkFresh, confirmCaller } from '../../domain/credentials/confirmation.ts'
import { Password } from '../../domain/credentials/passwords.ts'
import { ExternalId, setExternalIdOfUser } from '../../domain/people/external-ids.ts'
import { userFields } from '../../domain/people/fields.ts'
import { makeUser } from '../../domain/people/make-user.ts'
import { selectUserForAdmins, User } from '../../domain/people/users.ts'
import { tenantRoles } from '../../domain/permissions/roles.ts'
import { found } from '../../domain/problems.ts'
import type { Sql } from '../../platform/database/database.ts'
import { asStored } from '../../platform/database/fields.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Email, Name, newId, normalizeEmail, OneOf, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export const currentPassword = Type.Optional({
  ...Password,
  description:
    'Your own password. Required to make somebody an admin if you have a password and signed in with one factor; otherwise the session must be fresh.',
})

export const passwordProblems = ['wrong_password', 'too_many_attempts', 'overloaded', 'confirmation_required'] as const

export async function userCreationRoutes(app: App): Promise<void> {
  app.post(
    '/admin/users',
    {
      config: {
        access: 'tenant_admin',
        scope: 'users:write',
        problems: [
          'role_above_yours',
          'email_taken',
          'email_domain_not_allowed',
          'external_id_taken',
          ...passwordProblems,
        ],
        takesIdempotencyKey: true,
      },
      schema: {
        operationId: 'createUser',
        summary: 'Create user',
        description: 'The person gets a mail with a link to set a password. The link expires after seven days.',
        tags: ['Administration'],
        body: Type.Object(
          {
            email: Email,
            name: Type.Optional(Name),
            role: Type.Optional(OneOf(tenantRoles)),
            externalId: Type.Optional(ExternalId),
            currentPassword,
          },
          { additionalProperties: false },
        ),
        response: { 201: ref(User) },
      },
    },
    async (request, reply) => {
      const { name = null, role = 'user', externalId, currentPassword } = request.body
      const email = normalizeEmail(request.body.email) as string // the format `email` let it pass
      const confirmed =
        currentPassword === undefined ? undefined : await confirmCaller(request, currentPassword, '/currentPassword')
      const user = await request.asTenantAdmin(async (sql, caller) => {
        if (role === 'admin') await checkGrant(sql, caller, confirmed)
        const [tenant] = await sql<Pick<Tenant, 'allowedEmailDomains'>>`
          select allowed_email_domains from tenants where id = ${sql.tenant}`
        if (tenant) checkEmailDomain(tenant, email)
        const id = newId('user')
        const made = asStored(userFields, { id, email, emailVerified: false, name, passwordHash: null, role })
        await makeUser(sql, app.keyring, made, { actor: caller, link: 'set_password' })
        if (externalId !== undefined) await setExternalIdOfUser(sql, id, externalId)
        return getUser(sql, id)
      })
      reply.status(201).header('location', `/api/admin/users/${user.id}`)
      return withTag(reply, user)
    },
  )
}

/**
 * To make an admin, the caller proves to be one: an open session is not enough.
 *
 * @param confirmed the caller's proof, from before the transaction
 * @throws Problem role_above_yours for a key; invalid_request without it if the caller has a password; wrong_password when it was changed since, confirmation_required
 */
export async function checkGrant(sql: Sql, by: Caller | KeyCaller, confirmed: Confirmed | undefined): Promise<void> {
  checkRank(by, 'admin')
  const caller = personOf(by)
  if (confirmed) return checkConfirmed(sql, caller, confirmed)
  const withPassword = await sql`
    select from users where tenant_id = ${sql.tenant} and id = ${caller.userId} and password_hash is not null`
  if (withPassword.length > 0 && caller.assurance === 1) throw invalidRequest([faultOf('/currentPassword', 'required')])
  checkFresh(caller)
}

/** @throws Problem not_found */
export async function getUser(sql: Sql, userId: string): Promise<User & Versioned> {
  const [user] = await sql<
    User & Versioned
  >`${selectUserForAdmins(sql.tenant)} where tenant_id = ${sql.tenant} and id = ${userId}`
  return found(user)
}
