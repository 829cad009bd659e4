/**
 * The states of keys: every statement that makes, changes or ends one.
 *
 * Invariants: a key that has ended stays ended, and is refused by the very next request; at most two of its secrets live. Whoever makes or
 * rotates one holds the row that the key rests on: the person’s, the organization’s or the tenant’s.
 */
import { pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import type { OwnerType } from '../permissions/scopes.ts'
import { record } from '../record/record.ts'
import { type Ending, isKeyLive } from './keys.ts'

interface NewKey {
  readonly id: string
  readonly ownerType: OwnerType
  /** The owner, if it is a person. */
  readonly userId: string | null
  /** The owner, or the one organization that a person’s key is limited to. */
  readonly organizationId: string | null
  readonly name: string
  readonly scopes: readonly string[]
  readonly assurance: 1 | 2
  /** Who sees the secret; null for a person’s key, and for one that the operator makes. */
  readonly holderId: string | null
  /** RFC 3339; null: no end. */
  readonly expiresAt: string | null
}

/** A secret as it is kept. */
interface NewSecret {
  readonly hash: Buffer
  readonly hint: string
}

/** Adds a key with its first secret. */
export function addKey(sql: Sql, key: NewKey, { hash, hint }: NewSecret): Sent<unknown> {
  return pipeline([
    sql`
      insert into api_keys (tenant_id, id, owner_type, user_id, organization_id, name, scopes, assurance, holder_id, chosen_end, expires_at)
      values (${sql.tenant}, ${key.id}, ${key.ownerType}, ${key.userId}, ${key.organizationId}, ${key.name}, ${key.scopes},
        ${key.assurance}, ${key.holderId}, ${key.expiresAt}, ${key.expiresAt})`,
    sql`insert into api_key_secrets (tenant_id, token_hash, key_id, hint) values (${sql.tenant}, ${hash}, ${key.id}, ${hint})`,
  ])
}

/** Narrows a live key whose row is locked. */
export function narrowKey(
  sql: Sql,
  id: string,
  { name, scopes, expiresAt }: Pick<NewKey, 'name' | 'scopes' | 'expiresAt'>,
): Sent<unknown> {
  const isSameEnd = statement`expires_at is not distinct from ${expiresAt}::timestamptz`
  return sql`
    update api_keys
    set name = ${name}, scopes = ${scopes}, expires_at = ${expiresAt},
      chosen_end = case when ${isSameEnd} then chosen_end else ${expiresAt} end, ending_told = ending_told and ${isSameEnd},
      version = version + 1, updated_at = now()
    where tenant_id = ${sql.tenant} and id = ${id}`
}

/**
 * Gives a live key whose row is locked another secret. The one before lives on for a while, and older ones go. The key has its chosen end
 * again, because its holder is now somebody who may have it.
 *
 * @param overlapSeconds how long the secret before lives on
 */
export function rotateKey(
  sql: Sql,
  key: Pick<NewKey, 'id' | 'assurance' | 'holderId'>,
  { hash, hint }: NewSecret,
  overlapSeconds: number,
): Sent<unknown> {
  return pipeline([
    sql`
      update api_keys
      set assurance = ${key.assurance}, holder_id = ${key.holderId}, holder_left_at = null, expires_at = chosen_end,
        ending_told = ending_told and expires_at is not distinct from chosen_end, version = version + 1, updated_at = now()
      where tenant_id = ${sql.tenant} and id = ${key.id}`,
    sql`
      delete from api_key_secrets
      where tenant_id = ${sql.tenant} and key_id = ${key.id} and (expires_at is not null or ${overlapSeconds} = 0)`,
    sql`
      update api_key_secrets s
      set expires_at = least(statement_timestamp() + make_interval(secs => ${overlapSeconds}), (
        select k.expires_at from api_keys k where k.tenant_id = ${sql.tenant} and k.id = ${key.id}))
      where s.tenant_id = ${sql.tenant} and s.key_id = ${key.id}`,
    // Not the time at which the transaction began: another one may have made a secret while this one waited.
    sql`
      insert into api_key_secrets (tenant_id, token_hash, key_id, hint, created_at)
      values (${sql.tenant}, ${hash}, ${key.id}, ${hint}, statement_timestamp())`,
  ])
}

/** Ends live keys for good. Their rows stay, their secrets go. */
export async function endKeys(
  sql: Sql,
  actor: Actor,
  which: Statement,
  because: Ending,
): Promise<readonly { readonly id: string }[]> {
  const ended = await sql<{ id: string; ownerType: OwnerType; organizationId: string | null }>`
    update api_keys k
    set ended_at = now(), ended_because = ${because}, version = version + 1, updated_at = now()
    where k.tenant_id = ${sql.tenant} and ${isKeyLive} and ${which}
    returning k.id, k.owner_type, k.organization_id`
  if (ended.length === 0) return ended
  const ids = ended.map(({ id }) => id)
  await pipeline([
    sql`delete from api_key_secrets where tenant_id = ${sql.tenant} and key_id = any(${ids})`,
    ...ended.map(({ id, ownerType, organizationId }) =>
      record(sql, actor, 'key.ended', {
        target: { type: 'key', id },
        ...(ownerType === 'organization' && organizationId !== null && { organizationId }),
        details: { reason: because },
      }),
    ),
  ])
  return ended
}
