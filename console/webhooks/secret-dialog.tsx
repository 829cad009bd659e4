/** A dialog whose form makes the secret of a webhook, which is then shown once. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopySecret, SecretDialog, SecretField } from '../parts/secret.tsx'
import type { WebhookWithSecret } from './webhook.ts'

interface WebhookSecretDialogProps {
  /** While there is no secret. */
  readonly title: string
  /** Below the secret: what comes next. */
  readonly hint?: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The form. @param onMade shows the secret */
  readonly children: (onMade: (made: WebhookWithSecret) => void) => ReactNode
}

export function WebhookSecretDialog({ title, hint, isOpen, onClose, children }: WebhookSecretDialogProps) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  return (
    <SecretDialog
      title={(made?: WebhookWithSecret) => (made ? t('webhooks.secret.title', { name: made.webhook.name }) : title)}
      isOpen={isOpen}
      onClose={onClose}
      form={children}
    >
      {({ secret }, onSaved) => (
        <Stack gap="md">
          <Text size="sm">{t('webhooks.secret.lead')}</Text>
          <SecretField secret={secret} field={field} label={t('webhooks.secret.label')} />
          {hint !== undefined && <Text size="sm">{hint}</Text>}
          <Group justify="flex-end" gap="sm">
            <CopySecret secret={secret} field={field} />
            <Button onClick={onSaved}>{t('general.secret.saved')}</Button>
          </Group>
        </Stack>
      )}
    </SecretDialog>
  )
}
