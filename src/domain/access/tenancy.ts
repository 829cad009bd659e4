/**
 * Tenancy: whose population a request is about, when no credential says it.
 *
 * The host's tenant, else the one named by the header `Guildhall-Tenant`, else `default`. The header selects; it never authorizes.
 */
import type { FastifyRequest } from 'fastify'
import { type Database, type Sql, statement } from '../../platform/database/database.ts'
import { snapshotOf } from '../../platform/database/snapshots.ts'
import { hostOf } from '../../platform/http/address.ts'
import { ApiProblem, type ProblemCode } from '../problems.ts'

/** What the rest of the house must know of a tenant before anybody is signed in. */
export interface Tenant {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly logoUrl: string | null
  readonly color: string | null
  readonly signUp: 'open' | 'invited_only' | 'closed'
  readonly allowedEmailDomains: readonly string[]
  readonly passwordMinimum: number
  /** Whether a mailed code signs in. */
  readonly mailCodes: boolean
  /** Whether pages may show pictures that other servers hold. */
  readonly remotePictures: boolean
  /** Whether organizations may have links to join. */
  readonly shareLinks: boolean
  /** Whether people, and whether organizations, may have keys. */
  readonly personalKeys: boolean
  readonly organizationKeys: boolean
  /** Whether organizations may have webhooks. */
  readonly organizationWebhooks: boolean
}

/** The tenant that the header names, or undefined. */
export function namedTenant(request: FastifyRequest): string | undefined {
  return request.headers['guildhall-tenant']?.toString()
}

/**
 * @param id the tenant that a token names, where the request has one
 * @param missing what is said of a token whose tenant does not exist
 * @throws Problem tenant_mismatch when the header's tenant is unknown, or not the token's or the host's
 */
export async function getTenant(
  request: FastifyRequest,
  id?: string,
  missing: ProblemCode = 'token_spent',
): Promise<Tenant> {
  const named = namedTenant(request)
  const ofDomain = statement`(select tenant_id from tenant_domains where domain = ${hostOf(request)})`
  const found = await request.server.database.acrossTenants(
    (sql) => sql<Tenant & { ofHost: boolean }>`
      select t.id, t.slug, t.name, t.logo_url, t.color, t.sign_up, t.allowed_email_domains, t.password_minimum,
        t.mail_codes, t.remote_pictures, t.share_links, t.personal_keys, t.organization_keys, t.organization_webhooks,
        coalesce(t.id = ${ofDomain}, false) as of_host
      from tenants t
      where t.deleted_at is null and (t.id = ${id ?? null} or t.slug = ${named ?? 'default'} or t.id = ${ofDomain})`,
  )
  const ofHost = found.find((each) => each.ofHost)
  const tenant = id
    ? found.find((each) => each.id === id)
    : (ofHost ?? found.find((each) => each.slug === (named ?? 'default')))
  if (named !== undefined && (tenant?.slug !== named || (ofHost ?? tenant).slug !== named))
    throw new ApiProblem('tenant_mismatch')
  if (!tenant) throw new ApiProblem(id ? missing : 'tenant_mismatch')
  return tenant
}

/**
 * Whether a page may show pictures that other servers hold: as the tenant has it that the page is about. Anybody may ask for pages, so it
 * is read once a second for all of them.
 *
 * @returns tells it of a request and the slug that its address names, where it names one; false too where there is no such tenant, or
 *   the host is another one's
 */
export function readRemotePictures(
  database: Database,
): (request: FastifyRequest, slug: string | undefined) => Promise<boolean> {
  const read = snapshotOf(() =>
    database.acrossTenants(async (sql) => {
      const domains = await listDomains(sql)
      const showing = await sql<{ slug: string }>`select slug from tenants where remote_pictures`
      return { domains, showing: new Set(showing.map(({ slug }) => slug)) }
    }),
  )
  return async (request, slug) => {
    const { domains, showing } = await read()
    const own = domains.get(hostOf(request))
    const shown = slug ?? own ?? 'default'
    return (own === undefined || own === shown) && showing.has(shown)
  }
}

/** @returns by domain the slug of its tenant */
export async function listDomains(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ domain: string; slug: string }>`
    select d.domain, t.slug from tenant_domains d join tenants t on t.id = d.tenant_id`
  return new Map(rows.map(({ domain, slug }) => [domain, slug]))
}

/** Whether a tenant allows the domain of an address. @param email normalised */
export function isDomainAllowed({ allowedEmailDomains }: Pick<Tenant, 'allowedEmailDomains'>, email: string): boolean {
  return allowedEmailDomains.length === 0 || allowedEmailDomains.includes(email.slice(email.indexOf('@') + 1))
}

/** @throws Problem email_domain_not_allowed */
export function checkEmailDomain(tenant: Pick<Tenant, 'allowedEmailDomains'>, email: string): void {
  if (!isDomainAllowed(tenant, email)) throw new ApiProblem('email_domain_not_allowed')
}
