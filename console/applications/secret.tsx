/** The secret of an application, which is shown once. */
import { Button, CopyButton, Group, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './applications.module.css'

export function Secret({ secret }: { readonly secret: string }) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  // The form that was here had the focus.
  useEffect(() => field.current?.focus(), [])
  return (
    <Stack gap="sm">
      <Text size="sm">{t('applications.secret.lead')}</Text>
      <TextInput
        ref={field}
        label={t('applications.secret.label')}
        classNames={{ input: classes.code ?? '' }}
        value={secret}
        readOnly
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <CopyButton value={secret} timeout={2000}>
        {({ copied, copy }) => (
          <Group>
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              onClick={copy}
            >
              {t(copied ? 'general.copied' : 'applications.secret.copy')}
            </Button>
            <VisuallyHidden role="status">{copied ? t('general.copied') : ''}</VisuallyHidden>
          </Group>
        )}
      </CopyButton>
    </Stack>
  )
}
