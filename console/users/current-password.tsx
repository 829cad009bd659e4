/** One's own password, which confirms a change. */
import type { PasswordInputProps } from '@mantine/core'
import { PasswordField } from '../parts/password-field.tsx'
import { useMe } from './me.ts'

/** Password managers look the password up by the name of the account, which the form has in a hidden field. */
export function CurrentPassword(props: PasswordInputProps) {
  const { email } = useMe()
  return (
    <>
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <PasswordField {...props} autoComplete="current-password" />
    </>
  )
}
