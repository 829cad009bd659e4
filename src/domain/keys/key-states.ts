/**
 * The states of keys: every statement that makes, changes or ends one.
 *
 * Invariants: a key that has ended stays ended, and is refused by the very next request; at most two of its secrets live. A key is made or
 * rotated only while the row that it rests on is locked: the person’s, the organization’s or the tenant’s.
 */
import {
  type Purge,
  pipeline,
  type Sent,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import { tellOfKeys } from '../mail/keys.ts'
import type { OwnerType } from '../permissions/scopes.ts'
import { record } from '../record/record.ts'
import { type Ending, isKeyLive, lastUseOf, logOf } from './keys.ts'

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

/** A key that some of its scopes were taken from. */
interface NarrowedKey {
  readonly id: string
  readonly ownerType: OwnerType
  readonly userId: string | null
  readonly organizationId: string | null
  readonly from: readonly string[]
  readonly to: readonly string[]
}

/** Takes scopes from live keys that have others, too. */
export function takeScopes(sql: Sql, which: Statement, scopes: readonly string[]): Sent<NarrowedKey[]> {
  return sql<NarrowedKey>`
    with narrowed as (
      select k.id, k.scopes from api_keys k
      where k.tenant_id = ${sql.tenant} and ${isKeyLive} and ${which}
        and k.scopes && ${scopes}::text[] and not k.scopes <@ ${scopes}::text[]
      order by k.id
      for no key update)
    update api_keys k
    set scopes = array(select kept.scope from unnest(narrowed.scopes) with ordinality kept (scope, place)
        where kept.scope <> all(${scopes}::text[])
        order by kept.place),
      version = k.version + 1, updated_at = now()
    from narrowed
    where k.tenant_id = ${sql.tenant} and k.id = narrowed.id
    returning k.id, k.owner_type, k.user_id, k.organization_id, narrowed.scopes as "from", k.scopes as "to"`
}

/**
 * Gives a live key whose row is locked another secret. The one before lives on for a while, and older ones go. The key has its chosen end
 * again, because its holder is now somebody who may have it.
 *
 * @param key            its `expiresAt` is the end that it has now
 * @param overlapSeconds how long the secret before lives on, at most until that end: who has seen it may be the one who left
 */
export function rotateKey(
  sql: Sql,
  key: Pick<NewKey, 'id' | 'assurance' | 'holderId' | 'expiresAt'>,
  { hash, hint }: NewSecret,
  overlapSeconds: number,
): Sent<unknown> {
  return pipeline([
    // Before its older secrets go, of which it has the last use.
    sql`
      update api_keys k
      set assurance = ${key.assurance}, holder_id = ${key.holderId}, holder_left_at = null, expires_at = k.chosen_end,
        ending_told = k.ending_told and k.expires_at is not distinct from k.chosen_end, last_used_at = ${lastUseOf(sql.tenant)},
        version = k.version + 1, updated_at = now()
      where k.tenant_id = ${sql.tenant} and k.id = ${key.id}`,
    sql`
      delete from api_key_secrets
      where tenant_id = ${sql.tenant} and key_id = ${key.id} and (expires_at is not null or ${overlapSeconds} = 0)`,
    sql`
      update api_key_secrets
      set expires_at = least(statement_timestamp() + make_interval(secs => ${overlapSeconds}), ${key.expiresAt}::timestamptz)
      where tenant_id = ${sql.tenant} and key_id = ${key.id}`,
    // Not the time at which the transaction began: another one may have made a secret while this one waited.
    sql`
      insert into api_key_secrets (tenant_id, token_hash, key_id, hint, created_at)
      values (${sql.tenant}, ${hash}, ${key.id}, ${hint}, statement_timestamp())`,
  ])
}

/**
 * Begins the grace of keys whose holder has lost the right to them: they end soon, unless somebody else rotates them. Without grace they
 * end at once.
 */
export async function beginGrace(sql: Sql, actor: Actor, which: Statement): Promise<void> {
  const graced = await sql<{ id: string; organizationId: string | null; expiresAt: string; isOver: boolean }>`
    update api_keys k
    set holder_left_at = now(), expires_at = ${graceEnd}, version = k.version + 1, updated_at = now(),
      -- Its owners get a mail about this end now.
      ending_told = k.ending_told or ${graceEnd} <= now() + ${notice}
    from tenants t
    where t.id = ${sql.tenant} and k.tenant_id = ${sql.tenant} and k.holder_id is not null and k.holder_left_at is null
      and ${isKeyLive} and ${which}
    returning k.id, k.organization_id, k.expires_at, k.expires_at <= k.holder_left_at as is_over`
  if (graced.length === 0) return
  await pipeline(
    graced.map(({ id, organizationId, expiresAt }) =>
      record(sql, actor, 'key.holder_left', {
        target: { type: 'key', id },
        organizationId,
        details: { expiresAt },
      }),
    ),
  )
  const over = graced.filter(({ isOver }) => isOver).map(({ id }) => id)
  await pipeline([
    tellOfKeys(
      sql,
      'key_holder_left',
      graced.map(({ id }) => id),
    ),
    over.length > 0 && closeKeys(sql, actor, statement`k.id = any(${over})`, over.length),
  ])
}

/** When a key of `api_keys k` ends whose holder has left, in a tenant `t`. The column would round it, up to a moment that is not there yet. */
const graceEnd = statement`
  least(k.expires_at, (date_trunc('milliseconds', now()) at time zone 'UTC'
    + make_interval(secs => t.key_grace_seconds)) at time zone 'UTC')`

/** How long before the end of a key its people get a mail. */
const notice = statement`interval '7 days'`

/**
 * Closes keys whose time is over, a batch of them. It waits for nobody: a key that somebody is changing, or whose person somebody is
 * changing, is left for the next time.
 *
 * @returns how many
 */
export async function closeKeys(sql: Sql, actor: Actor, which: Statement, limit: number): Promise<number> {
  const closed = await sql<EndedKey>`
    with over as (
      select k.id, k.user_id from api_keys k
      where k.tenant_id = ${sql.tenant} and k.ended_at is null and k.expires_at <= now() and ${which}
      order by k.expires_at
      limit ${limit}
      for no key update skip locked),
    owners as (
      select u.id from users u
      where u.tenant_id = ${sql.tenant} and u.id in (select user_id from over)
      for key share skip locked)
    update api_keys k
    set ended_at = k.expires_at, ended_because = case when k.holder_left_at is null then 'expired' else 'holder_left' end,
      last_used_at = ${lastUseOf(sql.tenant)}, version = k.version + 1, updated_at = now()
    from over
    where k.tenant_id = ${sql.tenant} and k.id = over.id and (over.user_id is null or over.user_id in (select id from owners))
    returning k.id, k.owner_type, k.user_id, k.organization_id, k.ended_because`
  await dropWhatEnded(sql, actor, closed)
  return closed.length
}

/** Ends live keys for good. Their rows stay, with their last use; their secrets go, and the invitations and links that they made end. */
export async function endKeys(
  sql: Sql,
  actor: Actor,
  which: Statement,
  because: Ending,
): Promise<readonly { readonly id: string }[]> {
  const ended = await sql<EndedKey>`
    update api_keys k
    set ended_at = now(), ended_because = ${because}, last_used_at = ${lastUseOf(sql.tenant)}, version = version + 1,
      updated_at = now()
    where k.tenant_id = ${sql.tenant} and ${isKeyLive} and ${which}
    returning k.id, k.owner_type, k.user_id, k.organization_id, k.ended_because`
  await dropWhatEnded(sql, actor, ended)
  return ended
}

interface EndedKey {
  readonly id: string
  readonly ownerType: OwnerType
  readonly userId: string | null
  readonly organizationId: string | null
  readonly endedBecause: Ending
}

/**
 * Takes away what hangs on keys that end. Their offers end by the lock of the keys’ rows, which making and taking such an offer shares, and
 * without that of their organizations: a key may have made some in any of them.
 */
async function dropWhatEnded(sql: Sql, actor: Actor, ended: readonly EndedKey[]): Promise<void> {
  if (ended.length === 0) return
  const ids = ended.map(({ id }) => id)
  const made = statement`tenant_id = ${sql.tenant} and key_id = any(${ids}) and expires_at > now()`
  const [, invitations, links] = await pipeline([
    sql`delete from api_key_secrets where tenant_id = ${sql.tenant} and key_id = any(${ids})`,
    sql<{ id: string; organizationId: string }>`
      update invitations set status = 'revoked' where ${made} and status = 'pending' returning id, organization_id`,
    sql<{ id: string; organizationId: string }>`
      update links set ended_at = now(), reason = 'maker' where ${made} and ended_at is null returning id, organization_id`,
  ])
  const cause = 'key_ended'
  await pipeline([
    ...ended.map(({ id, ownerType, userId, organizationId, endedBecause: reason }) =>
      record(sql, actor, 'key.ended', {
        target: { type: 'key', id },
        ownerId: userId,
        organizationId: logOf({ ownerType, organizationId }),
        details: { reason },
      }),
    ),
    ...invitations.map(({ id, organizationId }) =>
      record(sql, actor, 'invitation.revoked', {
        organizationId,
        target: { type: 'invitation', id },
        details: { cause },
      }),
    ),
    ...links.map(({ id, organizationId }) =>
      record(sql, actor, 'link.ended', {
        organizationId,
        target: { type: 'link', id },
        details: { reason: 'maker', cause },
      }),
    ),
  ])
}

/** Notes that a secret was used, at most once a minute. */
export function noteSecret(sql: Sql, hash: Buffer): Sent<unknown> {
  return sql`
    update api_key_secrets set last_used_at = date_trunc('minute', now())
    where tenant_id = ${sql.tenant} and token_hash = ${hash}
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`
}

/** Notes for keys that end soon that their people get a mail now. @returns those keys, a batch of them */
export function claimEnding(sql: Sql, limit: number): Sent<{ id: string }[]> {
  return sql<{ id: string }>`
    with ending as (
      select k.id from api_keys k
      where k.tenant_id = ${sql.tenant} and k.ended_at is null and k.expires_at > now() and k.expires_at < now() + ${notice}
        and k.expires_at > k.created_at + ${notice} and not k.ending_told
      order by k.expires_at
      limit ${limit}
      for no key update skip locked)
    update api_keys k set ending_told = true
    from ending
    where k.tenant_id = ${sql.tenant} and k.id = ending.id
    returning k.id`
}

/** Deletes the keys of a person who is erased, and takes the person out of those that they held. @returns the ids of the deleted ones */
export async function eraseKeysOf(sql: Sql, userId: string): Promise<string[]> {
  const [, erased] = await pipeline([
    sql`update api_keys set holder_id = null where tenant_id = ${sql.tenant} and holder_id = ${userId}`,
    sql<{ id: string }>`delete from api_keys where tenant_id = ${sql.tenant} and user_id = ${userId} returning id`,
  ])
  return erased.map(({ id }) => id)
}

/** Deletes ended keys after the time of the tenant’s audit log, which names them. */
export const purgeKeys: Purge = (sql, batch) => sql`
  with over as (
    select k.id from api_keys k
    where k.tenant_id = ${sql.tenant}
      and k.ended_at < now() - make_interval(secs => (select audit_retention_seconds from tenants where id = ${sql.tenant}))
    order by k.ended_at
    limit ${batch}
    for update skip locked)
  delete from api_keys k
  using over
  where k.tenant_id = ${sql.tenant} and k.id = over.id
  returning k.id`
