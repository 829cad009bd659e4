/** A dialog whose form makes the secret of a key, which is then shown once: to copy, and with a command to try it. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Command } from '../parts/command.tsx'
import { CopySecret, SecretDialog, SecretField } from '../parts/secret.tsx'
import type { KeyWithSecret } from './key.ts'

interface KeySecretDialogProps {
  /** While there is no secret. */
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The form. @param onMade shows the secret */
  readonly children: (onMade: (made: KeyWithSecret) => void) => ReactNode
}

export function KeySecretDialog({ title, isOpen, onClose, children }: KeySecretDialogProps) {
  const { t } = useTranslation()
  return (
    <SecretDialog
      title={(made?: KeyWithSecret) => (made ? t('keys.secret.title', { name: made.key.name }) : title)}
      isOpen={isOpen}
      onClose={onClose}
      form={children}
    >
      {({ secret }, onSaved) => <Secret secret={secret} onSaved={onSaved} />}
    </SecretDialog>
  )
}

function Secret({ secret, onSaved }: { readonly secret: string; readonly onSaved: () => void }) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  return (
    <Stack gap="md">
      <Text size="sm">{t('keys.secret.lead')}</Text>
      <SecretField secret={secret} field={field} label={t('keys.secret.label')} />
      <div>
        <Text size="sm" mb={4}>
          {t('keys.secret.tryLead')}
        </Text>
        <Command
          value={`curl -H "Authorization: Bearer ${secret}" ${location.origin}/api/caller`}
          name={t('keys.secret.tryIt')}
        />
      </div>
      <Group justify="flex-end" gap="sm">
        <CopySecret secret={secret} field={field} />
        <Button onClick={onSaved}>{t('general.secret.saved')}</Button>
      </Group>
    </Stack>
  )
}
