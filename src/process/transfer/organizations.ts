/**
 * Import of organizations: a row creates a new organization, and never changes an existing one.
 *
 * Invariant: an organization is inserted together with its first owner. The file of memberships names the owners, in any order. So it is
 * searched once for each chunk of organizations.
 */

import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { organizationFields } from '../../domain/organizations/fields.ts'
import { isReservedSlug } from '../../domain/organizations/reserved-slugs.ts'
import { slugOf } from '../../domain/organizations/slug-of-name.ts'
import { suggestSlug } from '../../domain/organizations/slugs.ts'
import type { NewPicture } from '../../domain/pictures/pictures.ts'
import { record } from '../../domain/record/record.ts'
import { wordsOfOrganization } from '../../domain/search/words.ts'
import { indexOrganizations } from '../../domain/search/writing.ts'
import { operator } from '../../features/tenants/tenants.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { asStored, fieldColumns, jsonColumnsOf, jsonNamesOf } from '../../platform/database/fields.ts'
import { mergeMetadata } from '../../platform/http/merge.ts'
import { newId, searchKey } from '../../platform/http/schemas.ts'
import type { Config } from '../../platform/settings/config.ts'
import { findOrganizations, findUsers } from './external-ids.ts'
import { insertPictures, newPictureOf } from './pictures.ts'
import { freshOf, type MembershipRow, type OrganizationRow, type Outcome, outcomesOf, type Row } from './rows.ts'

/** The first owner of an organization, and the row of their membership. */
export interface Owner {
  readonly userId: string
  readonly membership: Row<MembershipRow>
}

/**
 * Finds the first owner of each organization among memberships.
 *
 * @param memberships rows with the role `owner` that `refusalOf` accepts
 * @param owners      by the organization's external id; found owners are added
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
 * @param owners as `findOwners` found them
 * @returns the outcome of each row, in the order of `rows`
 */
export async function importOrganizations(
  sql: Sql,
  { config }: { readonly config: Pick<Config, 'publicUrl'> },
  rows: readonly Row<OrganizationRow>[],
  owners: ReadonlyMap<string, Owner>,
  isTrial: boolean,
): Promise<Outcome[]> {
  if (!isTrial) await lockTenant(sql)
  const known = await findOrganizations(
    sql,
    rows.map(({ content }) => content.externalId),
  ) // a statement after the lock: it sees what the holder before us has committed
  const fresh = freshOf(rows, known)
  const outcomes = new Map<string, Outcome>(fresh.map(({ externalId }) => [externalId, { reason: 'no_owner' }]))
  const existing = await lockUsers(
    sql,
    fresh.flatMap(({ externalId }) => owners.get(externalId)?.userId ?? []),
  )
  const pictures = new Map<string, NewPicture>() // apart from the organizations, whose statement has all of them as JSON
  const owned = fresh.flatMap((row) => {
    const owner = owners.get(row.externalId)
    if (!owner || !existing.has(owner.userId)) return []
    const uploaded = newPictureOf(config, sql.tenant, row.logo)
    if (uploaded) pictures.set(row.externalId, uploaded.picture)
    return [toNewOrganization(row, owner, uploaded?.url)]
  })
  for (const { externalId } of owned) outcomes.set(externalId, { reason: 'slug_taken' })
  const made = owned.length > 0 ? await insertOrganizations(sql, owned) : []
  await insertPictures(
    sql,
    made.map(({ id, externalId }) => ({ organizationId: id, picture: pictures.get(externalId) })),
  )
  for (const { externalId } of made) outcomes.set(externalId, 'made')
  if (made.length > 0) {
    const target = { type: 'tenant', id: sql.tenant } as const
    await record(sql, operator, 'tenant.imported', { target, details: { organizations: made.length } })
  }
  return outcomesOf(rows, outcomes)
}

/** Locks users against deletion until the transaction ends. @returns the ids of those that exist */
export async function lockUsers(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  const existing = await sql<{ id: string }>`
    select id from users where tenant_id = ${sql.tenant} and id = any(${ids}) order by id for key share`
  return new Set(existing.map(({ id }) => id))
}

