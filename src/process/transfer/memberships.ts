/** Memberships, as they are imported: a row makes somebody a member who was none, and changes nobody's role. */

import { countNewMembers } from '../../domain/organizations/memberships.ts'
import type { Role } from '../../domain/permissions/roles.ts'
import { recordEvent } from '../../domain/record/record.ts'
import { operator } from '../../features/tenants/tenants.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import { newId } from '../../platform/http/schemas.ts'
import { findOrganizations, findUsers } from './external-ids.ts'
import { keepUsers } from './organizations.ts'
import type { MembershipRow, Outcome, Row } from './rows.ts'

/**
 * Imports a batch. Locks those organizations alone which gain somebody. A trial, which keeps its locks to its end, lets them be changed.
 *
 * @returns what became of each row
 */
export async function importMemberships(
  sql: Sql,
  rows: readonly Row<MembershipRow>[],
  isTrial: boolean,
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
  const wanted = rows.map(({ content: { organization, user, role, joinedAt } }) => ({
    id: newId('mem'),
    organizationId: organizations.get(organization),
    userId: users.get(user),
    role,
    joinedAt,
  }))
  const fresh = await findFresh(sql, wanted.filter(isNamed))
  const [organizationIds, userIds] = [fresh.map((each) => each.organizationId), fresh.map((each) => each.userId)]
  // In the order in which a deletion locks them; who or what was deleted meanwhile does not come back.
  const kept = await pipeline([keepOrganizations(sql, organizationIds, isTrial), keepUsers(sql, userIds)])
  const gone = new Set([...organizationIds, ...userIds].filter((id) => !kept.some((ids) => ids.has(id))))
  const made = await insertMemberships(
    sql,
    fresh.filter(({ organizationId, userId }) => !gone.has(organizationId) && !gone.has(userId)),
    isTrial,
  )
  if (made.size > 0) {
    const target = { type: 'tenant', id: sql.tenant } as const
    await recordEvent(sql, operator, 'tenant.imported', { target, details: { memberships: made.size } })
  }
  return wanted.map(({ id, organizationId, userId }) => {
    if (!organizationId || gone.has(organizationId)) return { reason: 'unknown_organization' }
    if (!userId || gone.has(userId)) return { reason: 'unknown_user' }
    return made.has(id) ? 'made' : 'unchanged'
  })
}

/** A row whose organization and user are there. */
interface Named {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly role: Role
  readonly joinedAt: string | undefined
}

function isNamed(row: {
  readonly organizationId: string | undefined
  readonly userId: string | undefined
}): row is Named {
  return row.organizationId !== undefined && row.userId !== undefined
}

/**
 * @returns the rows of those who are no members yet. They are looked up row by row, and not joined: for a tenant that PostgreSQL has no
 *   statistics of yet, it would go through all memberships
 */
async function findFresh(sql: Sql, rows: readonly Named[]): Promise<Named[]> {
  const found = await sql<{ id: string; membership: string | null }>`
    select id, (
      select m.id
      from memberships m
      where m.tenant_id = ${sql.tenant} and m.organization_id = r.organization_id and m.user_id = r.user_id) as membership
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map((row) => row.organizationId)}::text[],
      ${rows.map(({ userId }) => userId)}::text[]) as r (id, organization_id, user_id)`
  const members = new Set(found.flatMap(({ id, membership }) => (membership === null ? [] : [id])))
  return rows.filter(({ id }) => !members.has(id))
}

/** Locks organizations: for their counts, or in a trial, which counts nobody, only so that they are not deleted. @returns those that are there */
async function keepOrganizations(sql: Sql, ids: readonly string[], isTrial: boolean): Promise<Set<string>> {
  const there = await sql<{ id: string }>`
    select id
    from organizations
    where tenant_id = ${sql.tenant} and id = any(${ids})
    order by id
    for ${isTrial ? statement`key share` : statement`no key update`}`
  return new Set(there.map(({ id }) => id))
}

/** @returns the ids of those that were made: the others were there */
async function insertMemberships(sql: Sql, wanted: readonly Named[], isTrial: boolean): Promise<Set<string>> {
  const made = await sql<{ id: string; organizationId: string; role: Role }>`
    insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
    select ${sql.tenant}, id, "organizationId", "userId", role, coalesce("joinedAt", now())
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as r (id text, "organizationId" text, "userId" text, role text, "joinedAt" timestamptz)
    on conflict do nothing
    returning id, organization_id, role`
  if (!isTrial) await countNewMembers(sql, made)
  return new Set(made.map(({ id }) => id))
}
