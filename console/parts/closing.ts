/** What a dialog gives to its parts. */
import { createContext, use, useEffect } from 'react'

/** Closes the surrounding dialog; undefined outside of a dialog. */
export const Closing = createContext<(() => void) | undefined>(undefined)

/** Tells the surrounding dialog whether a request is under way; undefined outside of a dialog. */
export const Holding = createContext<((isHeld: boolean) => void) | undefined>(undefined)

/**
 * For a part that sends: while its request is under way, the user cannot close the surrounding dialog. Otherwise a refusal would be shown
 * nowhere, and a late success would close the next dialog. A request ends at the limit of `api/client.ts` at the latest.
 *
 * @returns says that a request begins, or that it has ended
 */
export function useHold(): (isHeld: boolean) => void {
  const hold = use(Holding)
  useEffect(() => () => hold?.(false), [hold]) // the part is gone
  return hold ?? ignore
}

function ignore(): void {}
