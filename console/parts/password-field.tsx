/** The field of a password, or of something else that nobody should see over one's shoulder. */
import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** Mantine tells the field's fault to the eye alone. */
export function PasswordField({ error, ...rest }: PasswordInputProps) {
  return <PasswordInput {...rest} error={error} aria-invalid={Boolean(error)} />
}
