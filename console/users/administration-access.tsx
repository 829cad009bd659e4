/**
 * The access of a user: their role in the tenant, and whether they are suspended.
 *
 * Admins cannot change their own access, so that they cannot lock themselves out. Making somebody an admin takes the admin's password, and so
 * does reactivating an admin.
 */
import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import classes from '../parts/list.module.css'
import { nameOf, type User, updateUser } from './administration-user.ts'
import { CurrentPassword } from './current-password.tsx'
import { usersKey } from './directory-search.ts'
import { useAsksPassword } from './proof.ts'

interface UserAccessProps {
  readonly user: User
  readonly isMe: boolean
}

export function UserAccess({ user, isMe }: UserAccessProps) {
  return (
    <ul className={classes.framed}>
      <Role user={user} isMe={isMe} />
      <Suspension user={user} isMe={isMe} />
    </ul>
  )
}

function Role({ user, isMe }: UserAccessProps) {
  const { t } = useTranslation()
  const [isGranting, granting] = useDisclosure()
  const [isTaking, taking] = useDisclosure()
  const name = nameOf(user)
  const isAdmin = user.role === 'admin'
  return (
    <li className={classes.item}>
      <div className={classes.words}>
        <p className={classes.what}>{t(`directory.roles.${user.role}`)}</p>
        <p className={classes.hint}>{t(`directory.role.${user.role}`, { context: isMe ? 'me' : 'them' })}</p>
      </div>
      {!isMe && (
        <Button variant="default" onClick={isAdmin ? taking.open : granting.open}>
          {t(isAdmin ? 'directory.role.take' : 'directory.role.grant')}
        </Button>
      )}
      <Dialog opened={isGranting} onClose={granting.close} title={t('directory.role.grantTitle', { name })}>
        <GrantForm
          submit={t('directory.role.grant')}
          grant={(proof) => updateUser(user, { role: 'admin', ...proof })}
          onDone={() => {
            granting.close()
            notifications.show({ message: t('directory.role.granted', { name }) })
          }}
        />
      </Dialog>
      <Confirm
        title={t('directory.role.takeTitle', { name })}
        submit={t('directory.role.take')}
        isOpen={isTaking}
        onClose={taking.close}
        act={() => updateUser(user, { role: 'user' })}
        onDone={() => notifications.show({ message: t('directory.role.taken', { name }) })}
      >
        {t('directory.role.takeLead')}
      </Confirm>
    </li>
  )
}

interface GrantFormProps {
  readonly submit: string
  /** Makes somebody an admin, with the password of the caller if the form asks for it. */
  readonly grant: (proof: { currentPassword?: string }) => Promise<User>
  readonly onDone: () => void
}

function GrantForm({ submit, grant, onDone }: GrantFormProps) {
  const { t } = useTranslation()
  const asksPassword = useAsksPassword()
  const form = useForm({ initialValues: { currentPassword: '' } })
  return (
    <Stack gap="md">
      <Text size="sm">{t('directory.role.grantLead')}</Text>
      <Form
        form={form}
        submit={submit}
        fields={{ wrong_password: 'currentPassword', too_many_attempts: 'currentPassword' }}
        send={({ currentPassword }) => grant(asksPassword ? { currentPassword } : {})}
        onDone={onDone}
      >
        {asksPassword && (
          <CurrentPassword
            {...form.getInputProps('currentPassword')}
            label={t('directory.yourPassword')}
            description={t('directory.yourPasswordHint')}
            data-autofocus
          />
        )}
      </Form>
    </Stack>
  )
}

function Suspension({ user, isMe }: UserAccessProps) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  const [isGranting, granting] = useDisclosure()
  const name = nameOf(user)
  const isAdmin = user.role === 'admin'
  const tellReactivated = () => notifications.show({ message: t('directory.suspension.reactivated', { name }) })
  const reactivating = useMutation({
    mutationFn: () => updateUser(user, { status: 'active' }),
    onSuccess: tellReactivated,
  })
  const isSuspended = user.status === 'suspended'
  return (
    <li className={classes.item}>
      <div className={classes.words}>
        <p className={classes.what}>{t(`directory.statuses.${user.status}`)}</p>
        <p className={classes.hint}>{t(`directory.suspension.${user.status}`, { context: isMe ? 'me' : 'them' })}</p>
      </div>
      {isSuspended ? (
        <Button
          variant="default"
          loading={reactivating.isPending}
          onClick={() => (isAdmin ? granting.open() : reactivating.mutate())}
        >
          {t('directory.suspension.reactivate')}
        </Button>
      ) : (
        !isMe && (
          <Button variant="default" onClick={open}>
            {t('directory.suspension.suspend')}
          </Button>
        )
      )}
      <Dialog opened={isGranting} onClose={granting.close} title={t('directory.suspension.reactivateTitle', { name })}>
        <GrantForm
          submit={t('directory.suspension.reactivate')}
          grant={(proof) => updateUser(user, { status: 'active', ...proof })}
          onDone={() => {
            granting.close()
            tellReactivated()
          }}
        />
      </Dialog>
      <Confirm
        title={t('directory.suspension.title', { name })}
        submit={t('directory.suspension.suspend')}
        isOpen={isOpen}
        onClose={close}
        act={() => updateUser(user, { status: 'suspended' })}
        onDone={() => {
          notifications.show({ message: t('directory.suspension.suspendedNow', { name }) })
          return queries.invalidateQueries({ queryKey: [...usersKey, user.id, 'devices'] })
        }}
      >
        {t('directory.suspension.lead')}
      </Confirm>
    </li>
  )
}
