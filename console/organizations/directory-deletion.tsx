/** Deleting an organization, by a tenant admin, who need not be a member. */
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'

interface DeleteOrganizationProps {
  readonly organization: Pick<Schemas['Organization'], 'id' | 'name' | 'slug'>
  readonly size?: 'xs' | 'sm'
  /** Called before the cache is refreshed. */
  readonly onDone?: () => unknown
}

export function DeleteOrganization({ organization, size = 'sm', onDone }: DeleteOrganizationProps) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  const { id, name } = organization
  return (
    <>
      <Button
        variant="default"
        c="red"
        size={size}
        onClick={open}
        aria-label={t('directory.organizationDeletion.openOf', { name })}
      >
        {t('directory.organizationDeletion.open')}
      </Button>
      <Dialog
        stackId={`delete-${organization.id}`}
        opened={isOpen}
        onClose={close}
        title={t('directory.organizationDeletion.title', { name })}
      >
        <Deletion
          organization={organization}
          onDone={async () => {
            close()
            notifications.show({ message: t('directory.organizationDeletion.done', { name }) })
            await onDone?.()
            queries.removeQueries({ queryKey: ['admin', 'organizations', id] })
            void queries.invalidateQueries({ queryKey: ['organizations'] })
            void queries.invalidateQueries({ queryKey: ['admin'] })
          }}
        />
      </Dialog>
    </>
  )
}

interface DeletionProps {
  readonly organization: DeleteOrganizationProps['organization']
  readonly onDone: () => unknown
}

function Deletion({ organization: { id, slug }, onDone }: DeletionProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { confirm: '' } })
  return (
    <Stack gap="md">
      <Text size="sm">{t('directory.organizationDeletion.lead')}</Text>
      <Form
        form={form}
        submit={t('directory.organizationDeletion.submit')}
        color="red"
        disabled={form.values.confirm.trim() === ''}
        fields={{ confirmation_mismatch: 'confirm' }}
        send={({ confirm }) =>
          ask(
            api.DELETE('/api/admin/organizations/{orgId}', {
              params: { path: { orgId: id } },
              body: { confirm: confirm.trim() },
            }),
          )
        }
        onDone={onDone}
      >
        <TextInput
          {...form.getInputProps('confirm')}
          label={t('directory.organizationDeletion.slug', { slug })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus
        />
      </Form>
    </Stack>
  )
}
