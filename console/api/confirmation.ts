/**
 * Confirmation: a request that the API refuses until the user has confirmed to be there is sent again after they have.
 *
 * The page shows one dialog at a time (sign-in/confirm-dialog.tsx). Requests that are refused meanwhile wait for the same confirmation.
 */

/** What the API asks for: a fresh proof, or a second factor beside it. */
export interface Wanted {
  readonly secondFactor: boolean
}

/** Asks the user. @returns whether they have confirmed @throws Refusal unauthenticated, if the session ends before */
type Confirm = (wanted: Wanted) => Promise<boolean>

let confirm: Confirm | undefined
let confirming: Promise<boolean> | undefined
/** How often the session's token was replaced. */
let renewals = 0

/** Sets the dialog that asks the user. */
export function onConfirmation(dialog: Confirm): void {
  confirm = dialog
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

/** @returns whether the user has confirmed, so that the request may be sent again @throws Refusal unauthenticated */
export async function confirmFor(response: Response): Promise<boolean> {
  const wanted = await wantedBy(response)
  if (!wanted || !confirm) return false
  confirming ??= confirm(wanted).finally(() => {
    confirming = undefined
  })
  const isConfirmed = await confirming
  if (isConfirmed) renewals++
  return isConfirmed
}
