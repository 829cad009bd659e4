/** A dialog whose form makes a secret, which is then shown once: to copy, and with a command to try it. */
import { Button, CopyButton, Group, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Copyable } from '../parts/copyable.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { KeyWithSecret } from './key.ts'
import classes from './keys.module.css'

interface SecretDialogProps {
  /** While there is no secret. */
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The form. @param onMade shows the secret */
  readonly children: (onMade: (made: KeyWithSecret) => void) => ReactNode
}

/** Only its button closes it once the secret is shown: Enter and Escape are easily typed, and the secret is not shown again. */
export function SecretDialog({ title, isOpen, onClose, children }: SecretDialogProps) {
  const { t } = useTranslation()
  const [made, setMade] = useState<KeyWithSecret>()
  const mayClose = made === undefined
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => setMade(undefined)}
      closeOnClickOutside={mayClose}
      closeOnEscape={mayClose}
      withCloseButton={mayClose}
      size="lg"
      title={made ? t('keys.secret.title', { name: made.key.name }) : title}
    >
      {made ? <Secret secret={made.secret} onSaved={onClose} /> : children(setMade)}
    </Dialog>
  )
}

function Secret({ secret, onSaved }: { readonly secret: string; readonly onSaved: () => void }) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  // The form that was here had the focus.
  useEffect(() => field.current?.focus(), [])
  return (
    <Stack gap="md">
      <Text size="sm">{t('keys.secret.lead')}</Text>
      <TextInput
        ref={field}
        label={t('keys.secret.label')}
        classNames={{ input: classes.secret }}
        value={secret}
        readOnly
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <div>
        <Text size="sm" mb={4}>
          {t('keys.secret.tryLead')}
        </Text>
        <div className={classes.command}>
          <Copyable
            value={`curl -H "Authorization: Bearer ${secret}" ${location.origin}/api/caller`}
            name={t('keys.secret.tryIt')}
          />
        </div>
      </div>
      <Group justify="flex-end" gap="sm">
        <CopyButton value={secret} timeout={2000}>
          {({ copied, copy }) => (
            <>
              <Button
                variant="default"
                leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                onClick={copy}
              >
                {t(copied ? 'keys.secret.copied' : 'keys.secret.copy')}
              </Button>
              <VisuallyHidden role="status">{copied ? t('keys.secret.copied') : ''}</VisuallyHidden>
            </>
          )}
        </CopyButton>
        <Button onClick={onSaved}>{t('keys.secret.saved')}</Button>
      </Group>
    </Stack>
  )
}
