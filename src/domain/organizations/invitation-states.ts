/**
 * The states of invitations: every statement that begins, renews or ends one.
 *
 * Invariants: an organization and address have at most one pending invitation (unique partial index `invitations_pending_key`); an
 * invitation never outlives its inviter's right to make it.
 */

import { pipeline, type Sql } from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import { linkLifetimes } from '../access/tokens.ts'
import { mayInvite, type Role, roles } from '../permissions/roles.ts'
import { record } from '../record/record.ts'

/** An invitation that begins. */
interface NewInvitation {
  readonly id: string
  readonly organizationId: string
  /** Normalised. */
  readonly email: string
  readonly role: Role
  readonly invitedBy: string
}

/** Adds a pending invitation, good for seven days. The organization's row must be locked. */
export async function addInvitation(
  sql: Sql,
  { id, organizationId, email, role, invitedBy }: NewInvitation,
): Promise<void> {
  await sql`
    insert into invitations (tenant_id, id, organization_id, email, role, invited_by, expires_at)
    values (${sql.tenant}, ${id}, ${organizationId}, ${email}, ${role}, ${invitedBy},
      now() + make_interval(secs => ${linkLifetimes.invitation}))`
}

/**
 * Makes a locked invitation pending again for seven days, with a new link that replaces the older ones.
 *
 * @returns the generation of the new link
 */
export async function renewInvitation(sql: Sql, id: string, invitedBy: string): Promise<number> {
  const [renewed] = await sql<{ generation: number }>`
    update invitations
    set status = 'pending', generation = generation + 1, token_spent_at = null, invited_by = ${invitedBy},
      expires_at = now() + make_interval(secs => ${linkLifetimes.invitation})
    where tenant_id = ${sql.tenant} and id = ${id}
    returning generation`
  return renewed?.generation ?? 1
}

/** Closes what has expired of the pending invitations to an address, so that another one can take its place. */
export async function closeExpired(sql: Sql, organizationId: string, email: string): Promise<void> {
  await sql`
    update invitations set status = 'expired'
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and email = ${email}
      and status = 'pending' and expires_at <= now()`
}

/** Accepts a locked invitation. @param membershipId the membership that it led to */
export async function acceptInvitation(sql: Sql, id: string, membershipId: string): Promise<void> {
  await sql`
    update invitations set status = 'accepted', membership_id = ${membershipId}
    where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Declines or revokes an invitation. @returns whether it was there */
export async function closeInvitation(sql: Sql, id: string, status: 'declined' | 'revoked'): Promise<boolean> {
  const closed = await sql`
    update invitations set status = ${status} where tenant_id = ${sql.tenant} and id = ${id} returning id`
  return closed.length > 0
}

/** Spends the token of an invitation, and not the invitation. */
export async function spendInvitationToken(sql: Sql, id: string): Promise<void> {
  await sql`update invitations set token_spent_at = now() where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Takes the addresses out of invitations whose invited person is erased. */
export async function eraseInvitees(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql`update invitations set email = null where tenant_id = ${sql.tenant} and id = any(${ids})`
}

/**
 * Revokes the pending invitations of a member that they could no longer make.
 *
 * @param member the role is the one they have now; null when they are no longer a member
 */
export async function revokeInvitationsBeyond(
  sql: Sql,
  actor: Actor,
  member: { readonly organizationId: string; readonly userId: string; readonly role: Role | null },
): Promise<void> {
  const { organizationId, userId, role } = member
  const still = roles.filter((into) => role !== null && mayInvite(role, into))
  const revoked = await sql<{ id: string }>`
    update invitations set status = 'revoked'
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and invited_by = ${userId}
      and status = 'pending' and expires_at > now() and role <> all(${still})
    returning id`
  const isLeaving = actor.type === 'user' && actor.userId === userId
  const cause = role !== null ? 'inviter_demoted' : isLeaving ? 'inviter_left' : 'inviter_removed'
  await pipeline(revoked.map(({ id }) => recordRevoked(sql, actor, organizationId, id, cause)))
}

/** Revokes every pending invitation of somebody who may make none any more. Their organizations must be locked. */
export async function revokeInvitationsOf(sql: Sql, actor: Actor, userId: string): Promise<void> {
  const revoked = await sql<{ id: string; organizationId: string }>`
    update invitations set status = 'revoked'
    where tenant_id = ${sql.tenant} and invited_by = ${userId} and status = 'pending' and expires_at > now()
    returning id, organization_id`
  await pipeline(
    revoked.map(({ id, organizationId }) => recordRevoked(sql, actor, organizationId, id, 'inviter_suspended')),
  )
}

type Cause = 'inviter_demoted' | 'inviter_left' | 'inviter_removed' | 'inviter_suspended'

/** @param cause what took the invitation with it, where nobody revoked it for its own sake */
export async function recordRevoked(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  id: string,
  cause?: Cause,
): Promise<void> {
  await record(sql, actor, 'invitation.revoked', {
    organizationId,
    target: { type: 'invitation', id },
    ...(cause && { details: { cause } }),
  })
}
