/**
 * Confirmation: a request that the API refuses until the user has confirmed to be there is sent again after they have.
 *
 * The page shows one dialog at a time (sign-in/confirm-dialog.tsx). Requests that are refused meanwhile wait for the same confirmation.
 */

/** What the API asks for: a fresh proof, or a second factor beside it. */
export interface Wanted {
  readonly secondFactor: boolean
}

/** Asks the user. @returns whether they have confirmed */
type Asker = (wanted: Wanted) => Promise<boolean>

let asker: Asker | undefined
let asking: Promise<boolean> | undefined
/** How often the session's token was replaced. */
let renewals = 0

/** Sets who asks the user. */
export function onConfirmation(ask: Asker): void {
  asker = ask
}

export function countRenewals(): number {
  return renewals
}

/** @returns what a refusal asks for, or undefined if confirming does not help */
async function wantedBy(response: Response): Promise<Wanted | undefined> {
  if (response.status !== 403) return undefined
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const { code, methods = [] } = Object(problem) as { code?: string; methods?: unknown[] } // of the API
  if (code === 'confirmation_required') return { secondFactor: false }
  return code === 'second_factor_required' && methods.length > 0 ? { secondFactor: true } : undefined
}

/** @returns whether the user has confirmed, so that the request may be sent again */
export async function confirmFor(response: Response): Promise<boolean> {
  const wanted = await wantedBy(response)
  if (!wanted || !asker) return false
  asking ??= asker(wanted).finally(() => {
    asking = undefined
  })
  const isConfirmed = await asking
  if (isConfirmed) renewals++
  return isConfirmed
}
