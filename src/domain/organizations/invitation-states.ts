/**
 * The states of invitations: every statement that begins, renews or ends one.
 *
 * Invariants: an organization and address have at most one pending invitation (unique partial index `invitations_pending_key`); an
 * invitation never outlives its inviter's right to make it.
 */

import { empty, pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { isOneOf } from '../../platform/database/one-of.ts'
import type { Actor, Maker } from '../access/actors.ts'
import type { Role } from '../permissions/roles.ts'
import { record } from '../record/record.ts'
import { wordsOfAddress } from '../search/words.ts'
import { dropInvitationWords, indexInvitations } from '../search/writing.ts'
import type { OfferedGrant } from './grants.ts'

/** An invitation that begins. */
interface NewInvitation {
  readonly id: string
  readonly organizationId: string
  /** Normalised. */
  readonly email: string
  readonly role: Role
  readonly grants: readonly OfferedGrant[]
  /** When the membership ends; null: no end. */
  readonly memberExpiresAt: string | null
  readonly locale: string | null
  readonly isMailed: boolean
  readonly maker: Maker
  readonly days: number
}

/** An invitation expires no later than the membership that it offers. */
function expiry(days: number, memberExpiresAt: Statement | string | null): Statement {
  return statement`least(now() + make_interval(days => ${days}), ${memberExpiresAt}::timestamptz)`
}

/** Adds pending invitations. The organization's row must be locked. */
export function addInvitations(sql: Sql, invitations: readonly NewInvitation[]): Sent<unknown> {
  const made = invitations.map((invitation) => ({ ...invitation, words: wordsOfAddress(invitation.email) }))
  return pipeline([...made.map((invitation) => addInvitation(sql, invitation)), indexInvitations(sql, made)])
}

function addInvitation(sql: Sql, invitation: NewInvitation & { readonly words: string }): Sent<unknown> {
  const { id, organizationId, email, words, role, grants, memberExpiresAt, locale, isMailed, maker, days } = invitation
  return sql`
    insert into invitations (tenant_id, id, organization_id, email, words, role, grants, member_expires_at, locale, mailed, invited_by,
      key_id, expires_at)
    values (${sql.tenant}, ${id}, ${organizationId}, ${email}, ${words}, ${role}, ${JSON.stringify(grants)}, ${memberExpiresAt}, ${locale},
      ${isMailed}, ${maker.userId}, ${maker.keyId}, ${expiry(days, memberExpiresAt)})`
}

/** Makes a locked invitation pending again, with a link of the next generation, which replaces the older ones, and has it mailed. */
export function renewInvitation(sql: Sql, id: string, maker: Maker, days: number): Sent<unknown> {
  return sql`
    update invitations
    set status = 'pending', generation = generation + 1, token_spent_at = null, invited_by = ${maker.userId}, key_id = ${maker.keyId},
      mailed = true, expires_at = ${expiry(days, statement`member_expires_at`)}
    where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Closes what has expired of the pending invitations to some addresses, so that others can take their place. */
export function closeExpired(sql: Sql, organizationId: string, emails: readonly string[]): Sent<unknown> {
  return sql`
    update invitations set status = 'expired'
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and ${isOneOf(statement`email`, emails)}
      and status = 'pending' and expires_at <= statement_timestamp()`
}

/** Accepts a locked invitation. @param membershipId the membership that it led to */
export function acceptInvitation(sql: Sql, id: string, membershipId: string): Sent<unknown> {
  return sql`
    update invitations set status = 'accepted', membership_id = ${membershipId}
    where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Declines or revokes an invitation. */
export function closeInvitation(sql: Sql, id: string, status: 'declined' | 'revoked'): Sent<unknown> {
  return sql`update invitations set status = ${status} where tenant_id = ${sql.tenant} and id = ${id}`
}

/** Spends the token of an invitation, and not the invitation. */
export async function spendInvitationToken(sql: Sql, id: string): Promise<void> {
  await sql`update invitations set token_spent_at = now() where tenant_id = ${sql.tenant} and id = ${id}`
}

/** What of invitations an erasure changes: lists of ids. */
interface ErasedOfInvitations {
  /** Those that the person sent or received. */
  readonly all: readonly string[]
  readonly received: readonly string[]
  readonly revoked: readonly string[]
}

/**
 * Takes an erased person out of locked invitations, with their addresses and the membership to which one led, and revokes some of these.
 *
 * All in one change: of a row that the transaction has changed before, PostgreSQL would check each foreign key again, and wait for an inviter
 * or an organization. Their own erasure may wait for the row.
 */
export function eraseFromInvitations(
  sql: Sql,
  userId: string,
  { all, received, revoked }: ErasedOfInvitations,
): Sent<unknown> {
  const isReceived = statement`id = any(${received})`
  return pipeline([
    sql`
      update invitations
      set status = case when id = any(${revoked}) then 'revoked' else status end, invited_by = nullif(invited_by, ${userId}),
        email = case when ${isReceived} then null else email end, words = case when ${isReceived} then null else words end,
        membership_id = case when ${isReceived} then null else membership_id end
      where tenant_id = ${sql.tenant} and id = any(${all})`,
    dropInvitationWords(sql, received),
  ])
}

/** Takes a membership that is about to end out of the invitation that it came from. @param id of the membership, as an expression */
export function forgetMembership(sql: Sql, id: Statement): Sent<unknown> {
  return sql`update invitations set membership_id = null where tenant_id = ${sql.tenant} and membership_id = ${id}`
}

/** The place of an invitation in the index `invitations_by_created_at`. */
export interface InvitationPlace {
  readonly createdAt: string
  readonly id: string
}

/** Deletes invitations of an organization that is erased, with their words. @param after the last that was deleted @returns each, in order */
export function deleteInvitationsOf(
  sql: Sql,
  organizationId: string,
  limit: number,
  { createdAt, id }: InvitationPlace = { createdAt: '-infinity', id: '' },
): Sent<InvitationPlace[]> {
  return sql`
    with over as (
      select created_at, id from invitations
      where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and (created_at, id) > (${createdAt}, ${id})
      order by created_at, id
      limit ${limit}),
    erased as (
      delete from invitations where tenant_id = ${sql.tenant} and id = any(array(select id from over)))
    select created_at, id from over order by created_at, id`
}

/**
 * Revokes invitations that are pending.
 *
 * @param keyId the key that must still be the one that made them, where they are not locked: somebody may have sent one again
 * @returns the ids of those that were revoked
 */
export async function revokeInvitations(sql: Sql, ids: readonly string[], keyId?: string): Promise<string[]> {
  if (ids.length === 0) return []
  const revoked = await sql<{ id: string }>`
    update invitations set status = 'revoked'
    where tenant_id = ${sql.tenant} and id = any(${ids}) and status = 'pending'
      ${keyId === undefined ? empty : statement`and key_id = ${keyId}`}
    returning id`
  return revoked.map(({ id }) => id)
}

/** @param cause what took the invitation with it, where nobody revoked it for its own sake */
export function recordRevoked(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  id: string,
  cause?: string,
): Sent<unknown> {
  return record(sql, actor, 'invitation.revoked', {
    organizationId,
    target: { type: 'invitation', id },
    ...(cause && { details: { cause } }),
  })
}
