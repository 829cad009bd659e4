/** Revocation: how invitations end when the right to make them ends. */

import { pipeline, type Sql } from '../../platform/database/database.ts'
import type { Actor } from '../access/authorization.ts'
import { mayInvite, type Role, roles } from '../permissions/roles.ts'
import { recordEvent } from '../record/record.ts'

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
  await recordEvent(sql, actor, 'invitation.revoked', {
    organizationId,
    target: { type: 'invitation', id },
    ...(cause && { details: { cause } }),
  })
}
