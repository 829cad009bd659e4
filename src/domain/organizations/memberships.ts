/** Memberships: the rows behind members, and the counts that go with them. */

import { empty, pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { organizationTurn } from '../access/turns.ts'
import { type Held, type HeldGrant, heldGrants, isCurrent } from '../permissions/held.ts'
import type { Role } from '../permissions/roles.ts'
import { forgetMembership } from './invitation-states.ts'
import { isSentTo } from './invitations.ts'

/**
 * Takes the turns of the organizations that `lockOrganizationsOf` locks, before anything is locked. An admin's key has no other turn, and
 * would wait for their rows with a connection.
 */
export async function claimOrganizationsOf(sql: Sql, userId: string, { invited = false } = {}): Promise<void> {
  const found = await sql<{ id: string }>`${selectOrganizationsOf(sql.tenant, userId, invited)}`
  for (const { id } of found) sql.claimTurn(organizationTurn(id))
}

/**
 * Locks the organizations that a user is in, always in the same order.
 *
 * @param invited whether those are locked, too, to which invitations of theirs are pending: an admin of the tenant need not be in them
 * @returns their ids
 */
export async function lockOrganizationsOf(sql: Sql, userId: string, { invited = false } = {}): Promise<string[]> {
  const locked = await sql<{ id: string }>`
    ${selectOrganizationsOf(sql.tenant, userId, invited)}
    for no key update`
  return locked.map(({ id }) => id)
}

function selectOrganizationsOf(tenant: string, userId: string, invited: boolean): Statement {
  return statement`
    select o.id
    from organizations o
    where o.tenant_id = ${tenant}
      and o.id in (
        select organization_id from memberships where tenant_id = ${tenant} and user_id = ${userId}
        ${invited ? orInvitedTo(tenant, userId) : empty})
    order by o.id`
}

function orInvitedTo(tenant: string, userId: string): Statement {
  return statement`
    union all
    select organization_id from invitations
    where tenant_id = ${tenant} and invited_by = ${userId} and status = 'pending'`
}

/** A membership that begins. */
interface NewMember {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly role: Role
  readonly invitedBy: string | null
  /** When it ends; null: no end. */
  readonly expiresAt?: string | null
  readonly hasGrants?: boolean
}

/** Adds a user to an organization whose row is locked. `admit` (admission.ts) judges whether they may come in. */
export function addMember(
  sql: Sql,
  { id, organizationId, userId, role, invitedBy, expiresAt = null, hasGrants = false }: NewMember,
): Sent<unknown> {
  return pipeline([
    sql`
      insert into memberships (tenant_id, id, organization_id, user_id, role, invited_by, expires_at, expiry_set_by, has_grants)
      values (${sql.tenant}, ${id}, ${organizationId}, ${userId}, ${role}, ${invitedBy}, ${expiresAt},
        ${expiresAt === null ? null : invitedBy}, ${hasGrants})`,
    changeCounts(sql, organizationId, { members: 1, owners: role === 'owner' ? 1 : 0 }),
  ])
}

/** Takes a user out of an organization whose row is locked. */
export function dropMembership(
  sql: Sql,
  { organizationId, userId, role }: { organizationId: string; userId: string; role: Role },
): Sent<unknown> {
  const membership = statement`(
    select id from memberships
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and user_id = ${userId})`
  return pipeline([
    // Before the membership, which they refer to, and in order: as an erasure locks them. Otherwise the two could wait for each other. Who
    // accepts has locked one before. If an erasure waits for it and holds one of these, PostgreSQL ends one of the two, which is repeated.
    sql`
      select i.id
      from invitations i
      where i.tenant_id = ${sql.tenant} and (
        i.invited_by = ${userId} and i.organization_id = ${organizationId} and i.status = 'pending'
        or i.organization_id = ${organizationId} and ${isSentTo(sql.tenant, statement`${userId}`)}
        or i.membership_id = ${membership})
      order by i.id
      for no key update`,
    forgetMembership(sql, membership),
    sql`
      delete from memberships
      where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and user_id = ${userId}`,
    // The check on owner_count answers `last_owner`.
    changeCounts(sql, organizationId, { members: -1, owners: role === 'owner' ? -1 : 0 }),
  ])
}

/** The place of a membership in the index `memberships_by_joined_at`. */
export interface MembershipPlace {
  readonly joinedAt: string
  readonly id: string
}

/**
 * Deletes memberships of an organization that is erased, with their grants, after its invitations, which refer to them.
 *
 * @param after the last that was deleted
 * @returns each, in order
 */
export function deleteMembershipsOf(
  sql: Sql,
  organizationId: string,
  limit: number,
  { joinedAt, id }: MembershipPlace = { joinedAt: '-infinity', id: '' },
): Sent<MembershipPlace[]> {
  return sql`
    with over as (
      select joined_at, id from memberships
      where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and (joined_at, id) > (${joinedAt}, ${id})
      order by joined_at, id
      limit ${limit}),
    erased as (
      delete from memberships where tenant_id = ${sql.tenant} and id = any(array(select id from over)))
    select joined_at, id from over order by joined_at, id`
}

/** What admins change of a membership. */
export interface MembershipState {
  readonly role: Role
  readonly status: 'active' | 'suspended'
  readonly expiresAt: string | null
}

/**
 * Changes a membership; the organization's row must be locked.
 *
 * @param by who does it: members who change their own role need no mail about it; null: a key
 * @throws ConstraintError for the last owner, and for an owner who would be suspended or end
 */
export function updateMembership(
  sql: Sql,
  { id, organizationId, userId }: { readonly id: string; readonly organizationId: string; readonly userId: string },
  before: MembershipState,
  { role, status, expiresAt, hasGrants }: MembershipState & { readonly hasGrants: boolean },
  by: string | null,
): Sent<unknown> {
  const told = role === before.role ? statement`told_role` : userId === by ? statement`null` : lastTold
  return pipeline([
    sql`
      update memberships
      set role = ${role}, told_role = ${told}, has_grants = ${hasGrants}, status = ${status},
        suspended_at = ${status === 'active' ? null : statement`least(suspended_at, now())`},
        suspended_by = case when ${status} = 'active' then null else coalesce(suspended_by, ${by}) end,
        ending_told = ending_told and expires_at is not distinct from ${expiresAt},
        expiry_set_by = case
          when expires_at is not distinct from ${expiresAt} then expiry_set_by when ${expiresAt}::timestamptz is not null then ${by} end,
        expires_at = ${expiresAt}
      where tenant_id = ${sql.tenant} and id = ${id}`,
    changeCounts(sql, organizationId, { owners: Number(role === 'owner') - Number(before.role === 'owner') }),
  ])
}

/** What somebody holds in an organization by an active membership of an active user; undefined: nothing. */
export async function findHeld(
  sql: Sql,
  organizationId: string,
  userId: Statement | string | null,
): Promise<Held | undefined> {
  const [held] = await sql<Omit<Held, 'grants'> & { grants: readonly HeldGrant[] | null }>`
    select m.role, m.expires_at, ${heldGrants(sql.tenant)} as grants
    from memberships m
    join users u on u.tenant_id = ${sql.tenant} and u.id = m.user_id and u.status = 'active'
    where m.tenant_id = ${sql.tenant} and m.organization_id = ${organizationId} and m.user_id = ${userId}
      and m.status = 'active' and ${isCurrent}`
  return held && { ...held, grants: held.grants ?? [] }
}

/** Whether somebody is an active admin of the tenant. */
export async function isAdminOfTenant(sql: Sql, userId: Statement | string | null): Promise<boolean> {
  const admins = await sql`
    select from users where tenant_id = ${sql.tenant} and id = ${userId} and role = 'admin' and status = 'active'`
  return admins.length > 0
}

/** Makes one member the owner and the owner an admin, in one statement: the number of owners stays the same at every moment. */
export async function swapOwner(sql: Sql, from: string, to: string): Promise<void> {
  await sql`
    update memberships
    set role = case when id = ${to} then 'owner' else 'admin' end, told_role = ${lastTold}
    where tenant_id = ${sql.tenant} and id in (${from}, ${to})`
}

/** The role in the member's last mail, as it is stored when the role changes: the one before the first change without a mail. */
const lastTold = statement`coalesce(told_role, role)`

/**
 * What takes an erased person out of what they gave, suspended, ended or removed, and from those whom they invited: each statement changes
 * as many rows as it is given at most, and returns each.
 */
export const giverErasures: readonly ((sql: Sql, userId: string, limit: number) => Sent<unknown[]>)[] = [
  (sql, userId, limit) => sql`
    with over as (
      select membership_id, role_id from role_grants
      where tenant_id = ${sql.tenant} and granted_by = ${userId}
      limit ${limit}),
    erased as (
      update role_grants set granted_by = nullif(granted_by, ${userId})
      where tenant_id = ${sql.tenant} and (membership_id, role_id) in (select membership_id, role_id from over))
    select from over`,
  // In one change of each row, as in `eraseFromInvitations`: it waits for no member.
  (sql, userId, limit) => sql`
    with over as (
      select id from memberships
      where tenant_id = ${sql.tenant} and (invited_by = ${userId} or suspended_by = ${userId} or expiry_set_by = ${userId})
      limit ${limit}),
    erased as (
      update memberships
      set invited_by = nullif(invited_by, ${userId}), suspended_by = nullif(suspended_by, ${userId}),
        expiry_set_by = nullif(expiry_set_by, ${userId})
      where tenant_id = ${sql.tenant} and id = any(array(select id from over)))
    select from over`,
  (sql, userId, limit) => sql`
    with over as (
      select organization_id, user_id from exclusions
      where tenant_id = ${sql.tenant} and excluded_by = ${userId}
      limit ${limit}),
    erased as (
      update exclusions set excluded_by = nullif(excluded_by, ${userId})
      where tenant_id = ${sql.tenant} and (organization_id, user_id) in (select organization_id, user_id from over))
    select from over`,
]

/** Changes an organization's counts; the check on owner_count refuses an organization without an owner. */
function changeCounts(sql: Sql, organizationId: string, { members = 0, owners = 0 }): Sent<unknown> | false {
  if (members === 0 && owners === 0) return false
  return sql`
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
