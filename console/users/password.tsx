/** The caller's password: changing, adding and removing it. */
import { Button, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Form } from '../parts/form.tsx'
import { TextLink } from '../parts/links.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { UsernameField } from '../parts/username-field.tsx'
import { NewPassword } from '../sign-in/new-password.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { factorsQuery, identitiesQuery, readAgain } from './factors.ts'
import { useMe } from './me.ts'

export function PasswordForm() {
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
        void readAgain()
        notifications.show({
          title: t('users.security.passwordChanged'),
          message: t('users.security.othersEnded', { count: endedSessions }),
          autoClose: 8000,
        })
      }}
      others={
        hasPassword && (
          <>
            <RemovePassword />
            <TextLink to="/forgot-password" size="sm">
              {t('signIn.signIn.forgot')}
            </TextLink>
          </>
        )
      }
    >
      <UsernameField email={email} />
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

/** Whether the password is the account's last way in. False until it is known: the API refuses to remove the last one. */
function useIsOnlyPassword(): boolean {
  const { mailCodes, providers } = useTenant().signIn
  const { data: factors } = useQuery(factorsQuery)
  const { data: identities } = useQuery(identitiesQuery)
  if (mailCodes || !factors || !identities) return false
  const isEnabled = (id: string) => providers.some((provider) => provider.id === id)
  return (
    !factors.data.some(({ canSignIn }) => canSignIn) && !identities.data.some(({ provider }) => isEnabled(provider.id))
  )
}

function RemovePassword() {
  const { t } = useTranslation()
  const [isRemoving, removing] = useDisclosure()
  const isOnly = useIsOnlyPassword()
  const reason = useId()
  return (
    <>
      <Button
        variant="default"
        disabled={isOnly}
        aria-describedby={isOnly ? reason : undefined}
        onClick={removing.open}
      >
        {t('users.security.removePassword')}
      </Button>
      {isOnly && (
        <Text id={reason} size="sm" c="dimmed" w="100%">
          {t('users.security.onlyPassword')}
        </Text>
      )}
      <Confirm
        title={t('users.security.removePasswordTitle')}
        submit={t('users.security.removePassword')}
        isOpen={isRemoving}
        onClose={removing.close}
        act={async () => {
          const { endedSessions } = await ask(api.DELETE('/api/users/me/password'))
          notifications.show({
            title: t('users.security.passwordRemoved'),
            message: t('users.security.othersEnded', { count: endedSessions }),
            autoClose: 8000,
          })
        }}
        onDone={readAgain}
      >
        {t('users.security.removePasswordLead')}
      </Confirm>
    </>
  )
}
