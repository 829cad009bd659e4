/** The secret of an application, which is shown once. */
import { Group, Stack, Text } from '@mantine/core'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopySecret, SecretField } from '../parts/secret.tsx'

export function Secret({ secret }: { readonly secret: string }) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  return (
    <Stack gap="sm">
      <Text size="sm">{t('applications.secret.lead')}</Text>
      <SecretField secret={secret} field={field} label={t('applications.secret.label')} />
      <Group>
        <CopySecret secret={secret} field={field} />
      </Group>
    </Stack>
  )
}
