/**
 * Rotation: how a tenant's signing key is replaced, so that nobody who checks tokens notices.
 *
 * 1. An hourly task makes the next key a day before the present one has signed for 90 days. It is published at once, and signs when the 90
 *    days are over, or a day later if the task is late. Who checks tokens has read it by then.
 * 2. From its first moment on, all processes sign with it: each request reads which key signs.
 * 3. Retention deletes the one before when the last session is over in which it has signed.
 *
 * If a key may have leaked, the operator replaces it at once, and withdraws all others: their tokens are then refused.
 */
import { pipeline, type Sql } from '../../platform/database/database.ts'
import type { Actor } from '../access/actors.ts'
import { record } from '../record/record.ts'
import { dropOtherKeys, insertSigningKey, type KeyStore, withNewPair } from './signing-keys.ts'

const day = 86_400
/** How long a key signs, in seconds. */
export const period = 90 * day
/** How long a key is published before it signs. */
export const lead = day

/** The latest key: when it signs, and whether it is time for the next one. */
interface Latest {
  readonly signsFrom: string
  readonly isDue: boolean
}

/** Makes the next key of a tenant if it is time. A tenant that has signed nothing has no key, and gets none. @returns whether it was time */
export async function rotateDueKey(store: KeyStore, tenant: string): Promise<boolean> {
  if (!(await store.database.inTenant(tenant, findLatest))?.isDue) return false
  return withNewPair(store, tenant, async (sql, pair, now) => {
    const latest = await findLatest(sql)
    if (!latest?.isDue) return false // another process was quicker
    const end = Date.parse(latest.signsFrom) + period * 1_000
    await insertSigningKey(
      sql,
      store.keyring,
      pair,
      new Date(Math.max(end, Date.parse(now) + lead * 1_000)).toISOString(),
    )
    return true
  })
}

/**
 * Replaces the key that signs: after a day, or at once. At once, all other keys are withdrawn, since one of them may have leaked.
 *
 * @returns when the next key signs, which another rotation may have made
 */
export function rotateKeys(
  store: KeyStore,
  tenant: string,
  actor: Actor,
  { isNow }: { readonly isNow: boolean },
): Promise<string> {
  return withNewPair(store, tenant, async (sql, pair, now) => {
    const latest = await findLatest(sql)
    if (!isNow && latest && latest.signsFrom > now) return latest.signsFrom
    const signsFrom = isNow || !latest ? now : new Date(Date.parse(now) + lead * 1_000).toISOString()
    await pipeline([
      isNow && dropOtherKeys(sql, pair.id),
      insertSigningKey(sql, store.keyring, pair, signsFrom),
      record(sql, actor, 'tenant.keys_rotated', {
        target: { type: 'tenant', id: tenant },
        details: { signsFrom, othersWithdrawn: isNow },
      }),
    ])
    return signsFrom
  })
}

async function findLatest(sql: Sql): Promise<Latest | undefined> {
  const [latest] = await sql<Latest>`
    select signs_from, signs_from <= statement_timestamp() - make_interval(secs => ${period - lead}) as is_due
    from signing_keys
    where tenant_id = ${sql.tenant}
    order by signs_from desc
    limit 1`
  return latest
}
