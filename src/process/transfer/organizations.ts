/**
 * Organizations, as they are imported: a row makes an organization that was not there, and changes none that was.
 *
 * Invariant: an organization is made together with its first owner. Who that is stands in another file, in any order: the file of
 * memberships is read through for the owners of so many organizations at once.
 */

import { slugOf } from '../../domain/organizations/slug-of-name.ts'
import { recordEvent } from '../../domain/record/record.ts'
import { lockTenant } from '../../features/tenants/set-up.ts'
import { operator } from '../../features/tenants/tenants.ts'
import { randomBytes } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { newId, normalizeName, searchKey } from '../../platform/http/schemas.ts'
import { findOrganizations, findUsers } from './external-ids.ts'
import { freshOf, type MembershipRow, type OrganizationRow, type Outcome, outcomesOf, type Row } from './rows.ts'

/** The first owner of an organization, and the row that says so. */
export interface Owner {
  readonly userId: string
  readonly membership: Row<MembershipRow>
}

/**
 * Looks at memberships of owners for the first one of each organization.
 *
 * @param owners by organization; those that are found are added
 */
export async function findOwners(
  sql: Sql,
  memberships: readonly Row<MembershipRow>[],
  owners: Map<string, Owner>,
): Promise<void> {
  const offered = memberships.filter(({ content }) => !owners.has(content.organization))
  const users = await findUsers(
    sql,
    offered.map(({ content }) => content.user),
  )
  for (const membership of offered) {
    const { organization, user } = membership.content
    const userId = users.get(user)
    if (userId && !owners.has(organization)) owners.set(organization, { userId, membership })
  }
}

/**
 * Imports a batch.
 *
 * @returns what became of each row
 */
export async function importOrganizations(
  sql: Sql,
  rows: readonly Row<OrganizationRow>[],
  owners: ReadonlyMap<string, Owner>,
  isTrial: boolean,
): Promise<Outcome[]> {
  if (!isTrial) await lockTenant(sql)
  const known = await findOrganizations(
    sql,
    rows.map(({ content }) => content.externalId),
  ) // after the lock was waited for
  const fresh = freshOf(rows, known)
  const outcomes = new Map<string, Outcome>(fresh.map(({ externalId }) => [externalId, { reason: 'no_owner' }]))
  const there = await keepUsers(
    sql,
    fresh.flatMap(({ externalId }) => owners.get(externalId)?.userId ?? []),
  )
  const owned = fresh.flatMap((row) => {
    const owner = owners.get(row.externalId)
    return owner && there.has(owner.userId) ? [toNewOrganization(row, owner)] : []
  })
  for (const { externalId } of owned) outcomes.set(externalId, { reason: 'slug_taken' })
  const made = owned.length > 0 ? await insertOrganizations(sql, owned) : []
  for (const { externalId } of made) outcomes.set(externalId, 'made')
  if (made.length > 0) {
    const target = { type: 'tenant', id: sql.tenant } as const
    await recordEvent(sql, operator, 'tenant.imported', { target, details: { organizations: made.length } })
  }
  return outcomesOf(rows, outcomes)
}

/** Locks users, so that they are there until they are members. @returns those that are there */
export async function keepUsers(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  const there = await sql<{ id: string }>`
    select id from users where tenant_id = ${sql.tenant} and id = any(${ids}) order by id for key share`
  return new Set(there.map(({ id }) => id))
}

function toNewOrganization(row: OrganizationRow, { userId, membership }: Owner) {
  const name = normalizeName(row.name)
  return {
    ...row,
    id: newId('org'),
    name,
    nameKey: searchKey(name),
    metadata: mergeMetadata({}, row.metadata), // null is nothing, as in a PATCH
    ownerId: userId,
    membershipId: newId('mem'),
    joinedAt: membership.content.joinedAt,
  }
}
type NewOrganization = ReturnType<typeof toNewOrganization>

/**
 * @returns those that could be made; one without a slug of its own gets another where that of its name is taken, also by one of these
 *   that names it
 */
async function insertOrganizations(sql: Sql, organizations: readonly NewOrganization[]): Promise<NewOrganization[]> {
  const made: NewOrganization[] = []
  let waiting = [...organizations].sort(
    (one, other) => Number(one.slug === undefined) - Number(other.slug === undefined),
  )
  for (let attempt = 0; waiting.length > 0 && attempt <= 5; attempt++) {
    const tried = waiting.map((each) => ({ ...each, slug: each.slug ?? slugFor(each.name, attempt) }))
    const ids = await insertWithSlugs(sql, tried)
    made.push(...waiting.filter(({ id }) => ids.has(id)))
    waiting = waiting.filter(({ id, slug }) => !ids.has(id) && slug === undefined)
  }
  await sql`
    insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
    select ${sql.tenant}, "membershipId", id, "ownerId", 'owner', coalesce("joinedAt", now())
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb)
      as r ("membershipId" text, id text, "ownerId" text, "joinedAt" timestamptz)`
  await sql`
    insert into external_organizations (tenant_id, external_id, organization_id)
    select ${sql.tenant}, r.external_id, r.organization_id
    from unnest(${made.map(({ externalId }) => externalId)}::text[], ${made.map(({ id }) => id)}::text[])
      as r (external_id, organization_id)`
  return made
}

/** As for an organization that is made without a slug (domain/organizations/slugs.ts). */
function slugFor(name: string, attempt: number): string {
  const slug = slugOf(name)
  return slug && attempt === 0 ? slug : `${slug || 'org'}-${randomBytes(3).toString('hex')}`
}

/** @returns the ids of those whose slugs were free */
async function insertWithSlugs(sql: Sql, organizations: readonly NewOrganization[]): Promise<Set<string>> {
  const inserted = await sql<{ id: string }>`
    insert into organizations (tenant_id, id, slug, name, name_key, logo_url, metadata, owner_count, member_count, created_at)
    select ${sql.tenant}, id, slug, name, "nameKey", "logoUrl", metadata, 1, 1, coalesce("createdAt", now())
    from jsonb_to_recordset(${JSON.stringify(organizations)}::jsonb) as r (id text, slug text, name text, "nameKey" text,
      "logoUrl" text, metadata jsonb, "createdAt" timestamptz)
    on conflict do nothing
    returning id`
  return new Set(inserted.map(({ id }) => id))
}
