/**
 * Import of memberships: a row creates a new membership, and never changes the role of an existing one. One whose time has ended does not
 * exist any more, whether its row has gone or not.
 */

import { includeAgain } from '../../domain/organizations/exclusions.ts'
import { countNewMembers } from '../../domain/organizations/memberships.ts'
import { settle } from '../../domain/organizations/settling.ts'
import { getProductRoles } from '../../domain/permissions/access-model.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import { endOf } from '../../domain/permissions/rules.ts'
import { record } from '../../domain/record/record.ts'
import { operator } from '../../features/tenants/tenants.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import { newId } from '../../platform/http/schemas.ts'
import { findOrganizations, findUsers } from './external-ids.ts'
import { lockUsers } from './organizations.ts'
import type { Reason } from './reasons.ts'
import type { MembershipRow, Outcome, Row } from './rows.ts'

/**
 * Imports a batch. It locks only the organizations that get a new member. A trial holds its locks until its end, so it takes weaker ones,
 * which do not block changes.
 *
 * @param trial given in a trial, which takes away no membership that has ended: gets the people whom it would let in again
 * @returns the outcome of each row, in the order of `rows`
 */
export async function importMemberships(
  sql: Sql,
  rows: readonly Row<MembershipRow>[],
  trial?: Set<string>,
): Promise<Outcome[]> {
  const [organizations, users] = await pipeline([
    findOrganizations(
      sql,
      rows.map(({ content }) => content.organization),
    ),
    findUsers(
      sql,
      rows.map(({ content }) => content.user),
    ),
  ])
  const known = await findRoles(sql)
  const candidates = rows.map(({ content }) => {
    const { organization, user, grants = [], ...rest } = content
    return {
      ...rest,
      id: newId('mem'),
      organizationId: organizations.get(organization),
      userId: users.get(user),
      grants: grants.filter(({ expiresAt = null }) => endOf(expiresAt) > Date.now()),
      refusal: refusalOf(content, known),
    }
  })
  const fresh = await findFresh(
    sql,
    candidates.filter(isResolved).filter(({ refusal }) => refusal === undefined),
  )
  const [organizationIds, userIds] = [fresh.map((each) => each.organizationId), fresh.map((each) => each.userId)]
  // Locked in the order in which a deletion locks them. Those deleted meanwhile are not returned.
  const locked = await pipeline([lockOrganizations(sql, organizationIds, trial !== undefined), lockUsers(sql, userIds)])
  const gone = new Set([...organizationIds, ...userIds].filter((id) => !locked.some((ids) => ids.has(id))))
  const newcomers = fresh.filter(({ organizationId, userId }) => !gone.has(organizationId) && !gone.has(userId))
  const made = trial ? await tryNewcomers(sql, newcomers, known, trial) : await addNewcomers(sql, newcomers, known)
  if (made.size > 0) {
    const target = { type: 'tenant', id: sql.tenant } as const
    await record(sql, operator, 'tenant.imported', { target, details: { memberships: made.size } })
  }
  return candidates.map(({ id, organizationId, userId, refusal }) => {
    if (refusal) return { reason: refusal }
    if (!organizationId || gone.has(organizationId)) return { reason: 'unknown_organization' }
    if (!userId || gone.has(userId)) return { reason: 'unknown_user' }
    return made.has(id) ? 'made' : 'unchanged'
  })
}

/** @returns the ids of the tenant's roles, by key */
export async function findRoles(sql: Sql): Promise<Map<string, string>> {
  return new Map((await getProductRoles(sql)).map(({ key, id }) => [key, id]))
}

/** @param known as `findRoles` finds them @returns why a row is skipped, whatever organization and user it names */
export function refusalOf(row: MembershipRow, known: ReadonlyMap<string, string>): Reason | undefined {
  const { role, status, expiresAt, grants = [] } = row
  if (role === 'owner' && (status === 'suspended' || expiresAt !== undefined)) return 'owner_cannot_end'
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) return 'ended'
  return grants.every((grant) => known.has(grant.role)) ? undefined : 'unknown_role'
}

/** Adds people whose organizations are locked. @returns the ids of the memberships that were made */
async function addNewcomers(
  sql: Sql,
  newcomers: readonly Newcomer[],
  known: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  for (const { organizationId, userId, hasEnded } of newcomers) if (hasEnded) await settle(sql, organizationId, userId)
  const made = await insertMemberships(sql, newcomers)
  const members = newcomers.filter(({ id }) => made.has(id))
  await pipeline([
    countNewMembers(sql, members),
    members.length > 0 && includeAgain(sql, members),
    insertGrants(sql, members, known),
  ])
  return made
}

