/**
 * Recheck: whether the key of a request still does what its door saw, after the request has waited for a lock.
 *
 * Invariant: a key that has ended while its request waited changes nothing, and neither does a secret that has ended. If the key was
 * narrowed or given an earlier end, the transaction is repeated: the door reads the key as it is now, and judges by it. A request that finds
 * its key unchanged after its last lock came before the change.
 */
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { OvertakenError } from '../../platform/database/errors.ts'
import type { SeenKey } from '../access/actors.ts'
import { endOf } from '../permissions/rules.ts'
import { ApiProblem } from '../problems.ts'
import { isSecretLive } from '../secrets.ts'
import { isKeyLive, isKeyOffered } from './keys.ts'

/** A live key, as `selectKeyNow` selects it. */
export interface KeyNow {
  readonly scopes: readonly string[]
  /** The end after its holder has left does not count: until then the key does what it did, and a rotation takes that end away. */
  readonly chosenEnd: string | null
}

/** Selects the key with a secret; no row if one of the two has ended, or the tenant lets such owners have no keys. */
export function selectKeyNow(tenant: string, secretHash: Buffer): Statement {
  return statement`
    select k.scopes, k.chosen_end
    from api_key_secrets s
    join api_keys k on k.tenant_id = ${tenant} and k.id = s.key_id
    join tenants t on t.id = k.tenant_id
    where s.tenant_id = ${tenant} and s.token_hash = ${secretHash}
      and ${isSecretLive} and ${isKeyLive} and ${isKeyOffered}`
}

/**
 * Compares a key with what a door has seen of it.
 *
 * @param now as `selectKeyNow` has selected it, in a statement after the lock
 * @throws Problem unauthenticated if the key or its secret has ended; OvertakenError if the key ends earlier or has lost a scope
 */
export function checkKeyNow(seen: SeenKey, now: KeyNow | undefined): void {
  if (!now) throw new ApiProblem('unauthenticated')
  const isShorter = endOf(now.chosenEnd) < endOf(seen.expiresAt)
  const isNarrower = seen.scopes.some((scope) => !now.scopes.includes(scope))
  if (isShorter || isNarrower) throw new OvertakenError('The key has lost something while its request waited.')
}

/** Checks the key of a request again, by a statement of its own. @throws Problem unauthenticated; OvertakenError, as `checkKeyNow` */
export async function recheckKey(sql: Sql, seen: SeenKey): Promise<void> {
  const [now] = await sql<KeyNow>`${selectKeyNow(sql.tenant, seen.secretHash)}`
  checkKeyNow(seen, now)
}
