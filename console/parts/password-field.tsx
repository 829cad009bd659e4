/** A field for a password or another secret. */
import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** Mantine does not set `aria-invalid` here. */
export function PasswordField({ error, ...rest }: PasswordInputProps) {
  return <PasswordInput {...rest} error={error} aria-invalid={Boolean(error)} />
}
