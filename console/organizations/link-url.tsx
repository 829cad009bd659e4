/** The URL of a link, in a dialog: to copy it by a button or by hand. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { use, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Closing } from '../parts/closing.ts'
import { CopyText } from '../parts/copy-text.tsx'
import type { Link } from './link.ts'

export function LinkUrl({ link }: { readonly link: Link }) {
  const { t } = useTranslation()
  const close = use(Closing)
  const field = useRef<HTMLInputElement>(null)
  // The form that was here had the focus.
  useEffect(() => field.current?.focus(), [])
  const url = link.url ?? ''
  return (
    <Stack gap="md">
      <Text size="sm">{t('organizations.links.made.lead')}</Text>
      <TextInput
        ref={field}
        label={t('organizations.links.made.url')}
        value={url}
        readOnly
        data-autofocus
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close}>
          {t('organizations.links.made.done')}
        </Button>
        <CopyText text={url} label={t('organizations.links.copy')} shown={field} variant="filled" />
      </Group>
    </Stack>
  )
}
