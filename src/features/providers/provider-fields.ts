/** Fields of a provider: its shape, and the rules between fields that a schema cannot say. */
import { type Static, Type } from 'typebox'
import { type ProviderType, providerTypes } from '../../domain/credentials/identities.ts'
import { found } from '../../domain/problems.ts'
import { failureReasons } from '../../domain/providers/failures.ts'
import { callbackUrlOf, placeColumns, signInBaseOf } from '../../domain/providers/urls.ts'
import { countWithoutOther, OnlyWayInCount } from '../../domain/sessions/only-way-in.ts'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import type { Versioned } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, inUtc, Name, Nullable, OneOf, Timestamp } from '../../platform/http/schemas.ts'
import type { Config } from '../../platform/settings/config.ts'

const ProviderName = { ...Name, examples: ['Acme Login'] }
const ClientId = Type.String({ minLength: 1, maxLength: 512, pattern: '^[\\x21-\\x7e]+$', examples: ['guildhall'] })
const Issuer = Type.String({ maxLength: 2048, format: 'issuer', examples: ['https://login.example.com'] })
const MicrosoftTenant = Type.String({
  maxLength: 36,
  pattern: '^(common|organizations|consumers|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
  description: 'Who may sign in: the id of a Microsoft tenant, `organizations`, `consumers`, or `common` for both.',
  examples: ['common'],
})
const RedirectUris = Type.Array(Type.String({ maxLength: 2048, format: 'redirect-uri' }), {
  maxItems: 10,
  description:
    'Where a product’s own pages and apps may receive the answer of the provider, beside `callbackUrl`. No two providers share one.',
})
const TrustsEmail = Type.Boolean({
  description: 'Of `oidc`: whether addresses that the provider calls verified are believed when accounts are created.',
})

/** What admins write, but for what never changes. */
export const editable = {
  name: ProviderName,
  enabled: Type.Boolean({ description: 'Whether people can sign in with it.' }),
  clientId: ClientId,
  trustsEmail: TrustsEmail,
  redirectUris: RedirectUris,
}
export const ClientSecret = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'Visible ASCII characters without spaces. Never returned.',
  examples: ['a-secret-from-the-provider'],
})
export { Issuer, MicrosoftTenant }

