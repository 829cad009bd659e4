/** Confirmation: repeats a request that the service refuses until the person has proven again who they are. */
import { type GuildhallError, isGuildhallError } from './errors.ts'

/** A fresh proof is missing, or a second factor (`error.problem.methods` lists those that the person has). */
export type Unconfirmed = GuildhallError & { readonly code: 'confirmation_required' | 'second_factor_required' }

/**
 * Calls `request`. If the service refuses it until the person has confirmed, calls `confirm`, and then `request` once more.
 *
 * @param request gets the result of `confirm` in its second call, such as a client with the new token
 * @param confirm ends with `auth.confirm` or `auth.continue`, or throws
 */
export async function withConfirmation<Result, Confirmed>(
  request: (confirmed?: Confirmed) => Promise<Result>,
  confirm: (reason: Unconfirmed) => Promise<Confirmed>,
): Promise<Result> {
  try {
    return await request()
  } catch (error) {
    if (!isGuildhallError(error, 'confirmation_required', 'second_factor_required')) throw error
    return request(await confirm(error))
  }
}
