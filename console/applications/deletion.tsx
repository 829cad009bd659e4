/** Deleting an application, after its name was typed. */
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { ifUnchanged } from '../api/versions.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { type Application, applicationQuery, readListsAgain } from './application.ts'

export function DeleteApplication({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" c="red" onClick={open}>
        {t('applications.deletion.open')}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={t('applications.deletion.question', { name: application.name })}>
        <DeletionForm application={application} />
      </Dialog>
    </>
  )
}

function DeletionForm({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id, name } = application
  const form = useForm({ initialValues: { confirm: '' } })
  return (
    <Stack gap="md">
      <Text size="sm">{t('applications.deletion.lead')}</Text>
      <Form
        form={form}
        submit={t('applications.deletion.submit')}
        color="red"
        disabled={form.values.confirm.trim() === ''}
        send={({ confirm }) =>
          ask(
            api.DELETE('/api/admin/applications/{appId}', {
              params: { path: { appId: id }, ...ifUnchanged(application) },
              body: { confirm },
            }),
          ).catch((error: unknown) => {
            if (!isRefusal(error, 'confirmation_mismatch')) throw error
            const detail = t('applications.deletion.mismatch')
            throw new Refusal({
              code: 'invalid_request',
              errors: [{ pointer: '/confirm', code: 'not_allowed', detail }],
            })
          })
        }
        onDone={async () => {
          forgetUnsaved()
          await navigate({ to: '/admin/applications' })
          queries.removeQueries({ queryKey: applicationQuery(id).queryKey })
          readListsAgain()
          notifications.show({ message: t('applications.deletion.done', { name }) })
        }}
      >
        <TextInput
          {...form.getInputProps('confirm')}
          label={t('applications.deletion.confirm', { name })}
          autoComplete="off"
          data-autofocus
        />
      </Form>
    </Stack>
  )
}
