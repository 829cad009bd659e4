/** Deleting an organization, by an owner, who types its slug to confirm. */
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { Section } from '../parts/page.tsx'
import { forgetUnsaved } from '../parts/unsaved.ts'
import { forgetOrganization, type Organization } from './organization.ts'

export function Deletion({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <Section id="deletion" title={t('organizations.settings.deletion')} lead={t('organizations.settings.deletionLead')}>
      <Button variant="default" c="red" onClick={open}>
        {t('organizations.settings.delete')}
      </Button>
      <Dialog
        opened={isOpen}
        onClose={close}
        title={t('organizations.settings.deleting.title', { name: organization.name })}
      >
        <Deleting organization={organization} />
      </Dialog>
    </Section>
  )
}

function Deleting({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id, slug, name, memberCount } = organization
  const form = useForm({ initialValues: { confirm: '' } })
  return (
    <Stack gap="md">
      <Text size="sm">{t('organizations.settings.deleting.lead', { count: memberCount })}</Text>
      <Form
        form={form}
        color="red"
        submit={t('organizations.settings.deleting.submit')}
        disabled={form.values.confirm.trim() === ''}
        fields={{ confirmation_mismatch: 'confirm' }}
        send={({ confirm }) =>
          ask(
            api.DELETE('/api/organizations/{orgId}', {
              params: { path: { orgId: id } },
              body: { confirm: confirm.trim() },
            }),
          )
        }
        onDone={async () => {
          forgetUnsaved()
          await navigate({ to: '/organizations' })
          void forgetOrganization(organization)
          notifications.show({ message: t('organizations.settings.deleting.done', { name }) })
        }}
      >
        <TextInput
          {...form.getInputProps('confirm')}
          label={t('organizations.settings.deleting.confirm', { slug })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
        />
      </Form>
    </Stack>
  )
}
