/** The field for a new password. It estimates the strength while the user types. Only the server refuses a password. */
import { type PasswordInputProps, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { PasswordField } from '../parts/password-field.tsx'
import { useTenant } from '../tenants/tenant.ts'
import classes from './new-password.module.css'
import { judge } from './password-strength.ts'

interface NewPasswordProps extends Omit<PasswordInputProps, 'value'> {
  /** Of a controlled form: `{...form.getInputProps('newPassword')}`. */
  readonly value?: string
  /** Public facts about the person: address, name. */
  readonly identities?: readonly string[]
}

export function NewPassword({ value = '', identities = [], label, ...rest }: NewPasswordProps) {
  const { t } = useTranslation()
  const words = useWords(value, identities)
  const [said] = useDebouncedValue(words, 800)
  const strength = useStrength(value, identities)
  return (
    <PasswordField
      {...rest}
      value={value}
      label={label ?? t('signIn.password')}
      autoComplete="new-password"
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      descriptionProps={{ component: 'div' }}
      description={
        <>
          <div className={classes.meter} data-level={strength?.level} aria-hidden="true">
            <span className={classes.bars}>
              <span />
              <span />
              <span />
              <span />
            </span>
            <span className={classes.words}>{words}</span>
          </div>
          {/* For screen readers: when the user stops typing, and not with each letter. */}
          <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>
        </>
      }
    />
  )
}

function useStrength(password: string, identities: readonly string[]) {
  const { passwordMinimum, name } = useTenant()
  return password === '' ? undefined : judge(password, { minimum: passwordMinimum, identities: [...identities, name] })
}

function useWords(password: string, identities: readonly string[]): string {
  const { t } = useTranslation()
  const { passwordMinimum } = useTenant()
  const strength = useStrength(password, identities)
  if (strength === undefined) return t('signIn.strength.hint', { count: passwordMinimum })
  const { level, advice, missing } = strength
  if (level === 'short') return t('signIn.strength.short', { count: missing })
  const verdict = t(`signIn.strength.${level}`)
  return advice === undefined ? verdict : `${verdict} ${t(`signIn.strength.${advice}`)}`
}