export type Provider = Static<typeof Provider>
export const Provider = Type.Object(
  {
    id: Id('idp'),
    type: OneOf(providerTypes),
    ...editable,
    hasSecret: Type.Boolean(),
    issuer: Nullable(Issuer),
    microsoftTenant: Nullable(MicrosoftTenant),
    callbackUrl: Type.String({
      maxLength: 2048,
      description: 'Register it at the provider.',
      examples: ['https://accounts.example.com/sign-in/callback/idp_01k9zq3v5hf8gs4m2y7c6t0wdn'],
    }),
    identityCount: Type.Integer({ minimum: 0, maximum: 2_147_483_647, format: 'int32' }),
    onlyWayInCount: OnlyWayInCount(
      'How many people have no other way in: no password, no passkey that signs in, no other provider that is enabled, no mailed code. Null in lists, and above 10,000 linked accounts.',
    ),
    lastFailure: Nullable(Type.Object({ at: Timestamp, reason: OneOf(failureReasons) })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Provider',
    description: 'A provider that people sign in with: Google, Microsoft, GitHub or any OpenID provider.',
  },
)

export const providerPath = Type.Object({ providerId: Id('idp') })

export type ProviderRow = Omit<Provider, 'callbackUrl'> & Versioned & Omit<Parameters<typeof signInBaseOf>[1], never>

/** With what tells where the tenant's sign-in pages are. */
export function selectProviders(tenant: string, id?: string): Statement {
  return statement`
    select p.id, p.type, p.name, p.is_enabled as enabled, p.client_id, p.secret is not null as has_secret, p.issuer,
      p.microsoft_tenant, p.trusts_email, p.redirect_uris, p.version, p.created_at, p.updated_at,
      case when p.failure is not null then json_build_object('at', p.failed_at, 'reason', p.failure) end as last_failure,
      (select count(*) from identities i where i.tenant_id = ${tenant} and i.provider_id = p.id) as identity_count,
      ${id === undefined ? statement`null::integer` : countOnlyThere(tenant, id)} as only_way_in_count,
      ${placeColumns}
    from providers p
    join tenants t on t.id = p.tenant_id
    where p.tenant_id = ${tenant} and (${id ?? null}::text is null or p.id = ${id ?? null})
    order by p.created_at, p.id`
}

function countOnlyThere(tenant: string, id: string): Statement {
  const people = statement`select user_id from identities where tenant_id = ${tenant} and provider_id = ${id}`
  return statement`case when t.mail_codes then 0 else ${countWithoutOther(tenant, people, id)} end`
}

/** @throws Problem not_found */
export async function getProvider(sql: Sql, id: string): Promise<ProviderRow> {
  const [row] = await sql<ProviderRow>`${selectProviders(sql.tenant, id)}`
  return found(row)
}

/** Read after the lock, for which sign-ins with the provider wait. @throws Problem not_found */
export async function getLocked(sql: Sql, id: string): Promise<ProviderRow> {
  await sql`select from providers where tenant_id = ${sql.tenant} and id = ${id} for update`
  return getProvider(sql, id)
}

export function toProvider(config: Config, { slug, signInDomain, domains, ...row }: ProviderRow): Provider & Versioned {
  return {
    ...row,
    callbackUrl: `${signInBaseOf(config, { slug, signInDomain, domains })}/sign-in/callback/${row.id}`,
    lastFailure: row.lastFailure && { ...row.lastFailure, at: inUtc(row.lastFailure.at) },
  }
}

/** What belongs to one type alone. */
interface OfType {
  readonly issuer?: string | null | undefined
  readonly microsoftTenant?: string | null | undefined
  readonly trustsEmail?: boolean | undefined
}

/** @returns a fault for each field that the type does not have */
export function faultsOfType(type: ProviderType, { issuer, microsoftTenant, trustsEmail }: OfType): Fault[] {
  const others = {
    ...(type !== 'oidc' && { issuer: issuer ?? false, trustsEmail: trustsEmail ?? false }),
    ...(type !== 'microsoft' && { microsoftTenant: microsoftTenant ?? false }),
  }
  return Object.entries(others)
    .filter(([, value]) => value !== false)
    .map(([field]) => faultOf(`/${field}`, 'not_allowed', `Providers of the type ${type} have no \`${field}\`.`))
}

/**
 * Checks what no two providers of a tenant share: the name and redirect URIs. The tenant must be locked.
 *
 * @param id of the provider that is written
 * @param stored the redirect URIs that it has, which are not judged again: they may be from before the tenant had a domain
 * @throws Problem invalid_request
 */
export async function checkUnshared(
  sql: Sql,
  config: Config,
  id: string,
  { name, redirectUris = [] }: Partial<Pick<Provider, 'name' | 'redirectUris'>>,
  stored: readonly string[] = [],
): Promise<void> {
  const others = await sql<Pick<Provider, 'name' | 'redirectUris'>>`
    select name, redirect_uris from providers where tenant_id = ${sql.tenant} and id <> ${id}`
  const own = await callbackUrlOf(sql, config, '')
  const taken = new Set(others.flatMap((other) => other.redirectUris))
  const faults = redirectUris.flatMap((uri, index) => {
    const pointer = `/redirectUris/${index}`
    if (redirectUris.indexOf(uri) < index)
      return [faultOf(pointer, 'not_allowed', 'This redirect URI is listed twice.')]
    if (stored.includes(uri)) return []
    if (new URL(uri).href.startsWith(own))
      return [faultOf(pointer, 'not_allowed', 'This is a callback URL of the console.')]
    if (!isCanonical(uri))
      return [
        faultOf(pointer, 'invalid_format', 'Write it in its canonical form, as a browser shows it after opening it.'),
      ]
    if (taken.has(uri)) return [faultOf(pointer, 'not_allowed', 'Another provider has this redirect URI.')]
    return []
  })
  if (others.some((other) => other.name === name))
    faults.unshift(faultOf('/name', 'not_allowed', 'Another provider has this name.'))
  if (faults.length > 0) throw invalidRequest(faults)
}

/**
 * Whether two URIs in this form lead to two places: as the URL standard writes it, with escapes in capitals and of no character that needs
 * none, without an empty query or authority, and without a dot after the host.
 */
function isCanonical(uri: string): boolean {
  const { href, hostname } = new URL(uri)
  const isEscapedOtherwise = /%(?![0-9A-F]{2})|%(2[DE]|3\d|[46][1-9A-F]|[57][0-9A]|5F|7E)/.test(uri)
  return href === uri && !isEscapedOtherwise && !/\?$|^[^:]+:\/\/\//.test(uri) && !hostname.endsWith('.')
}
