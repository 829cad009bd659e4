/** Buttons while what they began is under way. */

/** Properties of such a button. It is not `disabled`, which would lose the focus. */
export function busy(isBusy: boolean) {
  return { 'aria-disabled': isBusy, 'data-disabled': isBusy }
}
