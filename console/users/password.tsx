/** The caller's password: changing, adding and removing it. */
import { Button, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { TextLink } from '../parts/links.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { UsernameField } from '../parts/username-field.tsx'
import { NewPassword } from '../sign-in/new-password.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { factorsQuery, identitiesQuery, readAgain } from './factors.ts'
import { useMe } from './me.ts'
import { SecurityRow } from './security-row.tsx'

export function PasswordRow() {
  const { t } = useTranslation()
  const { hasPassword } = useMe()
  const isOnly = useIsOnlyPassword()
  const [isChanging, changing] = useDisclosure()
  const [isRemoving, removing] = useDisclosure()
  const change = t(hasPassword ? 'users.security.changePassword' : 'users.security.addPassword')
  return (
    <SecurityRow
      icon={IconLock}
      title={t('users.security.password')}
      state={t(hasPassword ? 'users.security.passwordSet' : 'users.security.passwordNotSet')}
      actions={
        <>
          <Button variant="default" aria-label={change} onClick={changing.open}>
            {t(hasPassword ? 'users.security.change' : 'users.security.add')}
          </Button>
          {hasPassword && !isOnly && (
            <Button variant="subtle" aria-label={t('users.security.removePassword')} onClick={removing.open}>
              {t('users.factors.remove')}
            </Button>
          )}
        </>
      }
    >
      <Dialog opened={isChanging} onClose={changing.close} title={change}>
        <PasswordForm onDone={changing.close} />
      </Dialog>
      <RemovePassword isOpen={isRemoving} onClose={removing.close} />
    </SecurityRow>
  )
}

function PasswordForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation()
  const { email, name, hasPassword } = useMe()
  const form = useForm({ initialValues: { currentPassword: '', newPassword: '' } })
  return (
    <Form
      form={form}
      submit={t(hasPassword ? 'users.security.changePassword' : 'users.security.addPassword')}
      fields={{ wrong_password: 'currentPassword', too_many_attempts: 'currentPassword' }}
      send={async ({ currentPassword, newPassword }) => {
        const body = { newPassword, ...(hasPassword && { currentPassword }) }
        return { ...(await ask(api.POST('/api/users/me/password', { body }))), isFirst: !hasPassword }
      }}
      onDone={({ endedSessions, isFirst }) => {
        onDone()
        void readAgain()
        notifications.show({
          title: t(isFirst ? 'users.security.passwordAdded' : 'users.security.passwordChanged'),
          message: t('users.security.othersEnded', { count: endedSessions }),
          autoClose: 8000,
        })
      }}
    >
      <UsernameField email={email} />
      <Text size="sm" c="dimmed">
        {t('users.security.passwordLead')}
      </Text>
      {hasPassword && (
        <div>
          <PasswordField
            {...form.getInputProps('currentPassword')}
            label={t('users.security.currentPassword')}
            autoComplete="current-password"
            data-autofocus
          />
          <TextLink to="/forgot-password" size="sm">
            {t('signIn.signIn.forgot')}
          </TextLink>
        </div>
      )}
      <NewPassword
        {...form.getInputProps('newPassword')}
        label={t('signIn.newPassword')}
        identities={name === null ? [email] : [email, name]}
        {...(!hasPassword && { 'data-autofocus': true })}
      />
    </Form>
  )
}

/** Whether the password is the account's last way in, or this is not known yet. */
function useIsOnlyPassword(): boolean {
  const { mailCodes, providers } = useTenant().signIn
  const { data: factors } = useQuery(factorsQuery)
  const { data: identities } = useQuery(identitiesQuery)
  if (mailCodes) return false
  if (!factors || !identities) return true
  const isEnabled = (id: string) => providers.some((provider) => provider.id === id)
  return (
    !factors.data.some(({ canSignIn }) => canSignIn) && !identities.data.some(({ provider }) => isEnabled(provider.id))
  )
}

interface RemovePasswordProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Stays open when its button goes: the refusal may say that the password has become the last way in. */
function RemovePassword({ isOpen, onClose }: RemovePasswordProps) {
  const { t } = useTranslation()
  return (
    <Confirm
      title={t('users.security.removePasswordTitle')}
      submit={t('users.security.removePassword')}
      isOpen={isOpen}
      onClose={onClose}
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
  )
}
