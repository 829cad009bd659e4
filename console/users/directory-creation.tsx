/** Creating a user, who sets a password with a mailed link. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import { CurrentPassword } from './current-password.tsx'
import { usersKey } from './directory-search.ts'
import { useAsksPassword } from './proof.ts'

interface CreateUserProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function CreateUser({ isOpen, onClose }: CreateUserProps) {
  const { t } = useTranslation()
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t('directory.creation.title')}>
      <CreationForm onClose={onClose} />
    </Dialog>
  )
}

const roles = ['user', 'admin'] as const

function CreationForm({ onClose }: Pick<CreateUserProps, 'onClose'>) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { email: '', name: '', role: 'user' as (typeof roles)[number], currentPassword: '' },
  })
  useUnsaved(form)
  const isAdmin = form.values.role === 'admin'
  const asksPassword = useAsksPassword() && isAdmin
  return (
    <Form
      form={form}
      submit={t('directory.creation.submit')}
      fields={{
        wrong_password: 'currentPassword',
        too_many_attempts: 'currentPassword',
      }}
      send={({ email, name, role, currentPassword }) =>
        ask(
          api.POST('/api/admin/users', {
            body: { email, role, ...(name.trim() !== '' && { name }), ...(asksPassword && { currentPassword }) },
          }),
        ).catch((error: unknown) => {
          if (!isRefusal(error, 'email_taken', 'email_domain_not_allowed')) throw error
          // In words for an admin. The usual texts are for the person whose address it is.
          const detail = t(`directory.creation.${isRefusal(error, 'email_taken') ? 'taken' : 'notAllowed'}`)
          throw new Refusal({ code: 'invalid_request', errors: [{ pointer: '/email', code: 'not_allowed', detail }] })
        })
      }
      onDone={async ({ id, email }) => {
        notifications.show({ message: t('directory.creation.done', { email }) })
        void queries.invalidateQueries({ queryKey: usersKey })
        form.resetDirty()
        onClose()
        await navigate({ to: '/admin/users/$userId', params: { userId: id } })
      }}
    >
      <TextInput
        {...form.getInputProps('email')}
        label={t('directory.creation.email')}
        description={t('directory.creation.emailHint')}
        type="email"
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        {...form.getInputProps('name')}
        label={t('directory.creation.name')}
        description={t('directory.creation.nameHint')}
        autoComplete="off"
      />
      <NativeSelect
        {...form.getInputProps('role')}
        label={t('directory.creation.role')}
        description={t(isAdmin ? 'directory.creation.adminHint' : 'directory.creation.userHint')}
        data={roles.map((value) => ({ value, label: t(`directory.roles.${value}`) }))}
      />
      {asksPassword && (
        <CurrentPassword
          {...form.getInputProps('currentPassword')}
          label={t('directory.yourPassword')}
          description={t('directory.yourPasswordHint')}
        />
      )}
    </Form>
  )
}
