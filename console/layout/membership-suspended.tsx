/** Replaces the pages of an organization in which the caller is suspended: they can only leave it. */
import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Refusal } from '../api/refusal.ts'
import { LeavingInstead } from '../organizations/leaving.tsx'
import { Page } from '../parts/page.tsx'
import { wordsOf } from '../texts/refusals.ts'

interface MembershipSuspendedProps {
  readonly error: Refusal
  readonly retry: () => void
}

export function MembershipSuspended({ error, retry }: MembershipSuspendedProps) {
  const { t } = useTranslation()
  const { title, detail } = wordsOf(error)
  return (
    <Page title={title} lead={detail}>
      <Group gap="sm">
        <Button onClick={retry}>{t('general.retry')}</Button>
        <LeavingInstead />
      </Group>
    </Page>
  )
}
