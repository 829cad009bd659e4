/** The form for a new account: at sign-up, for an invited person, and for the first admin. */
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Form } from '../parts/form.tsx'
import { NewPassword } from './new-password.tsx'

/** The body for the API. The console requires a name, which the API does not. */
export interface NewAccount {
  readonly email: string
  readonly password: string
  readonly name: string
}

interface SignUpFormProps<Result> {
  readonly submit: string
  readonly email?: string | undefined
  /** The invitation is only for this address. */
  readonly isFixed?: boolean
  readonly send: (account: NewAccount) => Promise<Result>
  readonly onDone: (result: Result) => unknown
}

export function SignUpForm<Result>({ submit, email = '', isFixed = false, send, onDone }: SignUpFormProps<Result>) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { email, password: '', name: '' } })
  const values = form.getValues()
  return (
    <Form
      form={form}
      submit={submit}
      fullWidth
      fields={{ email_taken: 'email', email_domain_not_allowed: 'email', invitation_for_another_email: 'email' }}
      send={send}
      onDone={onDone}
    >
      <TextInput
        {...form.getInputProps('email')}
        label={t('signIn.email')}
        type="email"
        autoComplete="username"
        readOnly={isFixed}
        variant={isFixed ? 'filled' : 'default'}
        autoFocus={!isFixed && email === ''}
      />
      <TextInput
        {...form.getInputProps('name')}
        label={t('signIn.name')}
        description={t('signIn.nameHint')}
        autoComplete="name"
        maxLength={100}
      />
      <NewPassword {...form.getInputProps('password')} identities={[values.email, values.name]} />
    </Form>
  )
}
