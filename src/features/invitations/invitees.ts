/** Invitees: who may be invited, and how many at a time. The organization's row is locked whenever these are asked. */

import { checkEmailDomain, type Tenant } from '../../domain/access/tenancy.ts'
import { closeExpired } from '../../domain/organizations/invitation-states.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'

/** @throws Problem email_domain_not_allowed, already_a_member */
export async function checkInvitee(sql: Sql, organizationId: string, email: string): Promise<void> {
  const [[tenant], members] = await pipeline([
    sql<Pick<Tenant, 'allowedEmailDomains'>>`select allowed_email_domains from tenants where id = ${sql.tenant}`,
    sql`
      select m.id
      from users u
      join memberships m on m.tenant_id = ${sql.tenant} and m.organization_id = ${organizationId} and m.user_id = u.id
      where u.tenant_id = ${sql.tenant} and u.email = ${email}`,
  ])
  if (tenant) checkEmailDomain(tenant, email)
  if (members.length > 0) throw new ApiProblem('already_a_member')
}

/**
 * Closes an expired invitation to the address, and refuses when another one is pending. The organization's row is locked, so the
 * answer stays true; the unique index would refuse a second one all the same, but could not say which is the first.
 *
 * @throws Problem already_invited with its `invitationId`
 */
export async function checkNotInvited(
  sql: Sql,
  organizationId: string,
  email: string,
  except: string | null = null,
): Promise<void> {
  const [, [pending]] = await pipeline([
    closeExpired(sql, organizationId, email),
    sql<{ id: string }>`
      select id from invitations
      where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and email = ${email} and status = 'pending'
        and id is distinct from ${except}`,
  ])
  if (pending) throw new ApiProblem('already_invited', { invitationId: pending.id })
}

/** @throws Problem limit_reached */
export async function checkPending(sql: Sql, organizationId: string, limit: number): Promise<void> {
  const [pending] = await sql<{ count: number }>`
    select count(*) from invitations
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and status = 'pending' and expires_at > now()`
  if ((pending?.count ?? 0) > limit) throw new ApiProblem('limit_reached')
}
