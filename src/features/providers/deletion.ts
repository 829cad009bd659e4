/**
 * Deletion: takes a provider away for good, with its identities and the sessions that they began.
 *
 * In a large tenant a provider has an identity of each person, so these go in batches:
 *
 * 1. If it has more than a batch, the first transaction disables the provider. From its commit on, nobody signs in or links an account with it.
 * 2. Each batch is a transaction of its own, which locks its people, and not the tenant. So other changes in the tenant do not wait.
 * 3. The last transaction deletes the provider and what is left. It does not judge the caller again: a batch may have ended their session.
 *
 * If somebody enables the provider in between, it stays, without the identities that are gone.
 *
 * If the process is killed in between, the provider stays disabled. It is deleted once it is deleted again.
 */
import type { Static } from 'typebox'
import type { Actor } from '../../domain/access/actors.ts'
import { lockTenant, type Transact } from '../../domain/access/tenant-lock.ts'
import { tenantTurn } from '../../domain/access/turns.ts'
import { dropManyIdentities } from '../../domain/credentials/identities.ts'
import { type Deleted, deletedNow } from '../../domain/deleted.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { endSessionsOfIdentities, endSessionsOfProvider } from '../../domain/sessions/sessions.ts'
import { type Database, pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { checkVersion } from '../../platform/http/preconditions.ts'
import { normalizeName } from '../../platform/http/schemas.ts'
import { getLocked, getProvider, type ProviderRow } from './provider-fields.ts'

/** How many identities a transaction deletes at most, so that its statements end well within their time. */
const batch = 1_000

/** What has gone with a provider. */
interface Gone {
  readonly identityCount: number
  readonly endedSessions: number
}

/**
 * Deletes a provider.
 *
 * @param transact for somebody who may delete it
 * @param confirm what must be its name
 * @throws Problem not_found, confirmation_mismatch, version_mismatch
 */
export async function deleteProvider(
  transact: Transact,
  { database, wantedTags }: Pick<RequestContext, 'database' | 'wantedTags'>,
  id: string,
  confirm: string,
): Promise<Static<typeof Deleted>> {
  const begun = await transact(async (sql, actor) => {
    const check = (seen: ProviderRow) => {
      if (seen.name !== normalizeName(confirm)) throw new ApiProblem('confirmation_mismatch')
      checkVersion({ wantedTags }, seen)
    }
    const seen = await getProvider(sql, id)
    check(seen) // a refusal locks nobody
    const isLarge = seen.identityCount > batch
    const [, provider] = await pipeline([!isLarge && lockPeopleWith(sql, id), getLocked(sql, id)])
    check(provider)
    if (!isLarge) return drop(sql, actor, provider)
    if (provider.enabled) await disable(sql, actor, id)
    return { tenant: sql.tenant, actor }
  })
  if ('deleted' in begun) return begun
  const gone = await dropInBatches(database, begun.tenant, id)
  const finish = async (sql: Sql) => {
    await lockTenant(sql)
    const [, provider] = await pipeline([lockPeopleWith(sql, id), getLocked(sql, id)])
    if (provider.enabled) checkVersion({ wantedTags: [] }, provider) // it is another version
    return drop(sql, begun.actor, provider, gone)
  }
  return database.inTenant(begun.tenant, finish, { turn: tenantTurn })
}

/** The provider must be locked: sign-ins with it wait, and find it disabled. */
async function disable(sql: Sql, actor: Actor, id: string): Promise<void> {
  await pipeline([
    sql`
      update providers set is_enabled = false, version = version + 1, updated_at = now()
      where tenant_id = ${sql.tenant} and id = ${id}`,
    record(sql, actor, 'provider.updated', {
      target: { type: 'provider', id },
      details: { enabled: { from: true, to: false } },
    }),
  ])
}

/** Deletes the identities of a provider, which must be disabled, and ends the sessions that they began. */
async function dropInBatches(database: Database, tenant: string, id: string): Promise<Gone> {
  let [identityCount, endedSessions] = [0, 0]
  for (let found = batch; found === batch; ) {
    const dropped = await database.inTenant(tenant, (sql) => dropBatch(sql, id))
    found = dropped.identityCount
    identityCount += dropped.identityCount
    endedSessions += dropped.endedSessions
  }
  return { identityCount, endedSessions }
}

async function dropBatch(sql: Sql, id: string): Promise<Gone> {
  const found = await sql<{ id: string; userId: string }>`
    select id, user_id
    from identities
    where tenant_id = ${sql.tenant} and provider_id = ${id}
      and not (select is_enabled from providers where tenant_id = ${sql.tenant} and id = ${id})
    limit ${batch}`
  const [people, ids] = [found.map(({ userId }) => userId), found.map(({ id }) => id)]
  await sql`
    select from users where tenant_id = ${sql.tenant} and id = any(${people}) order by id for no key update`
  const endedSessions = await endSessionsOfIdentities(sql, ids)
  await dropManyIdentities(sql, ids)
  return { identityCount: found.length, endedSessions }
}

/** Foreign keys delete the identities that are left, and sign-ins that are not done. @param gone what went before */
async function drop(
  sql: Sql,
  actor: Actor,
  { id, type, name, identityCount }: ProviderRow,
  gone: Gone = { identityCount: 0, endedSessions: 0 },
): Promise<Static<typeof Deleted>> {
  const endedSessions = await endSessionsOfProvider(sql, id)
  await sql`delete from providers where tenant_id = ${sql.tenant} and id = ${id}`
  await record(sql, actor, 'provider.deleted', {
    target: { type: 'provider', id },
    details: {
      ...{ type, name },
      identityCount: gone.identityCount + identityCount,
      endedSessions: gone.endedSessions + endedSessions,
    },
  })
  return deletedNow(sql)
}

/**
 * Locks those who have an identity of a provider: before the provider, as their sign-ins do, and before their sessions and identities, as
 * what ends these does.
 */
function lockPeopleWith(sql: Sql, id: string): Sent<unknown> {
  return sql`
    select from users
    where tenant_id = ${sql.tenant}
      and id in (select user_id from identities where tenant_id = ${sql.tenant} and provider_id = ${id})
    order by id
    for no key update`
}
