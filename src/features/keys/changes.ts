/**
 * Changes of a key: it is narrowed, or ended. No change lets it do more, nor for longer: what it may do was judged when it was made.
 */

import type { Actor } from '../../domain/access/actors.ts'
import { endKeys, narrowKey } from '../../domain/keys/key-states.ts'
import { type Key, type KeyRow, logOf, selectKeys, toKey } from '../../domain/keys/keys.ts'
import { lockKey, lockLiveKey } from '../../domain/keys/making.ts'
import { endOffersOfKey } from '../../domain/organizations/offers.ts'
import { endOf } from '../../domain/permissions/rules.ts'
import { changesBetween } from '../../domain/record/changes.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import { checkVersion, type Versioned } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { normalizeName } from '../../platform/http/schemas.ts'
import type { KeyChange } from './key-fields.ts'

/**
 * Changes a live key.
 *
 * @param owned which keys the caller may change
 * @throws Problem not_found, key_ended, version_mismatch; invalid_request with all faults if the change would widen it
 */
export async function changeKey(
  sql: Sql,
  context: RequestContext,
  actor: Actor,
  owned: Statement,
  id: string,
  sent: KeyChange,
): Promise<Key & Versioned> {
  const before = await lockLiveKey(sql, owned, id)
  checkVersion(context, before)
  const faults = faultsOfWidening(before, sent)
  if (faults.length > 0) throw invalidRequest(faults)
  const { scopes, expiresAt } = sent
  const wanted = {
    ...(sent.name !== undefined && { name: normalizeName(sent.name) }),
    ...(scopes && { scopes: before.scopes.filter((scope) => scopes.includes(scope)) }),
    ...(expiresAt && { expiresAt: new Date(expiresAt).toISOString() }),
  }
  const changes = changesBetween(before, wanted)
  if (!changes) return toKey(sql.tenant, before)
  const { name, ...others } = changes
  const [, , [row]] = await pipeline([
    narrowKey(sql, id, { ...before, ...wanted }),
    record(sql, actor, 'key.narrowed', {
      organizationId: logOf(before),
      target: { type: 'key', id },
      // A name may tell of a person: it is kept with somebody with whom it goes, and a key is nobody.
      details: { ...(actor.type === 'user' && name && { name }), ...others },
    }),
    sql<KeyRow>`${selectKeys(sql.tenant)} and k.id = ${id}`,
  ])
  await endOffersOfKey(sql, actor, id, 'key_narrowed')
  return toKey(sql.tenant, row as KeyRow) // it is locked
}

function faultsOfWidening(before: Pick<Key, 'scopes' | 'expiresAt'>, { scopes = [], expiresAt }: KeyChange): Fault[] {
  const faults = scopes.flatMap((scope, index) =>
    before.scopes.includes(scope)
      ? []
      : [faultOf(`/scopes/${index}`, 'not_allowed', 'The key does not have this scope. Make another key for it.')],
  )
  if (expiresAt === undefined) return faults
  if (endOf(expiresAt) > endOf(before.expiresAt))
    faults.push(faultOf('/expiresAt', 'not_allowed', 'The end can only become earlier.'))
  else if (endOf(expiresAt) <= Date.now())
    faults.push(faultOf('/expiresAt', 'out_of_range', 'A time in the future is needed. To end the key now, delete it.'))
  return faults
}

/**
 * Ends a key for good; nothing happens to one that has ended.
 *
 * @param owned which keys the caller may end
 * @throws Problem not_found, version_mismatch
 */
export async function endKey(
  sql: Sql,
  context: RequestContext,
  actor: Actor,
  owned: Statement,
  id: string,
): Promise<Key & Versioned> {
  checkVersion(context, await lockKey(sql, owned, id))
  await endKeys(sql, actor, statement`k.id = ${id}`, 'revoked')
  const [row] = await sql<KeyRow>`${selectKeys(sql.tenant)} and k.id = ${id}`
  return toKey(sql.tenant, row as KeyRow) // it is locked
}
