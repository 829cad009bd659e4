/** What can be changed of a webhook: its name, its URL, what it sends. Another URL is confirmed first. */
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { changesOf, EditForm } from '../parts/edit-form.tsx'
import { eventTypesIn } from './event-types.ts'
import { TypesField } from './types-field.tsx'
import { changeWebhook, readWebhook, type Webhook, type WebhookList } from './webhook.ts'

interface WebhookSettingsProps {
  readonly list: WebhookList
  readonly webhook: Webhook
}

const pick = ({ name, url, types }: Webhook) => ({ name, url, types: types as string[] }) // while they are chosen

export function WebhookSettings({ list, webhook }: WebhookSettingsProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: pick(webhook) })
  return (
    <EditForm
      form={form}
      thing={webhook}
      pick={pick}
      read={() => readWebhook(list, webhook.id)}
      save={(values, before) => {
        const { types, ...rest } = changesOf(pick(before), values)
        return changeWebhook(list, before, { ...rest, ...(types && { types: eventTypesIn(types) }) })
      }}
      onSaved={({ name }) => notifications.show({ message: t('webhooks.settings.saved', { name }) })}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t('webhooks.fields.name')}
        description={t('webhooks.fields.nameHint')}
        autoComplete="off"
      />
      <TextInput
        {...form.getInputProps('url')}
        type="url"
        label={t('webhooks.fields.url')}
        description={t('webhooks.fields.urlHint_edit')}
        autoComplete="off"
      />
      <TypesField
        {...form.getInputProps('types')}
        isOfOrganization={list.orgId !== undefined}
        label={t('webhooks.fields.types')}
        description={t('webhooks.fields.typesHint')}
      />
    </EditForm>
  )
}
