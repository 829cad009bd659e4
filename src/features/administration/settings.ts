/** Settings: what a tenant's admins decide for everybody in it, and the part of it that a sign-in page must know. */
import { type Static, Type } from 'typebox'
import { type Caller, type KeyCaller, personOf } from '../../domain/access/actors.ts'
import { checkFresh } from '../../domain/credentials/confirmation.ts'
import { durations } from '../../domain/limits/durations.ts'
import { dropPicture, insertPicture, type NewPicture } from '../../domain/pictures/pictures.ts'
import { checkPictureUrl } from '../../domain/pictures/urls.ts'
import { changesBetween } from '../../domain/record/changes.ts'
import { record } from '../../domain/record/record.ts'
import { sessionsOver } from '../../domain/sessions/lifetime.ts'
import { countWithoutOther, OnlyWayInCount } from '../../domain/sessions/only-way-in.ts'
import { tenantPolicies } from '../../domain/sessions/policy.ts'
import { checkTwoFactors } from '../../domain/sessions/ways-in.ts'
import { Audience } from '../../domain/signing-keys/issuer.ts'
import { resumeWebhooks } from '../../domain/webhooks/webhook-states.ts'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { assignments, fieldColumns } from '../../platform/database/fields.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { checkVersion, type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import {
  Domain,
  Id,
  isId,
  Nullable,
  normalizeDomain,
  normalizeName,
  OneOf,
  ref,
  Timestamp,
  uuidToTenantId,
} from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import {
  Brand,
  OrganizationKeys,
  OrganizationWebhooks,
  PasswordMinimum,
  PersonalKeys,
  RemotePictures,
  ShareLinks,
  signUpPolicies,
  TenantName,
  TenantSlug,
} from './tenant.ts'

const minute = 60
const day = 86_400

/** A duration that is set, in seconds. */
function Duration(name: keyof typeof durations, { usual, description }: { usual: number; description?: string }) {
  const { least, most } = durations[name]
  return Type.Integer({
    minimum: least,
    maximum: most,
    format: 'int32',
    ...(description !== undefined && { description }),
    examples: [usual],
  })
}

/** What tenant admins change. */
const editable = {
  name: TenantName,
  brand: Brand,
  signUp: OneOf(signUpPolicies),
  allowedEmailDomains: Type.Array(Domain, {
    maxItems: 100,
    description:
      'The domains that addresses may have when people sign up, are invited or change their address. Empty: all. Subdomains are not included.',
  }),
  passwordMinimum: PasswordMinimum,
  sessionIdleSeconds: Duration('sessionIdleSeconds', { usual: 14 * day }),
  sessionAbsoluteSeconds: Duration('sessionAbsoluteSeconds', { usual: 30 * day }),
  auditRetentionSeconds: Duration('auditRetentionSeconds', { usual: 400 * day }),
  eventRetentionSeconds: Duration('eventRetentionSeconds', {
    usual: 30 * day,
    description: 'How long events are kept. Never longer than the audit log.',
  }),
  remotePictures: RemotePictures,
  secondFactor: OneOf(tenantPolicies, {
    description:
      'Who needs a second factor: nobody, the tenant’s admins, or everybody. Changing it needs a fresh session, and turning it on one with two factors.',
    examples: ['optional'],
  }),
  shareLinks: ShareLinks,
  memberLimit: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      format: 'int32',
      description: 'The most members of an organization that has no limit of its own. Null: any number.',
    }),
  ),
  mailCodes: Type.Boolean({
    description: 'Whether a mailed code signs in. Changing it needs a fresh session.',
  }),
  tokenSeconds: Duration('tokenSeconds', {
    usual: 5 * minute,
    description: 'How long a signed token lives at most.',
  }),
  tokenAudiences: Type.Array(Audience, {
    maxItems: 20,
    description:
      'For whom tokens may be signed; the first is the default. Empty: for the tenant’s id. Never the id of an application, for which ID tokens are.',
  }),
  personalKeys: PersonalKeys,
  organizationKeys: OrganizationKeys,
  organizationWebhooks: OrganizationWebhooks,
  keyGraceSeconds: Duration('keyGraceSeconds', {
    usual: 7 * day,
    description:
      'How long a key of an organization or of the tenant lives on after its holder, who knows its secret, has lost the right to it.',
  }),
}

