/**
 * The element of every button. Mantine disables a button while it is loading, and the browser takes the focus from a disabled one: after the
 * act it would be on nothing. This one stays enabled, and does nothing until it is ready again. A key that is held presses it once: the focus
 * may be on the button of the next row by then.
 */
import type { ComponentProps } from 'react'

interface BusyButtonProps extends ComponentProps<'button'> {
  readonly 'data-loading'?: boolean | 'true'
}

export function BusyButton({ disabled = false, onClick, onKeyDown, type = 'button', ...rest }: BusyButtonProps) {
  const isLoading = rest['data-loading'] !== undefined && rest['data-loading'] !== false
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled && !isLoading}
      {...(isLoading && { 'aria-disabled': true, 'aria-busy': true })}
      // The default action of a submit button is to send the form, which the Enter key in a field starts, too.
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.repeat) event.preventDefault()
        onKeyDown?.(event)
      }}
      onClick={isLoading ? (event) => event.preventDefault() : onClick}
    />
  )
}
