/** Says how many people have no other way in, before one is taken from everybody. */
import { Alert, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Status } from '../parts/status.tsx'

interface OnlyWayInProps {
  /** Null if there are too many to count, undefined while nothing is taken. */
  readonly count: number | null | undefined
}

export function OnlyWayIn({ count }: OnlyWayInProps) {
  const { t } = useTranslation()
  return (
    <Status>
      {count === 0 && <Text size="sm">{t('providers.onlyWayIn.nobody')}</Text>}
      {count !== 0 && count !== undefined && (
        <Alert
          color="yellow"
          role="note"
          title={count === null ? t('providers.onlyWayIn.many') : t('providers.onlyWayIn.some', { count })}
        >
          {t('providers.onlyWayIn.lead')}
        </Alert>
      )}
    </Status>
  )
}
