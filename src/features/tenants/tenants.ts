/**
 * Tenants: isolated populations of users and organizations. Only the operator makes, names and deletes them (deletion.ts).
 */
import type { Actor } from '../../domain/access/actors.ts'
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { changesBetween } from '../../domain/record/changes.ts'
import { record } from '../../domain/record/record.ts'
import type { Database, Sql } from '../../platform/database/database.ts'
import { ConstraintError } from '../../platform/database/errors.ts'
import { formats } from '../../platform/http/formats.ts'
import { newId, normalizeName, tenantIdToUuid } from '../../platform/http/schemas.ts'
import { isLoopback, isSender } from '../../platform/settings/hosts.ts'

/** A tenant as the operator sees it. */
export interface TenantRecord {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly domains: readonly string[]
  readonly mailFrom: string | null
  readonly baseUrl: string | null
  readonly allowedOrigins: readonly string[]
  /** The host of its sign-in pages: one of `domains`, or null for the default. */
  readonly signInDomain: string | null
  /** What its passkeys belong to: the host of its sign-in pages, which is the default, or a parent. */
  readonly passkeyDomain: string | null
  readonly createdAt: string
}

/** What the operator sets. */
export interface OperatorSettings {
  readonly slug?: string
  readonly name?: string
  readonly domains?: readonly string[]
  readonly mailFrom?: string | null
  readonly baseUrl?: string | null
  readonly allowedOrigins?: readonly string[]
  readonly signInDomain?: string | null
  readonly passkeyDomain?: string | null
}

/** A mistake of the operator; its message is a sentence for them. */
export class TenantError extends Error {
  override readonly name = 'TenantError'
}

export const operator = { type: 'operator', requestId: null } as const satisfies Actor

export function listTenants(database: Database): Promise<TenantRecord[]> {
  return database.acrossTenants((sql) => selectTenants(sql))
}

/** @returns the tenant, or undefined */
export async function findTenantBySlug(database: Database, slug: string): Promise<TenantRecord | undefined> {
  const [tenant] = await database.acrossTenants((sql) => selectTenants(sql, slug))
  return tenant
}

/** @throws TenantError */
export async function getTenantBySlug(database: Database, slug: string): Promise<TenantRecord> {
  const tenant = await findTenantBySlug(database, slug)
  if (!tenant) throw new TenantError(`There is no tenant "${slug}".`)
  return tenant
}

/** Makes the tenant `default`, if nobody has yet. */
export async function ensureDefaultTenant(database: Database): Promise<void> {
  if (!(await findTenantBySlug(database, 'default'))) {
    await createTenant(database, { slug: 'default', name: 'Guildhall' }).catch((error: unknown) => {
      if (!(error instanceof TenantError)) throw error // another process was quicker
    })
  }
}

/** @throws TenantError */
export async function createTenant(
  database: Database,
  settings: OperatorSettings & { slug: string; name: string },
): Promise<TenantRecord> {
  check(settings)
  const id = tenantIdToUuid(newId('ten'))
  await explained(database, settings.slug, () =>
    database.inTenant(id, async (sql) => {
      await sql`
        insert into tenants (id, slug, name, mail_from, base_url, allowed_origins)
        values (${id}, ${settings.slug}, ${normalizeName(settings.name)}, ${settings.mailFrom ?? null}, ${settings.baseUrl ?? null},
          ${settings.allowedOrigins ?? []})`
      await addDomains(sql, settings.domains ?? [])
      await record(sql, operator, 'tenant.created', { target: { type: 'tenant', id }, details: { ...settings } })
    }),
  )
  return getTenantBySlug(database, settings.slug)
}

/**
 * What is not given stays as it is at that moment: the tenant's own admins may be changing it.
 *
 * @param checkChange called in the transaction with the tenant before and after, which may be alike; it refuses a change by throwing
 * @throws TenantError
 */
