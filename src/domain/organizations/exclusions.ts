/**
 * Exclusions: who was put out of an organization. No link lets them in again, and no invitation that was sent before.
 *
 * Somebody is put out who is removed by somebody, or whose membership goes while it is suspended. A new invitation, an admin of the tenant
 * or an import lets them in, which lifts the exclusion.
 */
import { empty, pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import { recordRevoked, revokeInvitations } from './invitation-states.ts'
import { isSentTo } from './invitations.ts'

/**
 * Notes that somebody is out. The organization's row must be locked. `revokeAwaiting` belongs to it.
 *
 * @param by who removed them; null: they left, or their time ended, while they were suspended
 * @param at when their time ended
 */
export function exclude(
  sql: Sql,
  organizationId: string,
  userId: string,
  by: string | null,
  at?: string,
): Sent<unknown> {
  return sql`
    insert into exclusions (tenant_id, organization_id, user_id, excluded_by, excluded_at)
    values (${sql.tenant}, ${organizationId}, ${userId}, ${by}, ${at === undefined ? statement`default` : at})
    on conflict (tenant_id, organization_id, user_id) do update set excluded_by = excluded.excluded_by`
}

/** The pending invitations that somebody who is put out could still accept, also those that wait until their address is verified. */
export function selectAwaiting(tenant: string, organization: Statement | string, user: Statement | string): Statement {
  return statement`
    select i.id from invitations i
    where i.tenant_id = ${tenant} and i.organization_id = ${organization} and ${isSentTo(tenant, statement`${user}`)}`
}

/**
 * Revokes them. `dropMembership` comes before, since it locks the invitations in order.
 *
 * @param since when they were put out, if that was before: who was invited after it is let in
 */
export async function revokeAwaiting(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  userId: string,
  since?: string,
): Promise<void> {
  const awaiting = await sql<{ id: string }>`
    ${selectAwaiting(sql.tenant, organizationId, userId)} ${since === undefined ? empty : statement`and i.created_at <= ${since}`}`
  const ids = awaiting.map(({ id }) => id)
  const revoked = await revokeInvitations(sql, ids)
  await pipeline(revoked.map((id) => recordRevoked(sql, actor, organizationId, id, 'invitee_excluded')))
}

/** Lifts the exclusions of people who are let in. */
export function includeAgain(
  sql: Sql,
  people: readonly { readonly organizationId: string; readonly userId: string }[],
): Sent<unknown> {
  return sql`
    delete from exclusions
    where tenant_id = ${sql.tenant} and (organization_id, user_id) in (
      select organization_id, user_id
      from unnest(${people.map(({ organizationId }) => organizationId)}::text[], ${people.map(({ userId }) => userId)}::text[])
        as r (organization_id, user_id))`
}
