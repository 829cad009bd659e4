/**
 * Erasure: deleting an account for good.
 *
 * Invariant: afterwards a dump of the whole database holds no trace of the person (email, name, IP, device, metadata, user id), in
 * clear or as an unsalted hash. What an organization's or the tenant's log tells of them stays, of a person nobody can name.
 */
import { Type } from 'typebox'
import type { Caller } from '../access/authorization.ts'
import type { Role, TenantRole } from '../access/roles.ts'
import { recordEvent } from '../audit/audit.ts'
import type { Keyring } from '../cryptography.ts'
import type { Sql } from '../database/database.ts'
import { Problem } from '../http/problems.ts'
import { ref } from '../http/schemas.ts'
import type { App } from '../http/server.ts'
import { queueMail, removeJobs, removeMailsTo } from '../jobs/queue.ts'
import type { Goodbye } from '../mail/composition.ts'
import { Deleted, deletedNow, eraseOrganization } from '../organizations/deletion.ts'
import { invitationJob } from '../organizations/invitations.ts'
import { dropMembership } from '../organizations/memberships.ts'
import { recordRevoked } from '../organizations/revocation.ts'
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
        await eraseAccount(sql, app.keyring, caller, { ...caller, role: caller.tenantRole }, passwordHash)
        return deletedNow(sql)
      })
    },
  )
}

/** Whose account is deleted. */
export interface Erased {
  readonly userId: string
  readonly name: string | null
  readonly role: TenantRole
}

/**
 * Deletes an account for good, and the organizations that nobody else is in.
 *
 * @param actor  its owner, or a tenant admin
 * @param proven the hash of the password that was proven, where it was asked for
 * @throws Problem last_admin, sole_owner, wrong_password when it was changed since, unauthenticated when the account has just gone
 */
export async function eraseAccount(
  sql: Sql,
  keyring: Keyring,
  actor: Caller,
  user: Erased,
  proven?: string,
): Promise<void> {
  await keepAnAdmin(sql, user)
  const memberships = await lockMemberships(sql, user.userId)
  const blocked = memberships.filter(
    ({ role, ownerCount, memberCount }) => role === 'owner' && ownerCount === 1 && memberCount > 1,
  )
  if (blocked.length > 0) {
    throw new Problem('sole_owner', { organizations: blocked.map(({ id, name, slug }) => ({ id, name, slug })) })
  }
  const [locked] = await sql<{ email: string; passwordHash: string | null }>`
    select email, password_hash
    from users
    where tenant_id = ${sql.tenant} and id = ${user.userId}
    for update`
  if (!locked) throw new Problem(actor.userId === user.userId ? 'unauthenticated' : 'not_found')
  if (proven !== undefined && proven !== locked.passwordHash) throw new Problem('wrong_password')

  const target = { type: 'user', userId: user.userId, name: user.name } as const
  const left = actor.userId === user.userId ? 'member.left' : 'member.removed'
  await recordEvent(sql, actor, 'user.deleted', { target })
  const invitations = await lockInvitations(sql, user.userId, locked.email)
  for (const { id, role, memberCount } of memberships) {
    if (memberCount > 1) {
      await recordEvent(sql, actor, left, { organizationId: id, target })
      await dropMembership(sql, { organizationId: id, userId: user.userId, role })
    } else {
      await eraseOrganization(sql, id)
      await recordEvent(sql, actor, 'organization.deleted', { target: { type: 'organization', id } })
    }
  }
  await eraseUser(sql, user.userId, locked.email, invitations)
  await forgetAttempts(sql, keyring, locked.email)
  const goodbye: Goodbye = { email: locked.email, until: new Date(Date.now() + 86_400_000).toISOString() }
  await queueMail(sql, { kind: 'account_deleted', sealed: keyring.seal('job', JSON.stringify(goodbye), sql.tenant) })
}

/**
 * The tenant's row is locked before its admins are counted, so that two of them cannot go at the same moment.
 *
 * @throws Problem last_admin
 */
export async function keepAnAdmin(sql: Sql, { userId, role }: Pick<Erased, 'userId' | 'role'>): Promise<void> {
  if (role !== 'admin') return
  await sql`select from tenants where id = ${sql.tenant} for no key update`
  const others = await sql`
    select from users
    where tenant_id = ${sql.tenant} and role = 'admin' and status = 'active' and id <> ${userId}
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

interface Invited {
  readonly id: string
  readonly status: string
  readonly organizationId: string
  /** Whether the user was invited by it, under whatever address they had then. */
  readonly isTheirs: boolean
}

/** Locks the invitations that a user sent or received. To be asked while their memberships are still there. */
function lockInvitations(sql: Sql, userId: string, email: string): Promise<Invited[]> {
  return sql<Invited>`
    with theirs as (select id from memberships where tenant_id = ${sql.tenant} and user_id = ${userId})
    select id, status, organization_id,
      coalesce(email = ${email}, false) or coalesce(membership_id in (select id from theirs), false) as is_theirs
    from invitations
    where tenant_id = ${sql.tenant}
      and (invited_by = ${userId} or email = ${email} or membership_id in (select id from theirs))
    for no key update`
}

/**
 * Takes the person out of everything that stays. Their sessions, mailed tokens, subjects, audit details and mails hang on the
 * user's row by foreign keys and go with it.
 */
async function eraseUser(sql: Sql, userId: string, email: string, invitations: readonly Invited[]): Promise<void> {
  const ids = invitations.map(({ id }) => id)
  const theirs = invitations.filter(({ isTheirs }) => isTheirs).map(({ id }) => id)
  for (const { id, organizationId } of invitations.filter(({ status }) => status === 'pending')) {
    const gone = await sql`
      update invitations set status = 'revoked' where tenant_id = ${sql.tenant} and id = ${id} returning id`
    if (gone.length === 0) continue // with its organization
    await recordRevoked(sql, { type: 'system', requestId: null }, organizationId, id)
  }
  await sql`update invitations set email = null where tenant_id = ${sql.tenant} and id = any(${theirs})`
  await sql`delete from mails where tenant_id = ${sql.tenant} and (recipient = ${email} or invitation_id = any(${ids}))`
  await removeJobs(sql, ids.map(invitationJob))
  await removeMailsTo(sql, userId)
  await sql`delete from users where tenant_id = ${sql.tenant} and id = ${userId}`
}
