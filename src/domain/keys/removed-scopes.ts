/**
 * Scopes whose permissions are gone: a product may remove one from its access model, and define another one under the same key later.
 *
 * Invariant: a permission that is defined widens no key. So keys lose the scope with the permission, and a key that has no other scope ends.
 */
import { pipeline, type Sent, type Sql, statement } from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import { record } from '../record/record.ts'
import { endKeys, takeScopes } from './key-states.ts'
import { isKeyLive, logOf } from './keys.ts'

/** The condition that an `api_keys k` lives and has any of some scopes. */
const livesWith = (scopes: readonly string[]) => statement`${isKeyLive} and k.scopes && ${scopes}::text[]`

/** The scopes of those live keys of the tenant that have any of some scopes. */
export function selectLiveScopes(sql: Sql, scopes: readonly string[]): Sent<{ scope: string }[]> {
  return sql<{ scope: string }>`
    select distinct unnest(k.scopes) as scope from api_keys k
    where k.tenant_id = ${sql.tenant} and ${livesWith(scopes)}`
}

/** Counts live keys of the tenant that have any of some scopes. @param most where the count stops */
export async function countKeysWith(sql: Sql, scopes: readonly string[], most: number): Promise<number> {
  const [counted] = await sql<{ count: number }>`
    select count(*) from (
      select from api_keys k
      where k.tenant_id = ${sql.tenant} and ${livesWith(scopes)}
      limit ${most}) having_any`
  return counted?.count ?? 0
}

/** How many keys are handled at a time. */
const batch = 500

/** Takes scopes from all live keys of the tenant. Its row must be locked. */
export async function removeScopes(sql: Sql, actor: Actor, scopes: readonly string[]): Promise<void> {
  if (scopes.length === 0) return
  for (let isMore = true; isMore; ) {
    const found = await sql<{ id: string; userId: string | null }>`
      select k.id, k.user_id from api_keys k
      where k.tenant_id = ${sql.tenant} and ${livesWith(scopes)}
      order by k.id
      limit ${batch}`
    const owners = found.flatMap(({ userId }) => userId ?? [])
    const these = statement`k.id = any(${found.map(({ id }) => id)})`
    const [, narrowed] = await pipeline([
      sql`select from users where tenant_id = ${sql.tenant} and id = any(${owners}) order by id for key share`,
      takeScopes(sql, these, scopes),
      endKeys(sql, actor, statement`${these} and k.scopes <@ ${scopes}::text[]`, 'revoked'),
    ])
    await pipeline(
      narrowed.map(({ id, ownerType, userId, organizationId, from, to }) =>
        record(sql, actor, 'key.narrowed', {
          organizationId: logOf({ ownerType, organizationId }),
          target: { type: 'key', id },
          ownerId: userId,
          details: { scopes: { from, to } },
        }),
      ),
    )
    isMore = found.length === batch
  }
}
