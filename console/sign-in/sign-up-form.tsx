/** The form for a new account: at sign-up, for an invited person, and for the first admin. */
import { Anchor, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Form } from '../parts/form.tsx'
import { NewPassword } from './new-password.tsx'

/** The body for the API. The console requires a name, which the API does not. */
export interface NewAccount {
  readonly email: string
  readonly password: string
  readonly name: string
}

/** A mailed code signs in. */
export type BareAccount = Omit<NewAccount, 'password'>

interface SignUpFormProps<Result> {
  readonly submit: string
  readonly email?: string | undefined
  /** The invitation is only for this address. */
  readonly isFixed?: boolean
  readonly send: (account: NewAccount) => Promise<Result>
  /** Given where nobody needs a password. */
  readonly sendBare?: ((account: BareAccount) => Promise<Result>) | undefined
  readonly onDone: (result: Result) => unknown
}

export function SignUpForm<Result>(props: SignUpFormProps<Result>) {
  const { submit, email = '', isFixed = false, send, sendBare, onDone } = props
  const { t } = useTranslation()
  const [isBare, setIsBare] = useState(false)
  const form = useForm({ initialValues: { email, password: '', name: '' } })
  const values = form.getValues()
  return (
    <Form
      form={form}
      submit={submit}
      fullWidth
      fields={{ email_taken: 'email', email_domain_not_allowed: 'email', invitation_for_another_email: 'email' }}
      send={({ password, ...account }) => (isBare && sendBare ? sendBare(account) : send({ ...account, password }))}
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
      {isBare ? (
        <Text size="sm">{t('signIn.signUp.bareLead')}</Text>
      ) : (
        <NewPassword {...form.getInputProps('password')} identities={[values.email, values.name]} />
      )}
      {sendBare && (
        <div>
          <Anchor component="button" type="button" size="sm" onClick={() => setIsBare(!isBare)}>
            {t(isBare ? 'signIn.signUp.choose' : 'signIn.signUp.bare')}
          </Anchor>
        </div>
      )}
    </Form>
  )
}
