/**
 * Admission: the one way into an organization. Invitations, links and tenant admins call it.
 *
 * In this order, under the lock of the organization: settle who has ended, judge an exclusion and the cap, add the membership with its
 * counts and grants, lift the exclusion, record it.
 */
import { pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import type { ProductRole } from '../permissions/access-model.ts'
import type { Role } from '../permissions/roles.ts'
import { endOf } from '../permissions/rules.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import { includeAgain } from './exclusions.ts'
import { detailsOf, type OfferedGrant, writeGrants } from './grants.ts'
import { addMember } from './memberships.ts'
import { selectUnsettled, settle } from './settling.ts'

/** How somebody comes in. */
export const ways = ['invitation', 'link', 'admin'] as const
export type Way = (typeof ways)[number]

/** Who comes in, and as what. */
export interface Newcomer {
  readonly organizationId: string
  readonly userId: string
  readonly name: string | null
  readonly role: Role
  readonly grants: readonly OfferedGrant[]
  /** When the membership ends; null: no end. */
  readonly expiresAt: string | null
  /** Who offered or gave it. */
  readonly invitedBy: string | null
  readonly via: Way
}

/** What admission is judged by. */
export interface Admissibility {
  readonly isExcluded: boolean
  readonly isFull: boolean
  /** All roles of the product. */
  readonly roles: readonly Pick<ProductRole, 'id' | 'key'>[]
  /** By the database’s clock. */
  readonly now: string
}

/** Takes away who has ended, and reads what admission is judged by. The organization's row must be locked. */
export async function readAdmissibility(sql: Sql, organizationId: string, userId: string): Promise<Admissibility> {
  const [, [admissibility]] = await pipeline([
    settle(sql, organizationId, userId),
    sql<Admissibility>`
      select
        coalesce(o.member_count - ${selectUnsettled(sql.tenant)} >= coalesce(o.member_limit, t.member_limit), false) as is_full,
        exists (
          select from exclusions e
          where e.tenant_id = ${sql.tenant} and e.organization_id = o.id and e.user_id = ${userId})
        -- It has ended while it was suspended: settling excludes them, after this statement.
        or exists (
          select from memberships m
          where m.tenant_id = ${sql.tenant} and m.organization_id = o.id and m.user_id = ${userId} and m.status = 'suspended')
          as is_excluded,
        (select coalesce(json_agg(json_build_object('id', id, 'key', key)), '[]')
          from roles where tenant_id = ${sql.tenant}) as roles,
        statement_timestamp() as now
      from organizations o
      join tenants t on t.id = o.tenant_id
      where o.tenant_id = ${sql.tenant} and o.id = ${organizationId}`,
  ])
  return admissibility as Admissibility // the organization is locked
}

/**
 * Lets somebody in who is not a member. The organization's row must be locked.
 *
 * @param id   of the new membership
 * @param admissibility as `readAdmissibility` reads it
 * @throws Problem members_full; removed_member for a link, when they had been put out
 */
export function admit(
  sql: Sql,
  actor: Actor,
  id: string,
  { organizationId, userId, name, role, expiresAt, invitedBy, via, ...offered }: Newcomer,
  { isExcluded, isFull, roles, now }: Admissibility,
): Sent<unknown> {
  if (via === 'link' && isExcluded) throw new ApiProblem('removed_member')
  if (isFull) throw new ApiProblem('members_full')
  // A role that is gone gives nothing, nor does a grant that has ended meanwhile.
  const grants = offered.grants.filter(
    ({ roleId, expiresAt: end }) => roles.some(({ id }) => id === roleId) && endOf(end) > Date.parse(now),
  )
  return pipeline([
    addMember(sql, { id, organizationId, userId, role, invitedBy, expiresAt, hasGrants: grants.length > 0 }),
    writeGrants(sql, id, { added: grants, changed: [], removed: [] }, invitedBy),
    isExcluded && includeAgain(sql, [{ organizationId, userId }]),
    record(sql, actor, 'member.joined', {
      organizationId,
      target: { type: 'user', userId, name },
      details: { role, via, ...detailsOf(grants, expiresAt, roles) },
    }),
  ])
}
