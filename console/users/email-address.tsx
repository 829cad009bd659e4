/** The email address: whether it is verified, and a pending change. */
import { Badge, Button, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconMail } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { CurrentPassword } from './current-password.tsx'
import { updateMe, useMe } from './me.ts'
import { useAsksPassword } from './proof.ts'
import { SecurityItem, SecurityItems, SecurityRow } from './security-row.tsx'
import { useResending } from './verification.tsx'

export function EmailAddress() {
  const { t } = useTranslation()
  const { email, emailVerified, pendingEmail } = useMe()
  const [isChanging, changing] = useDisclosure()
  const [isCancelling, cancelling] = useDisclosure()
  const resending = useResending()
  return (
    <SecurityRow
      icon={IconMail}
      title={t('users.security.email')}
      state={
        <>
          <span>{email}</span>
          <Badge color={emailVerified ? 'green' : 'yellow'}>
            {emailVerified ? t('users.security.verified') : t('users.security.unverified')}
          </Badge>
        </>
      }
      actions={
        <>
          {!emailVerified && (
            <Button variant="default" loading={resending.isPending} onClick={() => resending.mutate()}>
              {t('users.security.resend')}
            </Button>
          )}
          <Button variant="default" aria-label={t('users.security.changeEmail')} onClick={changing.open}>
            {t('users.security.change')}
          </Button>
        </>
      }
    >
      {pendingEmail !== null && (
        <SecurityItems label={t('users.security.waiting')}>
          <SecurityItem
            title={
              <>
                <span>{pendingEmail}</span>
                <Badge color="yellow">{t('users.security.waiting')}</Badge>
              </>
            }
            facts={t('users.security.pendingLead')}
            actions={
              <Button variant="subtle" onClick={cancelling.open}>
                {t('users.security.cancelChange')}
              </Button>
            }
          />
        </SecurityItems>
      )}
      <Dialog opened={isChanging} onClose={changing.close} title={t('users.security.changeEmail')}>
        <ChangeForm onDone={changing.close} />
      </Dialog>
      <Dialog opened={isCancelling} onClose={cancelling.close} title={t('users.security.cancelTitle')}>
        <CancelForm onDone={cancelling.close} />
      </Dialog>
    </SecurityRow>
  )
}

const fields = { wrong_password: 'currentPassword', too_many_attempts: 'currentPassword' } as const

/** The form has a name, because the page has another field “Current password”. */
function ChangeForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation()
  const me = useMe()
  const asksPassword = useAsksPassword()
  const form = useForm({ name: 'email-change', initialValues: { email: '', currentPassword: '' } })
  return (
    <Form
      form={form}
      submit={t('users.security.sendLink')}
      fields={{ ...fields, email_domain_not_allowed: 'email' }}
      send={({ email, currentPassword }) => updateMe({ email, ...(asksPassword && { currentPassword }) }, me)}
      onDone={(user) => {
        if (user.pendingEmail !== null)
          notifications.show({ message: t('users.security.linkSent', { email: user.pendingEmail }), autoClose: 8000 })
        onDone()
      }}
    >
      <Text size="sm" c="dimmed">
        {t('users.security.changeLead')}
      </Text>
      <TextInput
        {...form.getInputProps('email')}
        label={t('users.security.newEmail')}
        type="email"
        autoComplete="email"
        data-autofocus
      />
      {asksPassword && (
        <CurrentPassword {...form.getInputProps('currentPassword')} label={t('users.security.currentPassword')} />
      )}
    </Form>
  )
}

/** Setting the current address cancels the change. */
function CancelForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation()
  const me = useMe()
  const { email } = me
  const asksPassword = useAsksPassword()
  const form = useForm({ name: 'email-cancel', initialValues: { currentPassword: '' } })
  return (
    <Form
      form={form}
      submit={t('users.security.cancelChange')}
      fields={fields}
      send={({ currentPassword }) => updateMe({ email, ...(asksPassword && { currentPassword }) }, me)}
      onDone={() => {
        notifications.show({ message: t('users.security.cancelled', { email }) })
        onDone()
      }}
    >
      <Text size="sm" c="dimmed">
        {t('users.security.cancelLead', { email })}
      </Text>
      {asksPassword && (
        <CurrentPassword
          {...form.getInputProps('currentPassword')}
          label={t('users.security.currentPassword')}
          data-autofocus
        />
      )}
    </Form>
  )
}