/**
 * Does so in a trial: no counts change, and no membership that has ended goes, because others would wait for either.
 *
 * @param returned gets those who would come back: only the first row of each counts
 */
async function tryNewcomers(
  sql: Sql,
  newcomers: readonly Newcomer[],
  known: ReadonlyMap<string, string>,
  returned: Set<string>,
): Promise<Set<string>> {
  const made = await insertMemberships(
    sql,
    newcomers.filter(({ hasEnded }) => !hasEnded),
  )
  await insertGrants(
    sql,
    newcomers.filter(({ id }) => made.has(id)),
    known,
  )
  for (const { id, organizationId, userId, hasEnded } of newcomers) {
    const person = `${organizationId} ${userId}`
    if (!hasEnded || returned.has(person)) continue
    returned.add(person)
    made.add(id)
  }
  return made
}

/** A membership whose organization and user exist. */
interface Resolved extends Omit<MembershipRow, 'organization' | 'user' | 'grants'> {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly grants: NonNullable<MembershipRow['grants']>
  readonly refusal: Reason | undefined
}

/** Somebody who is not a member. */
interface Newcomer extends Resolved {
  /** Whether they were, and the row of that membership is still there. */
  readonly hasEnded: boolean
}

type Unresolved = Omit<Resolved, 'organizationId' | 'userId'> & {
  readonly organizationId: string | undefined
  readonly userId: string | undefined
}

function isResolved(row: Unresolved): row is Resolved {
  return row.organizationId !== undefined && row.userId !== undefined
}

/**
 * The subquery looks up each row by the index. For a join PostgreSQL would scan all memberships of a tenant without statistics.
 *
 * @returns the rows of users who are not members
 */
async function findFresh(sql: Sql, rows: readonly Resolved[]): Promise<Newcomer[]> {
  const found = await sql<{ id: string; isMember: boolean | null }>`
    select id, (
      select ${isCurrent}
      from memberships m
      where m.tenant_id = ${sql.tenant} and m.organization_id = r.organization_id and m.user_id = r.user_id) as is_member
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map((row) => row.organizationId)}::text[],
      ${rows.map(({ userId }) => userId)}::text[]) as r (id, organization_id, user_id)`
  const states = new Map(found.map(({ id, isMember }) => [id, isMember]))
  return rows.flatMap((row) => {
    const isMember = states.get(row.id)
    return isMember ? [] : [{ ...row, hasEnded: isMember === false }]
  })
}

/** Locks organizations to change their counts. A trial changes no counts and only prevents their deletion. @returns the ids of those that exist */
async function lockOrganizations(sql: Sql, ids: readonly string[], isTrial: boolean): Promise<Set<string>> {
  const existing = await sql<{ id: string }>`
    select id
    from organizations
    where tenant_id = ${sql.tenant} and id = any(${ids})
    order by id
    for ${isTrial ? statement`key share` : statement`no key update`}`
  return new Set(existing.map(({ id }) => id))
}

/** @returns the ids of the inserted memberships; the others exist already */
async function insertMemberships(sql: Sql, candidates: readonly Newcomer[]): Promise<Set<string>> {
  const [, made] = await pipeline([
    sql`
      insert into memberships (tenant_id, id, organization_id, user_id, role, status, suspended_at, expires_at, has_grants, joined_at)
      select u.tenant_id, r.id, r."organizationId", u.id, r.role, r.status, case when r.status = 'suspended' then now() end,
        r."expiresAt", r.grants <> '[]', coalesce(r."joinedAt", now())
      from jsonb_to_recordset(${JSON.stringify(candidates)}::jsonb)
        as r (id text, "organizationId" text, "userId" text, role text, status text, "expiresAt" timestamptz,
          grants jsonb, "joinedAt" timestamptz)
      join users u on u.tenant_id = ${sql.tenant} and u.id = r."userId"
      on conflict do nothing`,
    sql<{ id: string }>`
      select id from memberships where tenant_id = ${sql.tenant} and id = any(${candidates.map(({ id }) => id)})`,
  ])
  return new Set(made.map(({ id }) => id))
}

/** Inserts the grants of memberships that were made. */
async function insertGrants(
  sql: Sql,
  memberships: readonly Newcomer[],
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = memberships.flatMap(({ id, grants }) =>
    grants.map(({ role, expiresAt = null }) => ({ membershipId: id, roleId: known.get(role), expiresAt })),
  )
  if (rows.length === 0) return
  await sql`
    insert into role_grants (tenant_id, membership_id, role_id, expires_at)
    select m.tenant_id, m.id, r."roleId", r."expiresAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r ("membershipId" text, "roleId" text, "expiresAt" timestamptz)
    join memberships m on m.tenant_id = ${sql.tenant} and m.id = r."membershipId"
    on conflict do nothing`
}
