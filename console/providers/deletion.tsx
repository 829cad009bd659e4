/** Deleting a sign-in provider, after its name was typed. */
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
import { OnlyWayIn } from './only-way-in.tsx'
import { type Provider, providerQuery, readListsAgain } from './provider.ts'

export function DeleteProvider({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" c="red" onClick={open}>
        {t('providers.deletion.open')}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={t('providers.deletion.question', { name: provider.name })}>
        <DeletionForm provider={provider} />
      </Dialog>
    </>
  )
}

function DeletionForm({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id, name, identityCount, onlyWayInCount } = provider
  const form = useForm({ initialValues: { confirm: '' } })
  return (
    <Stack gap="md">
      <Text size="sm">{t('providers.deletion.lead', { count: identityCount })}</Text>
      {identityCount > 0 && <OnlyWayIn count={onlyWayInCount} />}
      <Form
        form={form}
        submit={t('providers.deletion.submit')}
        color="red"
        disabled={form.values.confirm.trim() === ''}
        send={({ confirm }) =>
          ask(
            api.DELETE('/api/admin/providers/{providerId}', {
              params: { path: { providerId: id }, ...ifUnchanged(provider) },
              body: { confirm },
            }),
          ).catch((error: unknown) => {
            if (!isRefusal(error, 'confirmation_mismatch')) throw error
            const detail = t('providers.deletion.mismatch')
            throw new Refusal({
              code: 'invalid_request',
              errors: [{ pointer: '/confirm', code: 'not_allowed', detail }],
            })
          })
        }
        onDone={async () => {
          forgetUnsaved()
          await navigate({ to: '/admin/providers' })
          queries.removeQueries({ queryKey: providerQuery(id).queryKey })
          readListsAgain()
          notifications.show({ message: t('providers.deletion.done', { name }) })
        }}
      >
        <TextInput
          {...form.getInputProps('confirm')}
          label={t('providers.deletion.confirm', { name })}
          autoComplete="off"
          data-autofocus
        />
      </Form>
    </Stack>
  )
}
