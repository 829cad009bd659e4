/**
 * Check: asks whether the caller may do something in an organization.
 *
 * Invariant: only an answer that says so for the permission that was asked is a yes.
 */
import { type Answer, type Api, ask, type Body, type RequestOptions, signalOf } from './api.ts'
import { GuildhallError } from './errors.ts'

/** A question. A `Permission` that you name must be one of its keys, such as those that `guildhall access types` prints. */
export type Check<Permission extends string = string> = Body<'checkPermissions'>['checks'][number] & {
  readonly permission: Permission
}

/** `reason` says why not, and `until` when a yes may end by time alone. */
export type CheckResult = Answer<'checkPermissions'>['results'][number]

export interface CheckPermission {
  /**
   * Whether the caller has a permission in an organization now. For everybody who is no active member of it, the answer is false.
   *
   * @param organizationId the id, not the slug
   */
  <Permission extends string>(
    organizationId: string,
    permission: Permission,
    options?: RequestOptions,
  ): Promise<boolean>
  /** Up to 100 questions at once. @returns a result for each, in their order */
  <Permission extends string>(
    checks: readonly Check<Permission>[],
    options?: RequestOptions,
  ): Promise<readonly CheckResult[]>
}

export function checkOf(api: Api): CheckPermission {
  async function ofMany(checks: readonly Check[], options: RequestOptions = {}): Promise<readonly CheckResult[]> {
    const { results } = await ask(api.POST('/api/check', { body: { checks: [...checks] }, ...signalOf(options) }))
    if (results?.length !== checks.length || results.some((each) => typeof each?.allowed !== 'boolean'))
      throw new GuildhallError(
        'unexpected',
        'The response does not come from Guildhall: it does not answer each check.',
      )
    return results
  }
  async function check(...given: readonly unknown[]): Promise<boolean | readonly CheckResult[]> {
    const [first, second, third] = given
    if (Array.isArray(first)) return ofMany(first, second as RequestOptions)
    const one = { organizationId: first as string, permission: second as string }
    const [result] = await ofMany([one], third as RequestOptions)
    return result?.allowed === true
  }
  return check as CheckPermission // the overloads name what `given` may be
}
