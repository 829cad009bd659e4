/**
 * Credentials: asks with the tenant's key whose a session, a key or an application’s access token is, and what it may do.
 *
 * Invariant: only an answer that says so, with a caller and the organization that was named, is a yes.
 */
import { type Api, type Asked, ask, type CallerDetails, complete, type RequestOptions, signalOf } from './api.ts'
import { unauthenticated } from './authenticate.ts'
import { GuildhallError, isGuildhallError } from './errors.ts'

/** Whose a credential is, or why it is not valid for what you asked. */
export type Verification<Permission extends string = string> =
  | { readonly valid: true; readonly caller: CallerDetails<Permission> }
  | {
      readonly valid: false
      readonly reason: 'unknown' | 'ended' | 'no_access' | 'second_factor_required' | 'missing_permission'
      /** The permissions that are missing. */
      readonly missing?: readonly string[]
    }

export function credentialsOf(api: Api) {
  return {
    /** Whose a session, a key or an application’s access token is. It is only valid with all `permissions` in the organization. */
    async verify<Permission extends string = string>(
      body: Asked<'verifyCredential', Permission>,
      options: RequestOptions = {},
    ): Promise<Verification<Permission>> {
      const answer = await ask(api.POST('/api/credentials/verify', { body: complete(body), ...signalOf(options) }))
      const { valid, caller } = answer ?? {}
      const isComplete =
        typeof valid === 'boolean' &&
        (!valid || (Boolean(caller?.user ?? caller?.key) && Boolean(caller?.organization) === 'organization' in body))
      if (!isComplete)
        throw new GuildhallError('unexpected', 'The response does not come from Guildhall: it names no caller.')
      return answer as Verification<Permission> // an answer that is no yes has a reason
    },
  }
}

/** @throws GuildhallError unauthenticated, not_found, second_factor_required, forbidden */
export function callerIn(verification: Verification): CallerDetails {
  if (verification.valid) return verification.caller
  const { reason, missing = [] } = verification
  switch (reason) {
    case 'no_access':
      throw new GuildhallError('not_found', 'The sender has no access to the organization.', { status: 404 })
    case 'second_factor_required':
      throw new GuildhallError(reason, 'The sender’s session needs a second factor.', { status: 403 })
    case 'missing_permission':
      throw new GuildhallError('forbidden', `The sender lacks permissions: ${missing.join(', ')}.`, { status: 403 })
    default:
      throw unauthenticated()
  }
}

/** Only a refusal of the organization is about the sender's request. */
export function refusalOf(error: unknown): unknown {
  if (!isGuildhallError(error) || (error.status ?? 500) >= 500) return error
  if (error.errors.some(({ pointer, code }) => pointer === '/organization' && code !== 'required'))
    return new GuildhallError('invalid_id', 'The organization is no id or slug.', { status: 400, cause: error })
  if (isGuildhallError(error, 'unexpected', 'rate_limited', 'invalid_request', 'too_large')) return error
  return new GuildhallError('unexpected', 'Guildhall refuses this client: its key or its tenant.', { cause: error })
}
