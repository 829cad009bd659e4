/**
 * Where a tenant's passkeys may be used: the WebAuthn RP id, and the exact origins of the pages that may ask for them.
 *
 * Browsers bind a passkey to its RP id. So the RP id must not change while there are passkeys.
 */
import ipaddr from 'ipaddr.js'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import type { Config } from '../../platform/settings/config.ts'
import { isLoopback } from '../../platform/settings/hosts.ts'
import { lockTenant } from '../access/tenant-lock.ts'

export interface PasskeySite {
  readonly rpId: string
  readonly origins: readonly string[]
}

/** What decides it of a tenant. */
export interface PasskeyTenant {
  readonly passkeyDomain: string | null
  /** One of `domains`. */
  readonly signInDomain: string | null
  readonly domains: readonly string[]
  readonly allowedOrigins: readonly string[]
}

/**
 * The RP id is the tenant's passkey domain, else its sign-in domain, else its only domain, else the host of `PUBLIC_URL`. For a loopback
 * `PUBLIC_URL` it is `localhost`. The tenant's domains have the scheme and the port of `PUBLIC_URL`.
 *
 * @returns undefined if the tenant has no passkeys: over plain http, or if the host is an IP address
 */
export function passkeySite({ publicUrl }: Pick<Config, 'publicUrl'>, tenant: PasskeyTenant): PasskeySite | undefined {
  const { passkeyDomain, signInDomain, domains, allowedOrigins } = tenant
  const own = new URL(publicUrl)
  const isLocal = isLoopback(own.hostname)
  if (own.protocol !== 'https:' && !isLocal) return undefined
  if (isLocal) own.hostname = 'localhost' // an IP address cannot be an RP id
  const onlyDomain = domains.length === 1 ? domains[0] : undefined
  const rpId = isLocal ? own.hostname : (passkeyDomain ?? signInDomain ?? onlyDomain ?? own.hostname)
  if (ipaddr.isValid(rpId.replace(/^\[|\]$/g, ''))) return undefined
  const known = [own.origin, ...domains.map((domain) => withHost(own, domain)), ...allowedOrigins]
  return { rpId, origins: [...new Set(known)].filter((origin) => isUnder(new URL(origin).hostname, rpId)) }
}

/** Reads what decides where the tenant's passkeys may be used, and the name that authenticators show. */
export async function getPasskeyTenant(sql: Sql): Promise<PasskeyTenant & { readonly name: string }> {
  const [tenant] = await sql<PasskeyTenant & { name: string }>`
    select t.name, t.passkey_domain, t.sign_in_domain, t.allowed_origins,
      array(select domain from tenant_domains d where d.tenant_id = t.id order by domain) as domains
    from tenants t
    where t.id = ${sql.tenant}`
  if (!tenant) throw new Error('The tenant of this transaction does not exist.')
  return tenant
}

/**
 * Reads it for a passkey that is about to be added, and keeps it from changing before that is done. The tenant's row is locked before those
 * of people, as where a tenant changes.
 */
export async function lockPasskeyTenant(sql: Sql): Promise<PasskeyTenant> {
  const [, tenant] = await pipeline([lockTenant(sql, 'share'), getPasskeyTenant(sql)])
  return tenant
}

function withHost(own: URL, host: string): string {
  const url = new URL(own)
  url.hostname = host
  return url.origin
}

function isUnder(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}
