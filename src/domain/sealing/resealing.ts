/**
 * Resealing: what stays sealed in the database is sealed again under the newest secret, so that the operator can take an older one away.
 *
 * Invariant: `sealed_under` names the secret that opens the row. Any number of processes may reseal at once: a batch locks its rows, and
 * skips those that another transaction has locked.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { type Purge, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { openSeed, sealSeed } from '../credentials/totp.ts'
import { openClientSecret, sealClientSecret } from '../providers/stored.ts'
import { openSigningKey, sealSigningKey } from '../signing-keys/signing-keys.ts'
import { openWebhookSecret, sealWebhookSecret } from '../webhooks/secrets.ts'

interface Sealed {
  readonly id: string
  readonly sealed: string
}

/** Stored as the secret's name if no secret opens the row. Otherwise the row would come first in every batch. */
const nobody = ''

/** A column that is sealed. */
interface Column {
  /** Selects `id` and `sealed`. */
  readonly selection: Statement
  /** Updates the rows as `kept` by the rows of `r`. */
  readonly change: Statement
  /** @returns undefined if no secret opens it */
  readonly open: (keyring: Keyring, tenant: string, id: string, sealed: string) => string | undefined
  readonly seal: (keyring: Keyring, tenant: string, id: string, text: string) => string
}

const seeds: Column = {
  selection: statement`select id, seed as sealed from factors`,
  change: statement`update factors as kept set seed = r.sealed, sealed_under = r.name`,
  open: openSeed,
  seal: sealSeed,
}

const clientSecrets: Column = {
  selection: statement`select id, secret as sealed from providers`,
  change: statement`update providers as kept set secret = r.sealed, sealed_under = r.name`,
  open: openClientSecret,
  seal: sealClientSecret,
}

const signingKeys: Column = {
  selection: statement`select id, private_key as sealed from signing_keys`,
  change: statement`update signing_keys as kept set private_key = r.sealed, sealed_under = r.name`,
  open: openSigningKey,
  seal: sealSigningKey,
}

const webhookSecrets: Column = {
  selection: statement`select id, secret as sealed from webhook_secrets`,
  change: statement`update webhook_secrets as kept set secret = r.sealed, sealed_under = r.name`,
  open: openWebhookSecret,
  seal: sealWebhookSecret,
}

/** By kind, what reseals a batch. A row whose secret was taken away stays as it is: the secret may be put back. */
export function resealings(keyring: Keyring) {
  return {
    seeds: resealing(keyring, seeds),
    clientSecrets: resealing(keyring, clientSecrets),
    signingKeys: resealing(keyring, signingKeys),
    webhookSecrets: resealing(keyring, webhookSecrets),
  }
}

function resealing(keyring: Keyring, { selection, change, open, seal }: Column): Purge {
  const [newest, ...older] = keyring.names
  return async (sql, batch) => {
    const rows = await sql<Sealed>`
      ${selection}
      where tenant_id = ${sql.tenant} and sealed_under = any(${older}::text[])
      limit ${batch}
      for no key update skip locked`
    const opened = rows.map((row) => ({ ...row, text: open(keyring, sql.tenant, row.id, row.sealed) }))
    const ids = opened.map(({ id }) => id)
    const texts = opened.map(({ id, sealed, text }) => (text ? seal(keyring, sql.tenant, id, text) : sealed))
    const names = opened.map(({ text }) => (text ? newest : nobody))
    return sql`
      ${change}
      from unnest(${ids}::text[], ${texts}::text[], ${names}::text[]) r (id, sealed, name)
      where tenant_id = ${sql.tenant} and kept.id = r.id
      returning r.id`
  }
}

/** How much of a tenant's is not sealed under the newest secret. */
export interface SealedBefore {
  /** They are sealed under another secret of the list, which is still needed. */
  readonly older: number
  /** No secret of the list opens them. */
  readonly lost: Readonly<Record<keyof ReturnType<typeof resealings>, number>>
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
    group by sealed_under
    union all
    select 'webhookSecrets', sealed_under, count(*)
    from webhook_secrets
    where tenant_id = ${sql.tenant}
    group by sealed_under`
  const sum = (counted: typeof rows) => counted.reduce((total, { count }) => total + count, 0)
  const lost = (wanted: keyof SealedBefore['lost']) =>
    sum(rows.filter(({ kind, name }) => kind === wanted && name !== newest && !older.includes(name)))
  return {
    older: sum(rows.filter(({ name }) => older.includes(name))),
    lost: {
      seeds: lost('seeds'),
      clientSecrets: lost('clientSecrets'),
      signingKeys: lost('signingKeys'),
      webhookSecrets: lost('webhookSecrets'),
    },
  }
}
