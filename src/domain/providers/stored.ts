/** Providers as they are stored: how one is found and its secret opened, and how its failures are noted. */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { FailureReason } from './failures.ts'
import type { Provider } from './kinds.ts'

/** A provider with what a sign-in needs. */
export interface StoredProvider extends Provider {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  /** Whether its client secret was sealed under a secret that was taken away. Then `clientSecret` is null. */
  readonly isSecretLost: boolean
}

/** @returns a provider that is enabled */
export async function findProvider(sql: Sql, keyring: Keyring, id: string): Promise<StoredProvider | undefined> {
  const [row] = await sql<Omit<StoredProvider, 'clientSecret' | 'isSecretLost'> & { secret: string | null }>`
    select id, type, name, client_id, secret, issuer, microsoft_tenant, trusts_email, redirect_uris
    from providers
    where tenant_id = ${sql.tenant} and id = ${id} and is_enabled`
  if (!row) return undefined
  const { secret, ...provider } = row
  const clientSecret = secret === null ? null : (openClientSecret(keyring, sql.tenant, id, secret) ?? null)
  return { ...provider, clientSecret, isSecretLost: secret !== null && clientSecret === null }
}

export function sealClientSecret(keyring: Keyring, tenant: string, id: string, secret: string): string {
  return keyring.seal('provider', secret, contextOf(tenant, id))
}

/** @returns undefined if it was sealed under a secret that was taken away */
export function openClientSecret(keyring: Keyring, tenant: string, id: string, sealed: string): string | undefined {
  return keyring.open('provider', sealed, contextOf(tenant, id))
}

/** Notes the last failure of a provider, for tenant admins. */
export async function noteFailure(sql: Sql, id: string, reason: FailureReason): Promise<void> {
  await sql`
    update providers set failed_at = now(), failure = ${reason} where tenant_id = ${sql.tenant} and id = ${id}`
}

function contextOf(tenant: string, id: string): string {
  return `${tenant}\nproviders\n${id}`
}
