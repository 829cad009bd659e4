/**
 * Exclusions: who was put out of an organization. No link lets them in again, and no invitation that was sent before.
 *
 * Somebody is put out who is removed by somebody, or whose membership goes while it is suspended. A new invitation, an admin of the tenant
 * or an import lets them in, which lifts the exclusion.
 */
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import { recordRevoked, revokeInvitations } from './invitation-states.ts'
import { awaits } from './invitations.ts'

/**
 * Notes that somebody is out, and revokes their pending invitation. The organization's row must be locked. `dropMembership` comes before,
 * since it locks the invitations in order.
 *
 * @param by who removed them; null: they left, or their time ended, while they were suspended
 */
export async function exclude(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  userId: string,
  by: string | null,
): Promise<void> {
  const [, waiting] = await pipeline([
    sql`
      insert into exclusions (tenant_id, organization_id, user_id, excluded_by)
      values (${sql.tenant}, ${organizationId}, ${userId}, ${by})
      on conflict (tenant_id, organization_id, user_id) do update set excluded_by = excluded.excluded_by`,
    sql<{ id: string }>`
      select i.id from invitations i
      where i.tenant_id = ${sql.tenant} and i.organization_id = ${organizationId} and ${awaits(sql.tenant, statement`${userId}`)}`,
  ])
  const revoked = await revokeInvitations(
    sql,
    waiting.map(({ id }) => id),
  )
  await pipeline(revoked.map((id) => recordRevoked(sql, actor, organizationId, id, 'invitee_excluded')))
}

/** Lifts the exclusions of people who are let in. */
export async function includeAgain(
  sql: Sql,
  people: readonly { readonly organizationId: string; readonly userId: string }[],
): Promise<void> {
  await sql`
    delete from exclusions
    where tenant_id = ${sql.tenant} and (organization_id, user_id) in (
      select organization_id, user_id
      from unnest(${people.map(({ organizationId }) => organizationId)}::text[], ${people.map(({ userId }) => userId)}::text[])
        as r (organization_id, user_id))`
}
