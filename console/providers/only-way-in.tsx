/** Says how many people have no other way in, before one is taken from everybody. */
import { Alert, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** @param count null if there are too many to count */
export function OnlyWayIn({ count }: { readonly count: number | null }) {
  const { t } = useTranslation()
  if (count === 0)
    return (
      <Text size="sm" role="status">
        {t('providers.onlyWayIn.nobody')}
      </Text>
    )
  return (
    <Alert
      color="yellow"
      role="status"
      title={count === null ? t('providers.onlyWayIn.many') : t('providers.onlyWayIn.some', { count })}
    >
      {t('providers.onlyWayIn.lead')}
    </Alert>
  )
}