/** Of these, those that have a column of their name. */
const { brand: _brand, ...plain } = editable

type TenantSettings = Static<typeof TenantSettings>
export const TenantSettings = Type.Object(
  {
    id: Id('ten'),
    slug: TenantSlug,
    ...editable,
    domains: Type.Array(Type.String({ maxLength: 253, examples: ['accounts.example.com'] }), { maxItems: 1000 }),
    mailFrom: Nullable(Type.String({ maxLength: 1000, examples: ['The Shop <hello@example.com>'] })),
    baseUrl: Nullable(Type.String({ maxLength: 2048, examples: ['https://accounts.example.com'] })),
    allowedOrigins: Type.Array(Type.String({ maxLength: 2048, examples: ['https://app.example.com'] }), {
      maxItems: 1000,
    }),
    onlyMailCodesCount: OnlyWayInCount(
      'How many people only a mailed code lets in: no password, no passkey that signs in, no provider that is enabled. Null while `mailCodes` is off, and above 10,000 people without a password.',
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'TenantSettings', description: 'All settings of a tenant.' },
)

type SettingsRow = TenantSettings & Versioned

type Wanted = Static<typeof Wanted>
const Wanted = Type.Partial(Type.Object({ ...editable, brand: Type.Partial(Brand, { additionalProperties: false }) }), {
  additionalProperties: false,
})

export async function settingsRoutes(app: App): Promise<void> {
  app.addSchema(TenantSettings)

  app.get(
    '/admin/tenant',
    {
      config: { access: 'tenant_admin', scope: 'tenant:read' },
      schema: {
        operationId: 'getTenantSettings',
        summary: 'Tenant settings',
        description: 'Only the operator can change slug, domains, sender, base URL and origins.',
        tags: ['Administration'],
        response: { 200: ref(TenantSettings) },
      },
    },
    async (request, reply) => {
      const { settings } = await request.readAsTenantAdmin<{ settings: SettingsRow }>(
        ({ tenant }) => ({
          settings: selectSettings(tenant),
        }),
        { byKey: true },
      )
      return withTag(reply, shown(settings[0]))
    },
  )

  app.patch(
    '/admin/tenant',
    {
      config: {
        access: 'tenant_admin',
        problems: ['confirmation_required', 'second_factor_required'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'updateTenantSettings',
        summary: 'Update tenant settings',
        description:
          'Omitted fields keep their value; `null` clears the logo or the colour. The change applies from the next request on.',
        tags: ['Administration'],
        body: Wanted,
        response: { 200: ref(TenantSettings) },
      },
    },
    async (request, reply) => {
      checkAudiences(request.body)
      const settings = await request.asTenantAdmin(async (sql, caller) => {
        const before = await getSettings(sql)
        await checkPolicyChange(sql, personOf(caller), before, request.body)
        checkVersion(request.context, shown(before))
        checkPictureUrl(app.config, '/brand/logoUrl', before.brand.logoUrl, request.body.brand?.logoUrl)
        return updateSettings(sql, caller, before, normalized(before, request.body))
      })
      return withTag(reply, settings)
    },
  )
}

/**
 * Writes what has changed of the settings of the tenant, which a door has locked.
 *
 * @param picture that `brand.logoUrl` names, if it is a new one
 */
export async function updateSettings(
  sql: Sql,
  caller: Caller | KeyCaller,
  before: SettingsRow,
  wanted: Partial<TenantSettings>,
  picture?: NewPicture,
): Promise<SettingsRow> {
  const details = changesBetween(before, wanted)
  if (!details) return shown(before)
  await writeSettings(sql, { ...before, ...wanted })
  if (wanted.brand && wanted.brand.logoUrl !== before.brand.logoUrl) await dropPicture(sql, {})
  if (picture) await insertPicture(sql, {}, picture)
  if (wanted.organizationWebhooks && !before.organizationWebhooks) await resumeWebhooks(sql)
  await record(sql, caller, 'tenant.updated', { target: { type: 'tenant', id: sql.tenant }, details })
  return shown(await getSettings(sql))
}

/**
 * An application would take a token that is signed for it for an ID token: both are signed with the same keys, and few libraries look at
 * the type.
 *
 * @throws Problem invalid_request
 */
function checkAudiences({ tokenAudiences = [] }: Wanted): void {
  const faults = tokenAudiences.flatMap((audience, index) =>
    isId('app', audience)
      ? [
          faultOf(
            `/tokenAudiences/${index}`,
            'not_allowed',
            'This is the id of an application, for which ID tokens are.',
          ),
        ]
      : [],
  )
  if (faults.length > 0) throw invalidRequest(faults)
}

/**
 * Changing who can get in needs a fresh session, and requiring a second factor one that has proven two.
 *
 * @throws Problem confirmation_required, second_factor_required
 */
async function checkPolicyChange(sql: Sql, caller: Caller, before: TenantSettings, wanted: Wanted): Promise<void> {
  const { secondFactor = before.secondFactor, mailCodes = before.mailCodes } = wanted
  if (secondFactor === before.secondFactor && mailCodes === before.mailCodes) return
  if (secondFactor !== before.secondFactor && secondFactor !== 'optional') await checkTwoFactors(sql, caller, 'tenant')
  checkFresh(caller)
}

/** `id` is the uuid still. */
function selectSettings(tenant: string): Statement {
  return statement`
    select t.id, t.slug, ${fieldColumns(plain, statement`t`)}, json_build_object('logoUrl', t.logo_url, 'color', t.color) as brand,
      t.mail_from, t.base_url, t.allowed_origins, t.created_at, t.updated_at, t.version,
      case when t.mail_codes then ${countWithoutOther(tenant, selectWithoutPassword(tenant))} end as only_mail_codes_count,
      array(select domain from tenant_domains d where d.tenant_id = t.id order by domain) as domains
    from tenants t
    where t.id = ${tenant}`
}

const selectWithoutPassword = (tenant: string) =>
  statement`select id as user_id from users where tenant_id = ${tenant} and password_hash is null`

export async function getSettings(sql: Sql): Promise<SettingsRow> {
  const [settings] = await sql<SettingsRow>`${selectSettings(sql.tenant)}`
  return present(settings)
}

function present(settings: SettingsRow | undefined): SettingsRow {
  if (!settings) throw new Error('An admin’s tenant is not there.')
  return settings
}

export function shown(settings: SettingsRow | undefined): SettingsRow {
  const { id, ...rest } = present(settings)
  return { id: uuidToTenantId(id), ...rest }
}

/** What was sent, in the form in which it is kept. */
function normalized(before: TenantSettings, wanted: Wanted): Partial<TenantSettings> {
  const { name, brand, allowedEmailDomains: domains, tokenAudiences: audiences, ...rest } = wanted
  return {
    ...rest,
    ...(name !== undefined && { name: normalizeName(name) }),
    ...(brand && { brand: { ...before.brand, ...brand } }),
    ...(audiences && { tokenAudiences: [...new Set(audiences)] }),
    ...(domains && { allowedEmailDomains: [...new Set(domains.map((domain) => normalizeDomain(domain) ?? domain))] }),
  }
}

async function writeSettings(sql: Sql, wanted: TenantSettings): Promise<void> {
  await sql`
    update tenants
    set ${assignments(plain, wanted)}, logo_url = ${wanted.brand.logoUrl}, color = ${wanted.brand.color},
      ${sessionsOver(wanted.sessionAbsoluteSeconds, wanted.sessionIdleSeconds)},
      version = version + 1, updated_at = now()
    where id = ${sql.tenant}`
}
