/** The accounts of the model of signing in: what they have, and what the contract asks of them. */

export const policies = ['optional', 'admins', 'required'] as const
export type Policy = (typeof policies)[number]
export type Method = 'password' | 'passkey' | 'totp' | 'recovery_code' | 'mail_code' | 'provider'

export interface Account {
  /** The number of its tenant. */
  readonly tenant: 0 | 1
  readonly isAdmin: boolean
  readonly hasTotp: boolean
  /** `key`: one that cannot sign in alone. */
  readonly passkey: 'none' | 'key' | 'passkey'
  /** Recovery codes that are left. */
  codes: number
  /** Of accounts at the tenant's provider. */
  readonly subjects: string[]
}

/** An account before the first step. */
export type Kind = Omit<Account, 'codes' | 'subjects'> & { readonly subject: string | undefined }

export const hasFactor = ({ hasTotp, passkey }: Account) => hasTotp || passkey !== 'none'

/** Whether sign-in asks for a second factor. */
export function isAsked(policy: Policy, account: Account): boolean {
  const isNamed = policy === 'required' || (policy === 'admins' && account.isAdmin)
  return account.hasTotp || account.passkey === 'key' || (isNamed && hasFactor(account))
}

export function secondMethods({ hasTotp, passkey, codes }: Account): Method[] {
  return [
    ...(passkey === 'none' ? [] : ['passkey' as const]),
    ...(hasTotp ? ['totp' as const] : []),
    ...(codes > 0 ? ['recovery_code' as const] : []),
  ]
}

/** Whether the account has what proves it. */
export function canProve({ hasTotp, passkey, codes }: Account, method: Method, isSecond: boolean): boolean {
  if (method === 'totp') return hasTotp
  if (method === 'recovery_code') return codes > 0
  if (method === 'passkey') return passkey === 'passkey' || (isSecond && passkey === 'key')
  return true
}
