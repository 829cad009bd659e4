/** Memberships: the rows behind members, and the counts that go with them. */

import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import type { Role } from '../permissions/roles.ts'

/** Locks the organizations that a user is in, always in the same order. */
export async function lockOrganizationsOf(sql: Sql, userId: string): Promise<void> {
  await sql`
    select o.id
    from organizations o
    where o.tenant_id = ${sql.tenant}
      and o.id in (select organization_id from memberships where tenant_id = ${sql.tenant} and user_id = ${userId})
    order by o.id
    for no key update`
}

/** A membership that begins. */
interface NewMember {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly role: Role
  readonly invitedBy: string | null
}

/** Adds a user to an organization whose row is locked. */
export async function addMember(sql: Sql, { id, organizationId, userId, role, invitedBy }: NewMember): Promise<void> {
  await pipeline([
    sql`
      insert into memberships (tenant_id, id, organization_id, user_id, role, invited_by)
      values (${sql.tenant}, ${id}, ${organizationId}, ${userId}, ${role}, ${invitedBy})`,
    countMembers(sql, organizationId, { members: 1, owners: role === 'owner' ? 1 : 0 }),
  ])
}

/** Takes a user out of an organization whose row is locked. */
export async function dropMembership(
  sql: Sql,
  { organizationId, userId, role }: { organizationId: string; userId: string; role: Role },
): Promise<void> {
  await pipeline([
    // Before the membership, which they refer to, and in order: as an erasure locks them. Otherwise the two could wait for each other.
    sql`
      select i.id
      from invitations i
      where i.tenant_id = ${sql.tenant} and (
        i.invited_by = ${userId} and i.organization_id = ${organizationId} and i.status = 'pending'
        or i.membership_id = (
          select id from memberships
          where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and user_id = ${userId}))
      order by i.id
      for no key update`,
    sql`
      delete from memberships
      where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and user_id = ${userId}`,
    // The check on owner_count answers `last_owner`.
    countMembers(sql, organizationId, { members: -1, owners: role === 'owner' ? -1 : 0 }),
  ])
}

/**
 * Changes the role of a membership; the organization's row must be locked.
 *
 * @param isOwn whether members change their own role, and need no mail about it
 * @throws ConstraintError for the last owner
 */
export async function setRole(
  sql: Sql,
  { id, organizationId, role: from }: { readonly id: string; readonly organizationId: string; readonly role: Role },
  to: Role,
  isOwn: boolean,
): Promise<void> {
  const told = isOwn ? statement`null` : lastTold
  await pipeline([
    sql`update memberships set role = ${to}, told_role = ${told} where tenant_id = ${sql.tenant} and id = ${id}`,
    countMembers(sql, organizationId, { owners: Number(to === 'owner') - Number(from === 'owner') }),
  ])
}

/** Makes one member the owner and the owner an admin, in one statement: the number of owners stays the same at every moment. */
export async function swapOwner(sql: Sql, from: string, to: string): Promise<void> {
  await sql`
    update memberships
    set role = case id when ${to} then 'owner' else 'admin' end, told_role = ${lastTold}
    where tenant_id = ${sql.tenant} and id in (${from}, ${to})`
}

/** The role in the member's last mail, as it is stored when the role changes: the one before the first change without a mail. */
const lastTold = statement`coalesce(told_role, role)`

/** Keeps an organization's counts; the check on owner_count refuses an organization without an owner. */
async function countMembers(sql: Sql, organizationId: string, { members = 0, owners = 0 }): Promise<void> {
  if (members === 0 && owners === 0) return
  await sql`
    update organizations set member_count = member_count + ${members}, owner_count = owner_count + ${owners}
    where tenant_id = ${sql.tenant} and id = ${organizationId}`
}

/** Counts new members of several organizations, whose rows are locked. */
export async function countNewMembers(
  sql: Sql,
  added: readonly { readonly organizationId: string; readonly role: Role }[],
): Promise<void> {
  await sql`
    update organizations o set member_count = o.member_count + a.members, owner_count = o.owner_count + a.owners
    from (
      select id, count(*) as members, count(*) filter (where role = 'owner') as owners
      from unnest(${added.map(({ organizationId }) => organizationId)}::text[], ${added.map(({ role }) => role)}::text[])
        as r (id, role)
      group by id) a
    where o.tenant_id = ${sql.tenant} and o.id = a.id`
}
