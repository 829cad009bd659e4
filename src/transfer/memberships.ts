/** Memberships, as they are imported: a row makes somebody a member who was none, and changes nobody's role. */
import type { Role } from '../access/roles.ts'
import { recordEvent } from '../audit/audit.ts'
import type { Sql } from '../database/database.ts'
import { newId } from '../http/schemas.ts'
import { countNewMembers } from '../organizations/memberships.ts'
import { operator } from '../tenants/tenants.ts'
import { findOrganizations, findUsers } from './external-ids.ts'
import type { MembershipRow, Outcome, Row } from './rows.ts'

/**
 * Imports a batch.
 *
 * @returns what became of each row
 */
export async function importMemberships(sql: Sql, rows: readonly Row<MembershipRow>[]): Promise<Outcome[]> {
  const [organizations, users] = await Promise.all([
    findOrganizations(
      sql,
      rows.map(({ content }) => content.organization),
    ),
    findUsers(
      sql,
      rows.map(({ content }) => content.user),
    ),
  ])
  await lockOrganizations(sql, [...new Set(organizations.values())])
  const wanted = rows.map(({ content: { organization, user, role, joinedAt } }) => ({
    id: newId('mem'),
    organizationId: organizations.get(organization),
    userId: users.get(user),
    role,
    joinedAt,
  }))
  const made = await insertMemberships(
    sql,
    wanted.filter(({ organizationId, userId }) => organizationId && userId),
  )
  if (made.size > 0) {
    const target = { type: 'tenant', id: sql.tenant } as const
    await recordEvent(sql, operator, 'tenant.imported', { target, details: { memberships: made.size } })
  }
  return wanted.map(({ id, organizationId, userId }) => {
    if (!organizationId) return { reason: 'unknown_organization' }
    if (!userId) return { reason: 'unknown_user' }
    return made.has(id) ? 'made' : 'unchanged'
  })
}

async function lockOrganizations(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql`
    select from organizations where tenant_id = ${sql.tenant} and id = any(${ids}) order by id for no key update`
}

/** @returns the ids of those that were made: the others were there */
async function insertMemberships(sql: Sql, wanted: readonly { readonly id: string }[]): Promise<Set<string>> {
  const made = await sql<{ id: string; organizationId: string; role: Role }>`
    insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
    select ${sql.tenant}, id, "organizationId", "userId", role, coalesce("joinedAt", now())
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as r (id text, "organizationId" text, "userId" text, role text, "joinedAt" timestamptz)
    on conflict do nothing
    returning id, organization_id, role`
  await countNewMembers(sql, made)
  return new Set(made.map(({ id }) => id))
}
