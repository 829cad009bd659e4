/** External ids: finds the users and organizations that rows name. A row may also use the id of a user or organization of this tenant. */
import type { Sql } from '../../platform/database/database.ts'

/** @returns the ids of the existing users, by the name in `names` */
export async function findUsers(sql: Sql, names: readonly string[]): Promise<Map<string, string>> {
  const found = await sql<Named>`
    select external_id as name, user_id as id
    from external_users
    where tenant_id = ${sql.tenant} and external_id = any(${names})
    union all
    select id, id from users where tenant_id = ${sql.tenant} and id = any(${startingWith('user_', names)})`
  return byName(found)
}

/** @returns the ids of the existing organizations, by the name in `names` */
export async function findOrganizations(sql: Sql, names: readonly string[]): Promise<Map<string, string>> {
  const found = await sql<Named>`
    select external_id as name, organization_id as id
    from external_organizations
    where tenant_id = ${sql.tenant} and external_id = any(${names})
    union all
    select id, id from organizations where tenant_id = ${sql.tenant} and id = any(${startingWith('org_', names)})`
  return byName(found)
}

interface Named {
  readonly name: string
  readonly id: string
}

function startingWith(prefix: string, names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith(prefix))
}

function byName(found: readonly Named[]): Map<string, string> {
  return new Map(found.map(({ name, id }) => [name, id]))
}