function toNewOrganization(
  { logo: _logo, ...row }: OrganizationRow,
  { userId, membership }: Owner,
  uploadedUrl: string | undefined,
) {
  return {
    ...asStored(organizationFields, row),
    ...(uploadedUrl !== undefined && { logoUrl: uploadedUrl }),
    id: newId('org'),
    nameKey: searchKey(row.name),
    metadata: mergeMetadata({}, row.metadata), // a null removes a key, as in a PATCH
    ownerId: userId,
    membershipId: newId('mem'),
    joinedAt: membership.content.joinedAt,
  }
}
type NewOrganization = ReturnType<typeof toNewOrganization>

/**
 * Rows with a slug are inserted first, except those whose slug nobody gets. A row without one gets a slug made from its name, with a random suffix if that is taken.
 *
 * @returns the organizations that were inserted
 */
async function insertOrganizations(sql: Sql, organizations: readonly NewOrganization[]): Promise<NewOrganization[]> {
  const made: NewOrganization[] = []
  let waiting = organizations
    .filter(({ slug }) => slug === undefined || !isReservedSlug(slug))
    .sort((one, other) => Number(one.slug === undefined) - Number(other.slug === undefined))
  for (let attempt = 0; waiting.length > 0 && attempt <= 5; attempt++) {
    const tried = waiting.map((each) => {
      const slug = each.slug ?? suggestSlug(slugOf(each.name), attempt)
      return { ...each, slug, words: wordsOfOrganization({ name: each.name, slug }) }
    })
    const ids = await insertWithSlugs(sql, tried)
    made.push(...waiting.filter(({ id }) => ids.has(id)))
    waiting = waiting.filter(({ id, slug }) => !ids.has(id) && slug === undefined)
  }
  const named = made.map(({ id, externalId, ownerId, membershipId, joinedAt }) => ({
    id,
    externalId,
    ownerId,
    membershipId,
    joinedAt,
  }))
  await sql`
    insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
    select o.tenant_id, r."membershipId", o.id, r."ownerId", 'owner', coalesce(r."joinedAt", now())
    from jsonb_to_recordset(${JSON.stringify(named)}::jsonb)
      as r ("membershipId" text, id text, "ownerId" text, "joinedAt" timestamptz)
    join organizations o on o.tenant_id = ${sql.tenant} and o.id = r.id`
  await sql`
    insert into external_organizations (tenant_id, external_id, organization_id)
    select o.tenant_id, r."externalId", o.id
    from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as r ("externalId" text, id text)
    join organizations o on o.tenant_id = ${sql.tenant} and o.id = r.id`
  return made
}

/** @returns the ids of the inserted organizations: those whose slugs are free */
async function insertWithSlugs(
  sql: Sql,
  organizations: readonly (NewOrganization & { readonly words: string })[],
): Promise<Set<string>> {
  const [, inserted] = await pipeline([
    sql`
      insert into organizations (tenant_id, id, ${fieldColumns(organizationFields)}, name_key, words, words_version, keys_version,
        owner_count, member_count, created_at)
      select t.id, r.id, ${jsonNamesOf(organizationFields)}, r."nameKey", r.words, 1, 1, 1, 1, coalesce(r."createdAt", now())
      from tenants t
      cross join jsonb_to_recordset(${JSON.stringify(organizations)}::jsonb) as r (id text, ${jsonColumnsOf(organizationFields)},
        "nameKey" text, words text, "createdAt" timestamptz)
      where t.id = ${sql.tenant}
      on conflict do nothing`,
    sql<{ id: string }>`
      select id from organizations where tenant_id = ${sql.tenant} and id = any(${organizations.map(({ id }) => id)})`,
  ])
  const ids = new Set(inserted.map(({ id }) => id))
  await indexOrganizations(
    sql,
    organizations.filter(({ id }) => ids.has(id)),
  )
  return ids
}
