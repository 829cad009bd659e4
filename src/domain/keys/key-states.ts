/**
 * The states of keys: every statement that makes, changes or ends one.
 *
 * Invariants: a key that has ended stays ended, and is refused by the very next request; at most two of its secrets live. Whoever makes or
 * rotates one holds the row that the key rests on: the person’s, the organization’s or the tenant’s.
 */
import { pipeline, type Sent, type Sql, type Statement } from '../../platform/database/database.ts'
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

/** Notes that a secret was used, at most once a minute. */
export async function noteSecret(sql: Sql, hash: Buffer): Promise<void> {
  await sql`
    update api_key_secrets set last_used_at = date_trunc('minute', now())
    where tenant_id = ${sql.tenant} and token_hash = ${hash}
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`
}
