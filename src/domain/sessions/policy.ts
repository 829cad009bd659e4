/** Policy: when a second factor is asked, and what counts as one. */
import { type Statement, statement } from '../../platform/database/database.ts'
import { isRequiredByTenant } from '../access/second-factor.ts'
import type { TenantRole } from '../permissions/roles.ts'
import type { Method } from './attempts.ts'

/** Who must sign in with a second factor: nobody, the tenant's admins, or everybody. */
export const tenantPolicies = ['optional', 'admins', 'required'] as const

/** A person, with what they have to sign in with. */
export interface Person {
  readonly id: string
  readonly name: string | null
  readonly email: string
  readonly emailVerified: boolean
  readonly status: 'active' | 'suspended'
  readonly role: TenantRole
  readonly passwordHash: string | null
  /** Whether the tenant's policy requires a second factor of them. */
  readonly isRequiredByTenant: boolean
  readonly mailCodes: boolean
  readonly hasTotp: boolean
  /** A passkey that cannot sign in alone. */
  readonly hasSecurityKey: boolean
  readonly hasPasskey: boolean
  /** Any of them. */
  readonly hasFactor: boolean
  readonly hasRecoveryCodes: boolean
  /** An identity of a provider that is enabled. */
  readonly hasIdentity: boolean
}

export function selectPerson(tenant: string, user: Statement | string): Statement {
  return statement`
    select u.id, u.name, u.email, u.email_verified, u.status, u.role, u.password_hash,
      ${isRequiredByTenant} as is_required_by_tenant, t.mail_codes, f.has_totp, f.has_security_key, f.has_passkey, f.has_factor,
      exists (select from recovery_codes c where c.tenant_id = ${tenant} and c.user_id = u.id) as has_recovery_codes,
      exists (
        select from identities i
        join providers p on p.tenant_id = ${tenant} and p.id = i.provider_id and p.is_enabled
        where i.tenant_id = ${tenant} and i.user_id = u.id) as has_identity
    from users u
    join tenants t on t.id = u.tenant_id
    cross join lateral (
      select count(*) filter (where type = 'totp') > 0 as has_totp,
        count(*) filter (where type = 'passkey' and not can_sign_in) > 0 as has_security_key,
        count(*) filter (where type = 'passkey' and can_sign_in) > 0 as has_passkey,
        count(*) > 0 as has_factor
      from factors
      where tenant_id = ${tenant} and user_id = u.id) f
    where u.tenant_id = ${tenant} and u.id = ${user}`
}

/**
 * Whether sign-in asks for a second factor. Somebody who has only passkeys is not asked unless the policy names them: accepting a passkey
 * locks nobody out.
 */
export function isSecondFactorAsked(person: Person): boolean {
  return person.hasTotp || person.hasSecurityKey || (person.isRequiredByTenant && person.hasFactor)
}

/** What confirms that the person of a session is there: password or passkey; if they have neither, a mailed code. */
export function confirmingMethodsOf(person: Person): Method[] {
  const methods: Method[] = []
  if (person.passwordHash !== null) methods.push('password')
  if (person.hasPasskey) methods.push('passkey')
  if (methods.length === 0 && person.emailVerified) methods.push('mail_code')
  return methods
}

/** How many ways in a verified account has. An unverified one is its maker's. */
export function waysInOf(person: Person): number {
  const ways = [person.passwordHash !== null, person.hasPasskey, person.hasIdentity, person.mailCodes]
  return ways.filter(Boolean).length
}

/** 2 after both factors (NIST SP 800-63B-4 AAL2): a passkey that verified its user, or a first factor and another one. */
export function assuranceOf({
  methods,
  isBothFactors,
}: {
  readonly methods: readonly Method[]
  readonly isBothFactors?: boolean
}): 1 | 2 {
  return isBothFactors || methods.length > 1 ? 2 : 1
}
