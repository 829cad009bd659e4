/** The second factor: whom the tenant's policy requires one of, and what somebody can give as one. */
import { type Statement, statement } from '../../platform/database/database.ts'

/** Whether the policy of `tenants t` requires a second factor of `users u`. */
export const isRequiredByTenant = statement`
  (t.second_factor = 'required' or t.second_factor = 'admins' and u.role = 'admin')`

/** What somebody has for a second factor. */
export interface SecondFactors {
  readonly hasPasskey: boolean
  readonly hasSecurityKey?: boolean
  readonly hasTotp: boolean
  readonly hasRecoveryCodes: boolean
}
type SecondMethod = 'passkey' | 'totp' | 'recovery_code'

/** Selects a row in the shape of `SecondFactors`, in which security keys are passkeys. */
export function selectSecondFactors(tenant: string, user: Statement): Statement {
  return statement`
    select count(*) filter (where type = 'passkey') > 0 as has_passkey,
      count(*) filter (where type = 'totp') > 0 as has_totp,
      exists (
        select from recovery_codes where tenant_id = ${tenant} and user_id = ${user}) as has_recovery_codes
    from factors
    where tenant_id = ${tenant} and user_id = ${user}`
}

/** What a person can give as the second factor. Mail is never one. */
export function secondMethodsOf(has: SecondFactors): SecondMethod[] {
  const methods: SecondMethod[] = []
  if (has.hasPasskey || has.hasSecurityKey) methods.push('passkey')
  if (has.hasTotp) methods.push('totp')
  if (has.hasRecoveryCodes) methods.push('recovery_code')
  return methods
}
