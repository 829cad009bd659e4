/** Buttons while what they began is under way. */

/**
 * Properties of such a button, which then does nothing. It is not `disabled`, which would lose the focus.
 *
 * @param act what the button begins
 */
export function busy(isBusy: boolean, act: () => unknown) {
  return { 'aria-disabled': isBusy, 'data-disabled': isBusy, onClick: () => isBusy || act() }
}
