/** External ids: what users and organizations are called in the product or where they come from. An import writes its own, by the batch. */
import { Type } from 'typebox'
import { pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'

export const ExternalId = Type.String({
  minLength: 1,
  maxLength: 255,
  format: 'line',
  description: 'Your own id of it. No two users of a tenant have the same, and no two organizations.',
  examples: ['customer-1042'],
})

/** An expression for the external id of one of `users`. */
export const externalIdOfUser = (tenant: string): Statement =>
  statement`(select e.external_id from external_users e where e.tenant_id = ${tenant} and e.user_id = users.id) as external_id`

/** An expression for the external id of one of `organizations o`. */
export const externalIdOfOrganization = (tenant: string): Statement =>
  statement`(
    select e.external_id from external_organizations e where e.tenant_id = ${tenant} and e.organization_id = o.id) as external_id`

/** Gives a user another external id. @param externalId null: none @throws ConstraintError when it is taken */
export async function setExternalIdOfUser(sql: Sql, userId: string, externalId: string | null): Promise<void> {
  await pipeline([
    sql`delete from external_users where tenant_id = ${sql.tenant} and user_id = ${userId}`,
    externalId !== null &&
      sql`insert into external_users (tenant_id, external_id, user_id) values (${sql.tenant}, ${externalId}, ${userId})`,
  ])
}

/** Gives an organization another external id. @param externalId null: none @throws ConstraintError when it is taken */
export function setExternalIdOfOrganization(
  sql: Sql,
  organizationId: string,
  externalId: string | null,
): Sent<unknown> {
  return pipeline([
    sql`delete from external_organizations where tenant_id = ${sql.tenant} and organization_id = ${organizationId}`,
    externalId !== null &&
      sql`
        insert into external_organizations (tenant_id, external_id, organization_id)
        values (${sql.tenant}, ${externalId}, ${organizationId})`,
  ])
}
