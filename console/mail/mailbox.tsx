/**
 * The mailbox: mails that are stored instead of sent if no mail server is configured.
 *
 * Invariant: the key is in the fragment of the address, which no server sees, and in a header to the API. It is in no query and in
 * no storage.
 */
import { Button, Code, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { basePath } from '../api/base.ts'
import { PasswordField } from '../parts/password-field.tsx'
import { Task } from '../parts/task.tsx'
import { MailDesk } from './desk.tsx'
import '../texts/mail.ts'
import '../theme/more-components.css'

export function MailboxPage() {
  const key = useLocation({ select: ({ hash }) => hash })
  const [refused, setRefused] = useState<string>()
  if (key === '' || key === refused) return <KeyForm isRefused={key !== '' && key === refused} />
  return <MailDesk key={key} mailboxKey={key} onRefused={() => setRefused(key)} />
}

function KeyForm({ isRefused }: { readonly isRefused: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { key: '' } })
  const open = ({ key }: { readonly key: string }) => {
    // The whole address may have been pasted.
    const hash = key.slice(key.indexOf('#') + 1).trim()
    if (hash !== '') void navigate({ to: '/mailbox', hash, replace: true })
  }
  return (
    <Task title={t('mail.key.title')} lead={t('mail.key.lead')}>
      <form onSubmit={form.onSubmit(open)}>
        <Stack gap="md">
          <Text size="sm">
            {t('mail.key.where')} <Code>{`${location.origin}${basePath}mailbox#…`}</Code>
          </Text>
          <Text size="sm">{t('mail.key.how')}</Text>
          <PasswordField
            {...form.getInputProps('key')}
            label={t('mail.key.key')}
            error={isRefused && t('mail.key.refused')}
            errorProps={{ role: 'alert' }}
            autoComplete="off"
            required
            withAsterisk={false}
            autoFocus
          />
          <Button type="submit">{t('mail.key.open')}</Button>
        </Stack>
      </form>
    </Task>
  )
}
