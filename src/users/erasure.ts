/**
 * Erasure: deleting an account for good.
 *
 * Invariant: afterwards a dump of the whole database holds no trace of the person (email, name, IP, device, metadata, user id), in
 * clear or as an unsalted hash. What an organization's or the tenant's log tells of them stays, of a person nobody can name.
 */
import { Type } from 'typebox'
import type { Caller } from '../access/authorization.ts'
import type { Role } from '../access/roles.ts'
import { recordEvent } from '../audit/audit.ts'
import type { Sql } from '../database/database.ts'
import { Problem } from '../http/problems.ts'
import { ref } from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { removeJob } from '../jobs/queue.ts'
import { Deleted, deletedNow, eraseOrganization } from '../organizations/deletion.ts'
import { invitationJob } from '../organizations/invitations.ts'
import { dropMembership } from '../organizations/memberships.ts'
import { verificationJob } from '../sign-in/email-verification.ts'
import { forgetAttempts } from '../sign-in/guessing.ts'
import { confirmPassword, Password } from '../sign-in/passwords.ts'

export async function erasureRoutes(app: App): Promise<void> {
  app.delete(
    '/users/me',
    {
      config: {
        access: 'user',
        problems: ['wrong_password', 'too_many_attempts', 'overloaded', 'sole_owner', 'last_admin'],
      },
      schema: {
        operationId: 'deleteMe',
        summary: 'Delete account',
        description: 'Permanent. Organizations whose only member is the caller go with the account.',
        tags: ['Me'],
        body: Type.Object({ password: Password }, { additionalProperties: false }),
        response: { 200: ref(Deleted) },
      },
    },
    async (request) => {
      const { passwordHash } = await confirmPassword(request, request.body.password)
      return request.asUser(async (sql, caller) => {
        await keepAnAdmin(sql, caller)
        const memberships = await lockMemberships(sql, caller.userId)
        const blocked = memberships.filter(
          ({ role, ownerCount, memberCount }) => role === 'owner' && ownerCount === 1 && memberCount > 1,
        )
        if (blocked.length > 0) {
          throw new Problem('sole_owner', { organizations: blocked.map(({ id, name, slug }) => ({ id, name, slug })) })
        }
        const [proven] = await sql<{ isProven: boolean }>`
          select password_hash is not distinct from ${passwordHash} as is_proven
          from users
          where tenant_id = ${sql.tenant} and id = ${caller.userId}
          for update`
        if (!proven) throw new Problem('unauthenticated') // deleted by another request while we waited
        if (!proven.isProven) throw new Problem('wrong_password')

        await recordEvent(sql, caller, 'user.deleted', { target: caller })
        for (const { id, role, memberCount } of memberships) {
          if (memberCount > 1) {
            await recordEvent(sql, caller, 'member.left', { organizationId: id, target: caller })
            await dropMembership(sql, { organizationId: id, userId: caller.userId, role })
          } else {
            await eraseOrganization(sql, id)
            await recordEvent(sql, caller, 'organization.deleted', { target: { type: 'organization', id } })
          }
        }
        await eraseUser(sql, caller)
        await forgetAttempts(sql, app.keyring, caller.email)
        return deletedNow(sql)
      })
    },
  )
}

/**
 * The tenant's row is locked before its admins are counted, so that two of them cannot go at the same moment.
 *
 * @throws Problem last_admin
 */
async function keepAnAdmin(sql: Sql, caller: Caller): Promise<void> {
  if (caller.tenantRole !== 'admin') return
  await sql`select from tenants where id = ${sql.tenant} for no key update`
  const others = await sql`
    select from users
    where tenant_id = ${sql.tenant} and role = 'admin' and status = 'active' and id <> ${caller.userId}
    limit 1`
  if (others.length === 0) throw new Problem('last_admin')
}

interface Membership {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly role: Role
  readonly ownerCount: number
  readonly memberCount: number
}

/** Locks the organizations that a user is in, always in the same order, then reads what the user is in them. */
async function lockMemberships(sql: Sql, userId: string): Promise<Membership[]> {
  await sql`
    select o.id
    from organizations o
    where o.tenant_id = ${sql.tenant}
      and o.id in (select organization_id from memberships where tenant_id = ${sql.tenant} and user_id = ${userId})
    order by o.id
    for no key update`
  return sql<Membership>`
    select o.id, o.name, o.slug, m.role, o.owner_count, o.member_count
    from memberships m
    join organizations o on o.tenant_id = ${sql.tenant} and o.id = m.organization_id
    where m.tenant_id = ${sql.tenant} and m.user_id = ${userId}
    order by o.id`
}

/**
 * Takes the person out of everything that stays. Their sessions, mailed tokens, subjects, audit details and mails hang on the
 * user's row by foreign keys and go with it.
 */
async function eraseUser(sql: Sql, { userId, email }: Pick<Caller, 'userId' | 'email'>): Promise<void> {
  const invitations = await sql<{ id: string; status: string; organizationId: string }>`
    select id, status, organization_id from invitations
    where tenant_id = ${sql.tenant} and (invited_by = ${userId} or email = ${email})
    for no key update`
  const ids = invitations.map(({ id }) => id)
  for (const { id, status, organizationId } of invitations) {
    await removeJob(sql, invitationJob(id))
    if (status !== 'pending') continue
    await recordEvent(sql, { type: 'system', requestId: null }, 'invitation.revoked', {
      organizationId,
      target: { type: 'invitation', id },
    })
  }
  await sql`
    update invitations
    set status = case status when 'pending' then 'revoked' else status end,
      email = case email when ${email} then null else email end
    where tenant_id = ${sql.tenant} and id = any(${ids})`
  await sql`delete from mails where tenant_id = ${sql.tenant} and (recipient = ${email} or invitation_id = any(${ids}))`
  await removeJob(sql, verificationJob(userId))
  await sql`delete from users where tenant_id = ${sql.tenant} and id = ${userId}`
}
