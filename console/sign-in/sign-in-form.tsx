/** The sign-in form, on its own page and on the pages of mailed links. */
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, asCookie, ask, type Schemas } from '../api/client.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { Form } from '../parts/form.tsx'
import { TextLink } from '../parts/links.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { type Attempt, attemptOf, Steps } from './steps.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The address that was typed on the page before. It is never in the URL. */
    email?: string
    /** The page that was wanted. It may have the token of a mailed link, so it is never in the URL. */
    next?: string
  }
}

export interface SignInFormProps<Result> {
  readonly submit: string
  readonly email?: string | undefined
  /** Is called with the address while it is typed. */
  readonly onEmail?: (email: string) => void
  /** A path of the console to go on to, or from which somebody signs in. */
  readonly next: string | undefined
  /** Passkeys are offered in the field of the address. */
  readonly takesPasskeys?: boolean
  /** The link works only for this address. */
  readonly isFixed?: boolean | undefined
  /** Runs after signing in, before the form is done. */
  readonly then: (user: Schemas['User']) => Promise<Result>
  readonly onDone: (result: Result) => unknown
  /** Another step replaces the form, or the form is back. */
  readonly onStep?: (isStep: boolean) => void
}

export function SignInForm<Result>({
  submit,
  email = '',
  onEmail,
  next,
  takesPasskeys = false,
  isFixed = false,
  then,
  onDone,
  onStep,
}: SignInFormProps<Result>) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { email, password: '' },
    onValuesChange: (values) => onEmail?.(values.email),
  })
  const [attempt, setBegun] = useState<Attempt>()
  const setAttempt = (begun: Attempt | undefined) => {
    setBegun(begun)
    onStep?.(begun !== undefined)
  }
  if (attempt) {
    const finish = async (user: Schemas['User']) => onDone(await then(user))
    const begin = () => setAttempt(undefined)
    const leave = () => {
      form.setValues({ email: '', password: '' })
      begin()
    }
    return (
      <Steps
        attempt={attempt}
        email={form.getValues().email}
        onDone={finish}
        onEnd={begin}
        onLeave={isFixed ? undefined : leave}
      />
    )
  }
  return (
    <Form
      form={form}
      submit={submit}
      fullWidth
      fields={{ invalid_credentials: 'password', wrong_password: 'password' }}
      send={async (body) => {
        const { user } = await ask(api.POST('/api/auth/sign-in', { body, params: asCookie })).catch(
          (error: unknown) => {
            const begun = attemptOf(error)
            if (begun) setAttempt(begun)
            // The address is fixed and correct, so only the password can be wrong.
            if (!isFixed || !isRefusal(error, 'invalid_credentials')) throw error
            throw new Refusal({ ...error.problem, code: 'wrong_password' }, error)
          },
        )
        return then(user)
      }}
      onDone={onDone}
    >
      <TextInput
        {...form.getInputProps('email')}
        label={t('signIn.email')}
        type="email"
        autoComplete={takesPasskeys ? 'username webauthn' : 'username'}
        readOnly={isFixed}
        variant={isFixed ? 'filled' : 'default'}
        autoFocus={email === ''}
        {...(email === '' && { 'data-autofocus': true })}
      />
      <PasswordField
        {...form.getInputProps('password')}
        label={t('signIn.password')}
        autoComplete="current-password"
        autoFocus={email !== ''}
      />
      <TextLink
        to="/forgot-password"
        state={{ email: form.getValues().email, ...(next !== undefined && { next }) }}
        size="sm"
      >
        {t('signIn.signIn.forgot')}
      </TextLink>
    </Form>
  )
}
