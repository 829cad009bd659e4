/** Where a tenant's sign-in pages are, and the one to which a provider sends the browser back. */
import { type Sql, statement } from '../../platform/database/database.ts'
import type { Config } from '../../platform/settings/config.ts'

/** What decides where a tenant's sign-in pages are. */
export interface Place {
  readonly slug: string
  readonly signInDomain: string | null
  readonly domains: readonly string[]
}

/** Columns of a `Place`, of `tenants t`. */
export const placeColumns = statement`t.slug, t.sign_in_domain,
  array(select domain from tenant_domains d where d.tenant_id = t.id order by domain) as domains`

/** The base of a tenant's sign-in pages, without a slash at the end: one origin, and below `PUBLIC_URL` the tenant's path. */
export function signInBaseOf({ publicUrl }: Pick<Config, 'publicUrl'>, { slug, signInDomain, domains }: Place): string {
  const domain = signInDomain ?? (domains.length === 1 ? domains[0] : undefined)
  if (domain === undefined) return slug === 'default' ? publicUrl : `${publicUrl}/t/${slug}`
  const url = new URL(publicUrl)
  url.hostname = domain
  return url.origin
}

export async function callbackUrlOf(sql: Sql, config: Pick<Config, 'publicUrl'>, providerId: string): Promise<string> {
  const [place] = await sql<Place>`
    select ${placeColumns}
    from tenants t
    where t.id = ${sql.tenant}`
  if (!place) throw new Error('The tenant of this transaction does not exist.')
  return `${signInBaseOf(config, place)}/sign-in/callback/${providerId}`
}
