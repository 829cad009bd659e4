/** The tenant as anybody may see it: what a sign-in page must know. */
import { type Static, Type } from 'typebox'
import { getTenant, type Tenant } from '../../domain/access/tenancy.ts'
import { ApplicationName, Uri } from '../../domain/applications/applications.ts'
import { providerTypes } from '../../domain/credentials/identities.ts'
import { getPasskeyTenant, passkeySite } from '../../domain/credentials/passkey-site.ts'
import { caps } from '../../domain/limits/caps.ts'
import { signInBaseOf } from '../../domain/providers/urls.ts'
import { pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import {
  HttpsUrl,
  Id,
  Nullable,
  OneOf,
  OrganizationName,
  PictureUrl,
  ref,
  uuidToTenantId,
} from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

export const TenantName = { ...OrganizationName, examples: ['The Shop'] }
export const TenantSlug = Type.String({ maxLength: 48, examples: ['shop'] })
const Color = Type.String({ minLength: 7, maxLength: 7, pattern: '^#[0-9A-Fa-f]{6}$', examples: ['#0f766e'] })
export const Brand = Type.Object({ logoUrl: Nullable(PictureUrl), color: Nullable(Color) })
export const PasswordMinimum = Type.Integer({ minimum: 8, maximum: 64, format: 'int32', description: 'In characters.' })
export const RemotePictures = Type.Boolean({ description: 'Whether pages may show pictures from other servers.' })
export const ShareLinks = Type.Boolean({
  description: 'Whether organizations may have links to join. Off: existing ones are dead.',
})
export const PersonalKeys = Type.Boolean({
  description: 'Whether people may have keys. Off: existing ones are refused.',
})
export const OrganizationKeys = Type.Boolean({
  description: 'Whether organizations may have keys. Off: existing ones are refused.',
})
export const OrganizationWebhooks = Type.Boolean({
  description: 'Whether organizations may have webhooks. Off: existing ones are paused.',
})

/** Where pages that are opened from mails lead on to. */
const HomeApplication = Type.Object(
  {
    id: Id('app'),
    name: ApplicationName,
    logoUrl: Nullable(HttpsUrl),
    startUrl: Nullable({ ...Uri, description: 'Where it begins a sign-in by itself.' }),
  },
  { description: 'The application that pages opened from mails lead on to.' },
)

export const signUpPolicies = ['open', 'invited_only', 'closed'] as const satisfies readonly Tenant['signUp'][]

/** What a sign-in page must know. */
const TenantOutside = Type.Object(
  {
    id: Id('ten'),
    slug: TenantSlug,
    name: TenantName,
    brand: Brand,
    signUp: OneOf(signUpPolicies),
    passwordMinimum: PasswordMinimum,
    remotePictures: RemotePictures,
    shareLinks: ShareLinks,
    personalKeys: PersonalKeys,
    organizationKeys: OrganizationKeys,
    organizationWebhooks: OrganizationWebhooks,
    signIn: Type.Object(
      {
        url: Type.String({
          maxLength: 2048,
          description:
            'The base of the tenant’s sign-in pages, where its passkeys work. On the machine itself its host is `localhost`, because an IP address has no passkeys.',
          examples: ['https://accounts.example.com'],
        }),
        passkeyDomain: Nullable(
          Type.String({
            maxLength: 253,
            description: 'The WebAuthn RP id. Null: the tenant has no passkeys.',
            examples: ['example.com'],
          }),
        ),
        mailCodes: Type.Boolean({ description: 'Whether a mailed code signs in.' }),
        providers: Type.Array(
          Type.Object({
            id: Id('idp'),
            type: OneOf(providerTypes),
            name: Type.String({ maxLength: 100, examples: ['Google'] }),
          }),
          { maxItems: caps.providers.most },
        ),
      },
      { description: 'The ways to sign in beside a password.' },
    ),
    homeApplication: Nullable(HomeApplication),
  },
  { $id: 'Tenant', description: 'The public settings of a tenant.' },
)

export async function tenantRoutes(app: App): Promise<void> {
  app.addSchema(TenantOutside)

  app.get(
    '/tenant',
    {
      config: { access: 'anyone', problems: ['tenant_mismatch'] },
      schema: {
        operationId: 'getTenant',
        summary: 'The tenant of a request',
        description: 'What a sign-in page needs: the tenant’s brand, and who may sign up.',
        tags: ['Signing in'],
        response: { 200: ref(TenantOutside) },
      },
    },
    async (request) => {
      // A cookie comes along by itself: it must not keep the page of another tenant from being shown.
      const { by, tenant: own } = request.credential ?? {}
      const tenant = await getTenant(request, by === 'bearer' ? own : undefined, 'tenant_mismatch')
      const { id, logoUrl, color, ...others } = tenant
      const found = await request.asAnyone(tenant, async (sql) => {
        const [signIn, [homeApplication = null]] = await pipeline([readSignIn(sql, app.config, tenant), findHome(sql)])
        return { signIn, homeApplication }
      })
      return { ...others, id: uuidToTenantId(id), brand: { logoUrl, color }, ...found }
    },
  )
}

/** A disabled application lets nobody in. */
function findHome(sql: Sql): Sent<Static<typeof HomeApplication>[]> {
  return sql<Static<typeof HomeApplication>>`
    select id, name, logo_url, start_url from applications where tenant_id = ${sql.tenant} and is_home and is_enabled`
}

async function readSignIn(sql: Sql, config: App['config'], { slug, mailCodes }: Tenant) {
  const providers = await sql<{ id: string; type: (typeof providerTypes)[number]; name: string }>`
    select id, type, name from providers where tenant_id = ${sql.tenant} and is_enabled order by created_at, id`
  const place = await getPasskeyTenant(sql)
  const passkeyDomain = passkeySite(config, place)?.rpId ?? null
  const url = passkeyDomain === 'localhost' ? localUrl(config, slug) : signInBaseOf(config, { ...place, slug })
  return { url, passkeyDomain, mailCodes, providers }
}

/** On the machine itself passkeys belong to `localhost`, whatever the tenant's domains are. */
function localUrl({ publicUrl }: App['config'], slug: string): string {
  const url = new URL(publicUrl)
  url.hostname = 'localhost'
  return signInBaseOf({ publicUrl: url.origin }, { slug, signInDomain: null, domains: [] })
}
