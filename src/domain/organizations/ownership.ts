/**
 * Ownership: handing an organization on.
 *
 * Invariant: one member becomes an owner and one an admin in the same statement, so the number of owners never changes.
 */

import { type Static, Type } from 'typebox'
import { pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { ref } from '../../platform/http/schemas.ts'
import type { Actor } from '../access/actors.ts'
import { leaveKeysBeyond } from '../keys/endings.ts'
import { queueRoleMail } from '../mail/queue.ts'
import type { Role } from '../permissions/roles.ts'
import type { Action } from '../record/actions.ts'
import { record } from '../record/record.ts'
import { Member, selectMembers, withRole } from './members.ts'
import { swapOwner } from './memberships.ts'
import { endOffersBeyond } from './offers.ts'

export type Transfer = Static<typeof Transfer>
export const Transfer = Type.Object(
  { from: ref(Member), to: ref(Member) },
  { description: 'Both members after the transfer: `from` is an admin, `to` an owner.' },
)

/** Selects the owners of an organization, as `userId`; more conditions may follow. */
export function selectOwners(tenant: string, organizationId: string): Statement {
  return statement`
    select user_id
    from memberships
    where tenant_id = ${tenant} and organization_id = ${organizationId} and role = 'owner'`
}

/** @returns the membership of the owner who joined first */
export async function getFirstOwner(sql: Sql, organizationId: string): Promise<string> {
  const [first] = await sql<{ id: string }>`
    select id
    from memberships
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and role = 'owner'
    order by joined_at, id
    limit 1`
  if (!first) throw new Error('An organization without an owner: the check on owner_count has failed.')
  return first.id
}

/** Selects up to 20 active members who could own an organization in another's place: admins first, then by the time of joining. */
export function selectCandidates(tenant: string, organization: Statement): Statement {
  return statement`
    ${selectMembers(tenant, organization)} and m.role <> 'owner' and u.status = 'active'
      and m.status = 'active' and m.expires_at is null
    order by m.role = 'admin' desc, m.joined_at, m.id
    limit 20`
}

/**
 * Locks those who invited the members, or gave them roles: the answer names them, and may be stored. An erasure of one of them, which takes
 * away the stored answers that it sees, is so waited for, or waits.
 */
export function lockNamed(sql: Sql, memberIds: readonly string[]): Sent<unknown> {
  return sql`
    select from users
    where tenant_id = ${sql.tenant} and id in (
      select invited_by from memberships where tenant_id = ${sql.tenant} and id = any(${memberIds})
      union all
      select granted_by from role_grants where tenant_id = ${sql.tenant} and membership_id = any(${memberIds}))
    order by id
    for key share`
}

/** Swaps the two; the number of owners stays. The organization's row must be locked. */
export async function transfer(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  { from, to }: Transfer,
): Promise<Transfer> {
  const isByAdmin = actor.type !== 'user' || actor.userId !== from.user.id
  const mail = { kind: 'ownership_transferred', organizationId, isByAdmin } as const
  const told = (action: Action, { user, role }: Member, now: Role) =>
    record(sql, actor, action, {
      organizationId,
      target: { type: 'user', userId: user.id, name: user.name },
      details: { role: { from: role, to: now } },
    })
  await pipeline([
    swapOwner(sql, from.id, to.id),
    queueRoleMail(sql, { ...mail, userId: from.user.id, role: 'admin' }),
    queueRoleMail(sql, { ...mail, userId: to.user.id, role: 'owner' }),
    // An entry for each: the entries about a person go with that person.
    told('organization.ownership_transferred', to, 'owner'),
    told('member.role_changed', from, 'admin'),
    leaveKeysBeyond(sql, actor, { organizationId, userId: from.user.id }),
    endOffersBeyond(sql, actor, { organizationId, userId: from.user.id }, 'inviter_demoted'),
  ])
  return { from: withRole(from, 'admin'), to: withRole(to, 'owner') }
}