export async function updateTenant(
  database: Database,
  slug: string,
  settings: OperatorSettings,
  checkChange?: (sql: Sql, before: TenantRecord, after: TenantRecord) => Promise<unknown>,
): Promise<TenantRecord> {
  check(settings)
  const { id } = await getTenantBySlug(database, slug)
  return explained(database, settings.slug, () =>
    database.inTenant(id, async (sql) => {
      await lockTenant(sql)
      const [before] = await selectTenants(sql, slug)
      if (before?.id !== id) throw new TenantError(`There is no tenant "${slug}".`) // renamed or deleted meanwhile
      const wanted = { ...before, ...settings }
      const details = changesBetween({ ...before }, { ...settings })
      if (!details) {
        await checkChange?.(sql, before, before)
        return before
      }
      if (slug === 'default' && wanted.slug !== 'default') throw new TenantError('The tenant "default" keeps its slug.')
      checkSignInDomain(wanted)
      await sql`
        update tenants
        set slug = ${wanted.slug}, name = ${normalizeName(wanted.name)}, mail_from = ${wanted.mailFrom}, base_url = ${wanted.baseUrl},
          allowed_origins = ${wanted.allowedOrigins}, sign_in_domain = ${wanted.signInDomain},
          passkey_domain = ${wanted.passkeyDomain}, version = version + 1, updated_at = now()
        where id = ${sql.tenant}`
      if (settings.domains) await setDomains(sql, settings.domains)
      await record(sql, operator, 'tenant.updated', { target: { type: 'tenant', id }, details })
      const [after] = (await selectTenants(sql, wanted.slug)) as [TenantRecord] // its row is locked
      await checkChange?.(sql, before, after)
      return after
    }),
  )
}

/** Without those that are being deleted (deletion.ts). */
function selectTenants(sql: Sql, slug: string | null = null): Promise<TenantRecord[]> {
  return sql<TenantRecord>`
    select t.id, t.slug, t.name, t.mail_from, t.base_url, t.allowed_origins, t.sign_in_domain,
      t.passkey_domain, t.created_at,
      array(select domain from tenant_domains d where d.tenant_id = t.id order by domain) as domains
    from tenants t
    where t.deleted_at is null and (${slug}::text is null or t.slug = ${slug})
    order by t.slug`
}

async function setDomains(sql: Sql, domains: readonly string[]): Promise<void> {
  await sql`delete from tenant_domains where tenant_id = ${sql.tenant}`
  await addDomains(sql, domains)
}

async function addDomains(sql: Sql, domains: readonly string[]): Promise<void> {
  for (const domain of domains)
    await sql`insert into tenant_domains (domain, tenant_id) values (${domain}, ${sql.tenant})`
}

/** Whether the path of a page can be put behind it. */
function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && !/[?#@\s]|\/$/.test(text)
}

/** Over plain http only from the machine itself, where a product is tried out. */
function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.origin !== text) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

/** @throws TenantError */
function check({ slug, name, domains, mailFrom, baseUrl, allowedOrigins }: OperatorSettings): void {
  if (slug !== undefined && !/^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$/.test(slug)) {
    throw new TenantError('A slug has 3 to 48 lower-case letters, digits and hyphens, with no hyphen at an end.')
  }
  if (name !== undefined && !formats.name.fits(name)) throw new TenantError('A name has 1 to 100 characters.')
  for (const domain of domains ?? []) {
    if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(domain)) {
      throw new TenantError(`"${domain}" is not a domain such as accounts.example.com.`)
    }
  }
  if (mailFrom && !isSender(mailFrom)) {
    throw new TenantError('The sender is an address like The Shop <hello@example.com>.')
  }
  if (baseUrl && !isBaseUrl(baseUrl)) {
    throw new TenantError('The base URL is one like https://app.example.com, without a slash at its end.')
  }
  for (const origin of allowedOrigins ?? []) {
    if (!isOrigin(origin)) throw new TenantError(`"${origin}" is not an origin such as https://app.example.com.`)
  }
}

/** @throws TenantError */
function checkSignInDomain({ signInDomain, domains }: Pick<TenantRecord, 'signInDomain' | 'domains'>): void {
  if (signInDomain !== null && !domains.includes(signInDomain))
    throw new TenantError(`The sign-in domain is one of the tenant's domains, and "${signInDomain}" is none of them.`)
}

/** Says in words what the database refused. */
async function explained<T>(database: Database, slug: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConstraintError && error.constraint === 'tenants_slug_key')
      throw new TenantError(`A tenant has this slug already.${await hintOfDeletion(database, slug)}`)
    if (error instanceof ConstraintError && error.constraint === 'tenant_domains_pkey')
      throw new TenantError('A tenant has this domain already.')
    throw error
  }
}

/** A tenant that is being deleted is in no list, but keeps its slug until its deletion is finished. */
async function hintOfDeletion(database: Database, slug: string | undefined): Promise<string> {
  const deleted = await database.acrossTenants(
    (sql) => sql`select from tenants where slug = ${slug ?? null} and deleted_at is not null`,
  )
  if (deleted.length === 0) return ''
  return ` Its deletion is not finished. Finish it with: guildhall tenant delete ${slug} --yes`
}
