/** One's own password, which confirms a change. */
import type { PasswordInputProps } from '@mantine/core'
import { PasswordField } from '../parts/password-field.tsx'
import { UsernameField } from '../parts/username-field.tsx'
import { useMe } from './me.ts'

export function CurrentPassword(props: PasswordInputProps) {
  const { email } = useMe()
  return (
    <>
      <UsernameField email={email} />
      <PasswordField {...props} autoComplete="current-password" />
    </>
  )
}
