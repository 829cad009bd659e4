/** Creation: how an organization begins, with its first owner and both counts. */
import { pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import { fieldColumns, fieldValues, type ValuesOf } from '../../platform/database/fields.ts'
import { searchKey } from '../../platform/http/schemas.ts'
import type { Actor } from '../access/actors.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import { wordsOfOrganization } from '../search/words.ts'
import { indexOrganizations } from '../search/writing.ts'
import { described } from './fields.ts'
import { type OrganizationRow, organizationColumns } from './organizations.ts'
import { checkChosen } from './slugs.ts'

/** As they are stored (`asStored`). An omitted field gets the default of its column. */
interface NewOrganization extends Partial<ValuesOf<typeof described>> {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly metadata: unknown
  readonly ownerId: string
  /** Of the owner’s membership. */
  readonly membershipId: string
}

/**
 * Makes an organization. Call `lockNewOwner` before.
 *
 * @returns its row first
 * @throws ConstraintError for a slug that is taken; Problem slug_taken for one that the service keeps
 */
export function insertOrganization(
  sql: Sql,
  actor: Actor,
  { id, ownerId, membershipId, ...values }: NewOrganization,
): Sent<readonly [OrganizationRow[], ...unknown[]]> {
  const { slug, name } = values
  checkChosen(slug)
  const words = wordsOfOrganization(values)
  return pipeline([
    sql<OrganizationRow>`
      insert into organizations as o (tenant_id, id, ${fieldColumns(described)}, name_key, words, words_version, keys_version, owner_count,
        member_count)
      values (${sql.tenant}, ${id}, ${fieldValues(described, values)}, ${searchKey(name)}, ${words}, 1, 1, 1, 1)
      returning ${organizationColumns}`,
    indexOrganizations(sql, [{ id, words }]),
    sql`
      insert into memberships (tenant_id, id, organization_id, user_id, role)
      values (${sql.tenant}, ${membershipId}, ${id}, ${ownerId}, 'owner')`,
    record(sql, actor, 'organization.created', {
      organizationId: id,
      target: { type: 'organization', id },
      details: { name, slug },
    }),
  ])
}

/**
 * Locks the row of somebody who is to own one more, so that parallel requests cannot pass the limit together.
 *
 * @returns whether the user is there and active
 * @throws Problem limit_reached
 */
export async function lockNewOwner(sql: Sql, userId: string, limit: number): Promise<boolean> {
  const [[owner], [owned]] = await pipeline([
    sql<{ status: string }>`
      select status from users where tenant_id = ${sql.tenant} and id = ${userId} for no key update`,
    sql<{ count: number }>`
      select count(*) from memberships where tenant_id = ${sql.tenant} and user_id = ${userId} and role = 'owner'`,
  ])
  if (owner?.status !== 'active') return false
  if ((owned?.count ?? 0) >= limit) throw new ApiProblem('limit_reached')
  return true
}
