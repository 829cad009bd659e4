/** Replaces a page that needs a second factor: why, who requires it, how to set it up now, and how to leave. */
import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Refusal } from '../api/refusal.ts'
import { LeavingInstead } from '../organizations/leaving.tsx'
import { Page } from '../parts/page.tsx'
import { isFactorMissing, SetUpFactor } from '../parts/set-up-factor.tsx'
import { wordsOf } from '../texts/refusals.ts'

interface FactorRequiredProps {
  readonly error: Refusal
  readonly retry: () => void
}

export function FactorRequired({ error, retry }: FactorRequiredProps) {
  const { t } = useTranslation()
  const { title, detail } = wordsOf(error)
  return (
    <Page title={title} lead={detail}>
      <Group gap="sm">
        {isFactorMissing(error) ? <SetUpFactor /> : <Button onClick={retry}>{t('general.retry')}</Button>}
        {error.problem.by === 'organization' && <LeavingInstead />}
      </Group>
    </Page>
  )
}
