/**
 * Signing keys: the RSA keys of a tenant, which sign tokens that others check by themselves.
 *
 * The tenant's first token makes the first key, which signs at once. Later ones are published a day before they sign (rotation.ts). A key
 * signs until another one does, and stays published until the longest session is over in which it has signed a token: an application sends
 * back ID tokens that have expired to say of whom it speaks (applications/id-token-hints.ts).
 *
 * Invariant: keys are made under the lock of the tenant's row, and one signs at a time: the latest of those whose time has come.
 */
import { type Keyring, newSigningPair, type SigningPair } from '../../platform/cryptography.ts'
import {
  type Database,
  type Purge,
  pipeline,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import { lockTenant } from '../access/tenant-lock.ts'
import { tenantTurn } from '../access/turns.ts'
import { durations } from '../limits/durations.ts'

/** What makes and opens keys. */
export interface KeyStore {
  readonly database: Database
  readonly keyring: Keyring
}

/** After the longest session, for clocks that differ. */
const margin = 300

/** Whether `signing_keys k` is over: another key has signed for longer than a session or a token lives. */
const isOver = (tenant: string) => statement`exists (
  select from signing_keys l
  join tenants o on o.id = l.tenant_id
  where l.tenant_id = ${tenant} and l.signs_from > k.signs_from
    and l.signs_from <= statement_timestamp()
      - make_interval(secs => greatest(o.session_absolute_seconds, ${durations.tokenSeconds.most}) + ${margin}))`

/** Selects the id of the key that signs now; no row if the tenant has no key. */
export function selectCurrentKey(tenant: string): Statement {
  return statement`
    select k.id from signing_keys k
    where k.tenant_id = ${tenant} and k.signs_from <= statement_timestamp()
    order by k.signs_from desc
    limit 1`
}

/** Selects the published keys, the one that signs longest first. */
export function selectPublicKeys(tenant: string): Statement {
  return statement`
    select k.id, k.public_key from signing_keys k
    join tenants t on t.id = k.tenant_id and t.deleted_at is null
    where k.tenant_id = ${tenant} and not ${isOver(tenant)}
    order by k.signs_from`
}

/** A published key. */
export interface PublicKey {
  readonly id: string
  readonly publicKey: SigningPair['publicKey']
}

export function listPublicKeys(sql: Sql): Promise<PublicKey[]> {
  return sql`${selectPublicKeys(sql.tenant)}`
}

/** @returns undefined if the key is gone; `privateKey` is undefined if it was sealed under a secret that was taken away */
export async function findPrivateKey(
  { database, keyring }: KeyStore,
  tenant: string,
  id: string,
): Promise<{ readonly privateKey: string | undefined } | undefined> {
  const { found } = await database.read(
    tenant,
    { found: statement`select private_key from signing_keys where tenant_id = ${tenant} and id = ${id}` },
    { byKey: true },
  )
  const [row] = found as { privateKey: string }[] // as the statement selects it
  return row && { privateKey: openSigningKey(keyring, tenant, id, row.privateKey) }
}

/** Makes the tenant's first key, unless it has one meanwhile. @returns the id of the key that signs */
export function makeFirstKey(store: KeyStore, tenant: string): Promise<string> {
  return withNewPair(store, tenant, async (sql, pair, now) => {
    const [current] = await sql<{ id: string }>`${selectCurrentKey(tenant)}`
    if (current) return current.id
    await insertSigningKey(sql, store.keyring, pair, now)
    return pair.id
  })
}

/**
 * Makes a key pair, and locks the tenant's keys against other makers.
 *
 * @param work decides whether the pair becomes a key; `now` is the time of the database
 */
export async function withNewPair<T>(
  { database }: KeyStore,
  tenant: string,
  work: (sql: Sql, pair: SigningPair, now: string) => Promise<T>,
): Promise<T> {
  const pair = await newSigningPair() // before the transaction: it is slow
  return database.inTenant(
    tenant,
    async (sql) => {
      const [, [row]] = await pipeline([lockTenant(sql), sql<{ now: string }>`select statement_timestamp() as now`])
      if (!row) throw new Error('A select without a table has no row.')
      return work(sql, pair, row.now)
    },
    { turn: tenantTurn },
  )
}

/** Adds a key. The keys must be locked. */
export async function insertSigningKey(
  sql: Sql,
  keyring: Keyring,
  pair: SigningPair,
  signsFrom: string,
): Promise<void> {
  const sealed = sealSigningKey(keyring, sql.tenant, pair.id, pair.privateKey)
  await sql`
    insert into signing_keys (tenant_id, id, public_key, private_key, sealed_under, signs_from)
    values (${sql.tenant}, ${pair.id}, ${JSON.stringify(pair.publicKey)}, ${sealed}, ${keyring.name}, ${signsFrom})`
}

/** Deletes all keys but one. */
export async function dropOtherKeys(sql: Sql, id: string): Promise<void> {
  await sql`delete from signing_keys where tenant_id = ${sql.tenant} and id <> ${id}`
}

/** Deletes keys that are over. */
export const purgeSigningKeys: Purge = (sql, batch) => sql`
  with over as (
    select k.id from signing_keys k
    where k.tenant_id = ${sql.tenant} and ${isOver(sql.tenant)}
    limit ${batch}
    for update skip locked)
  delete from signing_keys k using over where k.tenant_id = ${sql.tenant} and k.id = over.id
  returning k.id`

export function sealSigningKey(keyring: Keyring, tenant: string, id: string, privateKey: string): string {
  return keyring.seal('signing-key', privateKey, contextOf(tenant, id))
}

/** @returns undefined if it was sealed under a secret that was taken away */
export function openSigningKey(keyring: Keyring, tenant: string, id: string, sealed: string): string | undefined {
  return keyring.open('signing-key', sealed, contextOf(tenant, id))
}

function contextOf(tenant: string, id: string): string {
  return `${tenant}\nsigning_keys\n${id}`
}
