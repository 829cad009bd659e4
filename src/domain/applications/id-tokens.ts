/**
 * ID tokens: what an application learns of the person who has signed in (OpenID Connect Core 1.0, 2 and 5.4), signed with the tenant's key.
 *
 * They are for the application alone, and soon over: no route of ours takes one as a credential.
 */

import { type Statement, statement } from '../../platform/database/database.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'
import type { Config } from '../../platform/settings/config.ts'
import { organizationNamed } from '../access/caller.ts'
import { allRolesOf, type HeldRole, heldGrants, isCurrent } from '../permissions/held.ts'
import type { Role } from '../permissions/roles.ts'
import type { Method } from '../sessions/attempts.ts'
import { authenticatedAt } from '../sessions/lifetime.ts'
import { issuerOf } from '../signing-keys/issuer.ts'
import type { Claims } from '../signing-keys/signer.ts'
import { selectCurrentKey } from '../signing-keys/signing-keys.ts'
import type { ApplicationScope } from './applications.ts'

/** How long an ID token lives, in seconds. */
export const idTokenLifetime = 300

/** Every claim that an application may learn. */
export const claims = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid', 'org'],
  ...['email', 'email_verified', 'name', 'picture', 'locale', 'zoneinfo', 'updated_at'],
] as const

/** What claims are made of: one row. Times are the database's, in RFC 3339. */
export interface ClaimsRow {
  readonly now: string
  /** The tenant's key that signs now; null: it has none yet. */
  readonly keyId: string | null
  readonly userId: string
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string | null
  readonly avatarUrl: string | null
  readonly locale: string | null
  readonly timeZone: string | null
  readonly updatedAt: string
  readonly sessionId: string
  readonly methods: readonly Method[]
  readonly assurance: 1 | 2
  /** When the user was authenticated. Null: it is not known. */
  readonly authenticatedAt: string | null
  /** Whether the session's last use was noted more than a minute ago. */
  readonly isStale: boolean
  /** Whether the person has passkeys, and none of them is synced. */
  readonly hasOnlyHardware: boolean
  /** The organization, where the person is an active member of the one that was asked for, with a second factor if it requires one; null: of none. */
  readonly organizationId: string | null
  readonly organizationSlug: string
  readonly organizationName: string
  readonly role: Role
  readonly grants: readonly HeldRole[] | null
}

/**
 * Selects a `ClaimsRow`; whether the session lives is not its question.
 *
 * @param organization the id or the slug of the one that the claims are for
 */
export function selectClaims(
  tenant: string,
  session: Statement | string,
  organization: Statement | string | null,
): Statement {
  const wanted =
    typeof organization === 'string' ? organizationNamed(tenant, organization) : (organization ?? statement`''`)
  return statement`
    select statement_timestamp() as now, (${selectCurrentKey(tenant)}) as key_id,
      u.id as user_id, u.email, u.email_verified, u.name, u.avatar_url, u.locale, u.time_zone, u.updated_at,
      s.id as session_id, s.methods, s.assurance, ${authenticatedAt} as authenticated_at,
      s.last_active_at < now() - interval '1 minute' as is_stale,
      (select coalesce(bool_and(not coalesce(f.is_synced, false)), false) from factors f
        where f.tenant_id = ${tenant} and f.user_id = u.id and f.type = 'passkey') as has_only_hardware,
      o.id as organization_id, o.slug as organization_slug, o.name as organization_name, m.role, ${heldGrants(tenant)} as grants
    from sessions s
    join users u on u.tenant_id = ${tenant} and u.id = s.user_id
    left join memberships m on m.tenant_id = ${tenant} and m.organization_id = ${wanted} and m.user_id = u.id
      and m.status = 'active' and ${isCurrent}
    left join organizations o on o.tenant_id = ${tenant} and o.id = m.organization_id
      and (s.assurance = 2 or o.second_factor <> 'required')
    where s.tenant_id = ${tenant} and s.id = ${session}`
}

/** @returns the claims of an ID token */
export function idTokenClaims(
  config: Pick<Config, 'publicUrl'>,
  tenant: string,
  row: ClaimsRow,
  {
    applicationId,
    scopes,
    nonce,
  }: { applicationId: string; scopes: readonly ApplicationScope[]; nonce: string | null },
): Claims {
  const iat = secondOf(row.now)
  const amr = methodsOf(row)
  return {
    iss: issuerOf(config, uuidToTenantId(tenant)),
    aud: applicationId,
    iat,
    exp: iat + idTokenLifetime,
    ...(row.authenticatedAt !== null && { auth_time: secondOf(row.authenticatedAt) }),
    ...(nonce !== null && { nonce }),
    acr: row.assurance === 2 ? 'aal2' : 'aal1',
    ...(amr.length > 0 && { amr }),
    sid: row.sessionId,
    ...personalClaims(row, scopes),
  }
}

/** @returns who the person is, and what the scopes open of them; what the person has not said is absent (5.3.2) */
export function personalClaims(row: ClaimsRow, scopes: readonly ApplicationScope[]): Claims & { readonly sub: string } {
  const { organizationId: id, organizationSlug: slug, organizationName: name, role, grants } = row
  const profile = { name: row.name, picture: row.avatarUrl, locale: row.locale, zoneinfo: row.timeZone }
  return {
    sub: row.userId,
    ...(scopes.includes('email') && { email: row.email, email_verified: row.emailVerified }),
    ...(scopes.includes('profile') && {
      ...Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== null)),
      updated_at: secondOf(row.updatedAt),
    }),
    ...(id !== null && { org: { id, slug, name, role, roles: allRolesOf(role, grants ?? []) } }),
  }
}

/** How the person was authenticated (RFC 8176). That they came by a provider has no word there. */
function methodsOf({ methods, assurance, hasOnlyHardware }: ClaimsRow): string[] {
  const passkey = hasOnlyHardware ? 'hwk' : 'swk' // which passkey it was is not stored
  const words = { password: 'pwd', passkey, totp: 'otp', recovery_code: 'otp', mail_code: 'otp', provider: undefined }
  const said = methods.map((method) => words[method]).filter((word) => word !== undefined)
  return [...new Set([...said, ...(assurance === 2 ? ['mfa'] : [])])]
}

/** @param time in RFC 3339 @returns it in whole seconds, as tokens have it; never later */
export function secondOf(time: string): number {
  return Math.floor(Date.parse(time) / 1_000)
}
