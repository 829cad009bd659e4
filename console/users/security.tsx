/** The email address and the password of the caller. */
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Form } from '../parts/form.tsx'
import { TextLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { NewPassword } from '../sign-in/new-password.tsx'
import { EmailAddress } from './email-address.tsx'
import { LinkedAccounts } from './linked-accounts.tsx'
import { useMe } from './me.ts'
import { SecondFactors } from './second-factors.tsx'

export function SecurityPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('users.security.title')} lead={t('users.security.lead')}>
      <Section title={t('users.security.email')} lead={t('users.security.emailLead')}>
        <EmailAddress />
      </Section>
      <Section title={t('users.security.password')} lead={t('users.security.passwordLead')}>
        <PasswordForm />
      </Section>
      <SecondFactors />
      <LinkedAccounts />
    </Page>
  )
}

function PasswordForm() {
  const { t } = useTranslation()
  const { email, name, hasPassword } = useMe()
  const form = useForm({ initialValues: { currentPassword: '', newPassword: '' } })
  return (
    <Form
      form={form}
      submit={t(hasPassword ? 'users.security.changePassword' : 'users.security.addPassword')}
      fields={{ wrong_password: 'currentPassword', too_many_attempts: 'currentPassword' }}
      send={({ currentPassword, newPassword }) =>
        ask(api.POST('/api/users/me/password', { body: { newPassword, ...(hasPassword && { currentPassword }) } }))
      }
      onDone={({ endedSessions }) => {
        form.reset()
        void queries.invalidateQueries({ queryKey: ['users', 'me'] })
        notifications.show({
          title: t('users.security.passwordChanged'),
          message: t('users.security.othersEnded', { count: endedSessions }),
          autoClose: 8000,
        })
      }}
      others={
        <TextLink to="/forgot-password" size="sm">
          {t('signIn.signIn.forgot')}
        </TextLink>
      }
    >
      {/* Password managers store the password under this name. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      {hasPassword && (
        <PasswordField
          {...form.getInputProps('currentPassword')}
          label={t('users.security.currentPassword')}
          autoComplete="current-password"
        />
      )}
      <NewPassword
        {...form.getInputProps('newPassword')}
        label={t('signIn.newPassword')}
        identities={name === null ? [email] : [email, name]}
      />
    </Form>
  )
}
