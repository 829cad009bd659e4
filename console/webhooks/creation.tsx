/** A new webhook: its name, its URL, what it sends. Then its secret, once. */
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { Form } from '../parts/form.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import { eventTypesIn } from './event-types.ts'
import { WebhookSecretDialog } from './secret-dialog.tsx'
import { TypesField } from './types-field.tsx'
import { createWebhook, readAgain, type WebhookList, type WebhookWithSecret } from './webhook.ts'

interface WebhookCreationProps {
  readonly list: WebhookList
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function WebhookCreation({ list, isOpen, onClose }: WebhookCreationProps) {
  const { t } = useTranslation()
  return (
    <WebhookSecretDialog
      title={t('webhooks.creation.title')}
      hint={t('webhooks.secret.next')}
      isOpen={isOpen}
      onClose={onClose}
    >
      {(onMade) => <CreationForm list={list} onMade={onMade} />}
    </WebhookSecretDialog>
  )
}

interface FormProps {
  readonly list: WebhookList
  readonly onMade: (made: WebhookWithSecret) => void
}

function CreationForm({ list, onMade }: FormProps) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { name: '', url: '', types: [] as string[] },
    validate: {
      name: (name) => (name.trim() === '' ? t('general.needed') : null),
      url: (url) => (url.trim() === '' ? t('general.needed') : null),
    },
  })
  useUnsaved(form)
  return (
    <Form
      form={form}
      submit={t('webhooks.creation.submit')}
      send={({ name, url, types }) => createWebhook(list, { name, url: url.trim(), types: eventTypesIn(types) })}
      onDone={(made) => {
        onMade(made)
        readAgain(list)
      }}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t('webhooks.fields.name')}
        description={t('webhooks.fields.nameHint')}
        placeholder={t('webhooks.fields.namePlaceholder')}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        {...form.getInputProps('url')}
        type="url"
        label={t('webhooks.fields.url')}
        description={t('webhooks.fields.urlHint')}
        placeholder="https://"
        autoComplete="off"
      />
      <TypesField
        {...form.getInputProps('types')}
        isOfOrganization={list.orgId !== undefined}
        label={t('webhooks.fields.types')}
        description={t('webhooks.fields.typesHint')}
      />
    </Form>
  )
}
