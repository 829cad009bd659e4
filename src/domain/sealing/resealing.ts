/**
 * Resealing: what stays sealed in the database is sealed again under the newest secret, so that the operator can take an older one away.
 *
 * Invariant: `sealed_under` names the secret that opens the row. Any number of processes may reseal at once: a batch locks its rows, and
 * skips those that another transaction has locked.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Purge, Sql } from '../../platform/database/database.ts'
import { openSeed, sealSeed } from '../credentials/totp.ts'
import { openClientSecret, sealClientSecret } from '../providers/stored.ts'
import { openSigningKey, sealSigningKey } from '../signing-keys/signing-keys.ts'

interface Sealed {
  readonly id: string
  readonly sealed: string
}

/** What no secret opens, although a known one is named, names none from then on. It would be chosen first in every batch. */
const nobody = ''

/** Reseals a batch of the seeds of authenticator apps. A seed whose secret was taken away stays: the secret may be put back. */
export function resealSeeds(keyring: Keyring): Purge {
  const [newest, ...older] = keyring.names
  return async (sql, batch) => {
    const rows = await sql<Sealed>`
      select id, seed as sealed from factors
      where tenant_id = ${sql.tenant} and sealed_under = any(${older}::text[])
      limit ${batch}
      for no key update skip locked`
    const { ids, texts, names } = reseal(rows, newest, (id, sealed) => {
      const seed = openSeed(keyring, sql.tenant, id, sealed)
      return seed && sealSeed(keyring, sql.tenant, id, seed)
    })
    return sql`
      update factors
      set seed = r.sealed, sealed_under = r.name
      from unnest(${ids}::text[], ${texts}::text[], ${names}::text[]) r (id, sealed, name)
      where tenant_id = ${sql.tenant} and factors.id = r.id
      returning r.id`
  }
}

/** Reseals a batch of the client secrets of providers. */
export function resealClientSecrets(keyring: Keyring): Purge {
  const [newest, ...older] = keyring.names
  return async (sql, batch) => {
    const rows = await sql<Sealed>`
      select id, secret as sealed from providers
      where tenant_id = ${sql.tenant} and sealed_under = any(${older}::text[])
      limit ${batch}
      for no key update skip locked`
    const { ids, texts, names } = reseal(rows, newest, (id, sealed) => {
      const secret = openClientSecret(keyring, sql.tenant, id, sealed)
      return secret && sealClientSecret(keyring, sql.tenant, id, secret)
    })
    return sql`
      update providers
      set secret = r.sealed, sealed_under = r.name
      from unnest(${ids}::text[], ${texts}::text[], ${names}::text[]) r (id, sealed, name)
      where tenant_id = ${sql.tenant} and providers.id = r.id
      returning r.id`
  }
}

/** Reseals a batch of the private keys that sign tokens. */
export function resealSigningKeys(keyring: Keyring): Purge {
  const [newest, ...older] = keyring.names
  return async (sql, batch) => {
    const rows = await sql<Sealed>`
      select id, private_key as sealed from signing_keys
      where tenant_id = ${sql.tenant} and sealed_under = any(${older}::text[])
      limit ${batch}
      for no key update skip locked`
    const { ids, texts, names } = reseal(rows, newest, (id, sealed) => {
      const key = openSigningKey(keyring, sql.tenant, id, sealed)
      return key && sealSigningKey(keyring, sql.tenant, id, key)
    })
    return sql`
      update signing_keys
      set private_key = r.sealed, sealed_under = r.name
      from unnest(${ids}::text[], ${texts}::text[], ${names}::text[]) r (id, sealed, name)
      where tenant_id = ${sql.tenant} and signing_keys.id = r.id
      returning r.id`
  }
}

/** What the rows are set to. */
function reseal(
  rows: readonly Sealed[],
  newest: string,
  sealAgain: (id: string, sealed: string) => string | undefined,
) {
  const made = rows.map(({ id, sealed }) => ({ id, sealed, again: sealAgain(id, sealed) }))
  return {
    ids: made.map(({ id }) => id),
    texts: made.map(({ sealed, again }) => again ?? sealed),
    names: made.map(({ again }) => (again === undefined ? nobody : newest)),
  }
}

/** How much of a tenant's is not sealed under the newest secret. */
export interface SealedBefore {
  /** They are sealed under another secret of the list, which is still needed. */
  readonly older: number
  /** No secret of the list opens them. */
  readonly lost: { readonly seeds: number; readonly clientSecrets: number; readonly signingKeys: number }
}

export async function countSealedBefore(sql: Sql, keyring: Keyring): Promise<SealedBefore> {
  const [newest, ...older] = keyring.names
  const rows = await sql<{ kind: keyof SealedBefore['lost']; name: string; count: number }>`
    select 'seeds' as kind, sealed_under as name, count(*) as count
    from factors
    where tenant_id = ${sql.tenant} and sealed_under is not null
    group by sealed_under
    union all
    select 'clientSecrets', sealed_under, count(*)
    from providers
    where tenant_id = ${sql.tenant} and sealed_under is not null
    group by sealed_under
    union all
    select 'signingKeys', sealed_under, count(*)
    from signing_keys
    where tenant_id = ${sql.tenant}
    group by sealed_under`
  const sum = (counted: typeof rows) => counted.reduce((total, { count }) => total + count, 0)
  const lost = (wanted: keyof SealedBefore['lost']) =>
    sum(rows.filter(({ kind, name }) => kind === wanted && name !== newest && !older.includes(name)))
  return {
    older: sum(rows.filter(({ name }) => older.includes(name))),
    lost: { seeds: lost('seeds'), clientSecrets: lost('clientSecrets'), signingKeys: lost('signingKeys') },
  }
}
